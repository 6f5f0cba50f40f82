"""What surrounds a match, seen as its players see it: where it is found afterwards, what things are called, in which
language."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from playwright.async_api import Browser, Page, expect

from arena.models import Match
from tests.browser.axe import violations
from tests.browser.boards import a_match_of, post, two_people
from tests.browser.layout import overflow
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_play import a_page
from tests.kit.server import Server
from tests.kit.until import until
from tests.kit.visiting import Visitor

server = of_module
LEVELS = ("Random", "Beginner", "Casual", "Club", "Expert", "Best")
LONG_AGO = datetime(2025, 3, 7, 12, tzinfo=UTC)
A_WIN = ["4", "3", "4", "3", "4", "3", "4"]


async def won(browser: Browser, server: Server) -> tuple[Page, str, str]:
    """The page of who has just won, their name, and that of who has lost."""
    page, _ = await two_people(browser, server, "connect-four-7x6", moves=A_WIN[:-1])
    await post(page, f"{page.url}move/", ply=len(A_WIN), move=A_WIN[-1])
    await expect(page.locator(".headline.won h2")).to_be_visible()
    assert "in column 4 · Friendly, ratings unchanged" in await page.locator(".headline p").inner_text()
    names = [await page.locator(f"#p-{place} .name b").inner_text() for place in ("near", "far")]
    return page, names[0], names[1]


async def test_a_match_that_was_won_is_found_everywhere_afterwards_on_narrow_screens_and_by_one_name(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page, mine, theirs = await won(browser, server)
    match = page.url
    await _is_found_everywhere(page, server, mine, theirs)
    await page.get_by_role("link", name="Replay").click()
    await expect(page).to_have_url(match)
    await _is_no_wider_than_a_narrow_screen(page, server)
    await rows.log_in(server, page.context, "Mira K")
    await _have_one_name_wherever_one_is_chosen(page, server)


async def _is_found_everywhere(page: Page, server: Server, mine: str, theirs: str) -> None:
    await page.goto(server.address)
    await expect(page.locator("main")).to_contain_text(f"{mine} won")
    await page.goto(f"{server.address}/bots/")
    await expect(page.get_by_role("region", name="Built-in players")).to_contain_text("Club")
    await page.goto(f"{server.address}/matches/")
    await page.get_by_label("Game").select_option(label="Connect Four 7 × 6")
    await page.get_by_label("Player").fill(theirs)
    await page.get_by_label("Result").select_option(label="Won by Orange")
    await page.get_by_role("button", name="Show").click()
    await expect(page.locator(".played li")).to_have_count(1)
    await expect(page.locator(".played li")).to_contain_text(f"{mine} beat {theirs}")
    await page.get_by_label("Result").select_option(label="Won by Blue")
    await page.get_by_role("button", name="Show").click()
    await expect(page.locator(".empty")).to_contain_text("No such match.")
    await page.goto(f"{server.address}/me/")
    for words in ("Form", "Plays most", "won", f"against {theirs}"):
        await expect(page.locator("main")).to_contain_text(words)


async def _is_no_wider_than_a_narrow_screen(page: Page, server: Server) -> None:
    for path, least in (("/", 180), ("/me/", 180), (page.url.removeprefix(server.address), 240)):
        await page.goto(server.address + path)
        for width in (280, least):
            await page.set_viewport_size({"width": width, "height": 640})
            assert await overflow(page) == [], f"{path} at {width}"


async def _have_one_name_wherever_one_is_chosen(page: Page, server: Server) -> None:
    for place in ("/bots/", "/offline/", "/t/new/"):
        await page.goto(server.address + place)
        said = " ".join([await page.locator("body").inner_text(), *await page.locator("option").all_text_contents()])
        assert [name for name in LEVELS if name not in said] == [], place


async def test_the_language_is_that_of_the_browser_until_another_is_chosen(
    browser: Browser, server: Server, rows: Rows
) -> None:
    people = [Visitor(server.port), Visitor(server.port)]
    match = await a_match_of(people, variant="connect-four-7x6", clock="none")
    await people[0].post(f"{match}move/", ply="1", move="4")
    await people[1].post(f"{match}resign/")
    await rows(server, lambda: Match.objects.filter(id=match.split("/")[2]).update(ended=LONG_AGO, opened=LONG_AGO))
    page = await a_page(browser, server, "/matches/", people[0], locale="de-DE")
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    when = f".played li:has([href^='{match}']) time.only-l"
    await expect(page.locator(when)).to_have_text("7. März 2025")
    await page.goto(server.address + match)
    await expect(page.locator("#moves a > .num").first).to_have_text(re.compile(r"^\d+,\d s$"))
    await page.goto(f"{server.address}/settings/")
    await page.get_by_label("English").check()
    await page.get_by_role("button", name="Speichern").click()
    await expect(page.locator("h1")).to_have_text("Settings")
    await page.goto(server.address)
    await expect(page.locator("html")).to_have_attribute("lang", "en")
    await expect(page.locator("h1")).to_contain_text("Drop a disc")
    second = await page.context.new_page()
    await second.goto(f"{server.address}/matches/")
    await expect(second.locator("h1")).to_have_text("Finished matches")
    await expect(second.locator(when)).to_have_text("7 Mar 2025")
    await second.goto(server.address + match)
    await expect(second.locator("#moves a > .num").first).to_have_text(re.compile(r"^\d+\.\d s$"))
    await _stays_english_while_german_is_chosen(second, page)


async def _stays_english_while_german_is_chosen(page: Page, other: Page) -> None:
    """What it fetches, and the socket that it opens on whatever page."""
    home, sockets = await page.context.new_page(), list[str]()
    home.on("websocket", lambda socket: sockets.append(socket.url))
    await home.goto(other.url)
    await expect(home.locator("#challenges")).to_be_attached()
    await other.goto(other.url + "settings/")
    await other.get_by_label("Deutsch").check()
    await other.get_by_role("button", name="Save").click()
    await expect(other.locator("h1")).to_have_text("Einstellungen")
    for asks, address, press in ((page, "**/board/?*", "[data-by=first]"), (home, "**/r/new/*", "a[data-dialog]")):
        async with asks.expect_response(address) as answered:
            await asks.locator(press).first.click()
        assert (await answered.value).headers["content-language"] == "en", address
    await until(lambda: any("/ws/me/" in url for url in sockets))
    assert all(url.endswith("language=en") for url in sockets), sockets


async def test_what_is_too_large_for_the_server_is_answered_with_a_page_in_the_language_of_its_reader(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, "/about/", locale="de-DE")
    await page.evaluate(SENDS_TOO_MUCH)
    await expect(page.get_by_role("heading", name="Das ist zu groß, um es zu senden")).to_be_visible()
    await expect(page.locator("main")).to_contain_text("Höchstens 1048576 Byte")
    assert await violations(page) == []
    await page.get_by_role("link", name="Zurück zu den Brettern").click()
    await expect(page.locator("#board")).to_be_visible()


SENDS_TOO_MUCH = """() => {
  const form = Object.assign(document.createElement("form"), { method: "post", action: "/login/" });
  form.append(Object.assign(document.createElement("textarea"), { name: "name", value: "x".repeat(1_100_000) }));
  document.body.append(form);
  form.submit();
}"""
