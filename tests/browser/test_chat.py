"""The chat beside a match, in the browsers of two players with accounts and of a watcher."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from playwright.async_api import Browser, Locator, Page, Route, expect

from arena.models import ChatLine
from arena.web.match import chat_lines
from tests.browser.axe import violations
from tests.browser.boards import a_match_of, post
from tests.browser.couples import connected
from tests.browser.heard import Heard
from tests.browser.rows import Rows
from tests.browser.sharing import server as server
from tests.browser.test_accounts import a_name
from tests.browser.test_play import a_page, at_match
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server
from tests.kit.visiting import Visitor

PHONE = {"width": 360, "height": 640}
# The list of lines is so high, and stays so when lines come.
LOW = """height => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`#chat-lines { height: ${height} }`);
  document.adoptedStyleSheets = [sheet];
}"""


async def test_players_read_each_other_at_once_and_watchers_apart(browser: Browser, server: Server, rows: Rows) -> None:
    ada, bob = await _members(browser, server, rows)
    watcher = await a_page(browser, server, ada.url.removeprefix(server.address) + "?tab=chat", viewport=PHONE)
    for page in (ada, bob, watcher):
        await connected(page)
    await _tab(ada).click()
    await _say(ada, "good luck <b>to you</b>")
    await expect(_lines(ada)).to_contain_text("good luck <b>to you</b>")
    await expect(ada.locator("#chat-say")).to_have_value("")
    await expect(_tab(bob)).to_have_attribute("data-news", "")
    await _tab(bob).click()
    await expect(_lines(bob)).to_contain_text("good luck <b>to you</b>")
    await expect(_tab(bob)).not_to_have_attribute("data-news", "")
    await _say(bob, "you too, \u202e<i>olleh</i> שלום")
    await expect(_lines(ada)).to_contain_text("you too, <i>olleh</i> שלום")
    await expect(_lines(watcher)).to_contain_text("Nothing has been said yet.")
    await ada.evaluate(LOW, "20px")
    await ada.evaluate("document.getElementById('chat-lines').scrollTop = 0")
    await _say(bob, "and good night")
    await expect(_lines(ada)).to_contain_text("and good night")
    assert await ada.evaluate("document.getElementById('chat-lines').scrollTop") == 0, "a reader of earlier lines stays"
    await ada.evaluate(LOW, "")
    await ada.locator(".chat-line summary").last.click()
    assert [await violations(page) for page in (ada, watcher)] == [[], []]
    await _say(bob, "are you asleep?")
    await expect(_lines(ada)).to_contain_text("are you asleep?")
    await expect(ada.locator(".chat-line details").nth(1)).to_have_attribute("open", "")
    assert await watcher.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    await ada.get_by_role("button", name="Mute").click()
    await expect(_lines(ada)).not_to_contain_text("you too")
    await expect(_lines(ada)).to_contain_text("good luck")


async def test_a_talk_goes_on_in_the_next_round_with_what_was_being_written(
    browser: Browser, server: Server, rows: Rows
) -> None:
    ada, bob = await _members(browser, server, rows, rounds="2")
    first = bob.url
    await _tab(ada).click()
    await _say(ada, "well played")
    await _tab(bob).click()
    await bob.locator("#chat-say").fill("you pl")
    await connected(bob)
    await post(ada, f"{first}resign/")
    await at_match(bob, after=first)
    await expect(_lines(bob)).to_contain_text("well played")
    await expect(bob.locator("#chat-say")).to_have_value("you pl")
    await expect(bob.locator("#chat-say")).to_be_focused()
    await expect(_lines(ada), "the chat that was open is open").to_contain_text("well played")
    await expect(ada.locator("#chat-say")).not_to_be_focused()
    await bob.keyboard.type("ayed well, too")
    await bob.keyboard.press("Enter")
    await expect(_lines(bob)).to_contain_text("you played well, too")
    # So it does in a rematch, also for who begins it.
    second = bob.url
    await bob.locator("#chat-say").fill("ready?")
    await post(bob, f"{second}resign/")
    await post(ada, f"{second}rematch/")
    await bob.locator(".wanted").get_by_role("button", name="Play").click()
    for page in (ada, bob):
        await at_match(page, after=second)
        await expect(_lines(page)).to_contain_text("you played well, too")
    await expect(bob.locator("#chat-say")).to_have_value("ready?")


async def test_the_lines_of_a_muted_person_announce_nothing_and_those_of_others_do(
    browser: Browser, server: Server, rows: Rows
) -> None:
    match = await a_match_of([Visitor(server.port), Visitor(server.port)], variant="connect-four-7x6", clock="none")
    ada = await _member(browser, server, rows, match + "?tab=chat")
    rude, kind = [await _visitor(server, rows) for _ in range(2)]
    for each in (rude, kind):
        await each.get(match)
    await rude.post(f"{match}chat/", say="you again")
    await ada.locator(".chat-line summary").click()
    await ada.get_by_role("button", name="Mute").click()
    await expect(_lines(ada)).to_contain_text("Nothing has been said yet.")
    await ada.locator(".parts-bar [data-to=moves]").click()
    await _tab(ada).evaluate(
        "tab => new MutationObserver(all => tab.dataset.told = Number(tab.dataset.told ?? 0) + all.length)"
        ".observe(tab, {attributeFilter: ['data-news']})"
    )
    async with ada.expect_response(f"**{match}chat/"):
        await rude.post(f"{match}chat/", say="you there?")
    await kind.post(f"{match}chat/", say="hello")
    await expect(_tab(ada)).to_have_attribute("data-news", "")
    await expect(_tab(ada)).to_have_attribute("data-told", "1")


async def test_who_reads_the_newest_line_follows_two_on_a_slow_line_and_the_end_of_a_match_says_who_reads_more(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """The second line is said while the answer with the first one is on its way."""
    ada, bob = await _members(browser, server, rows)
    for page in (ada, bob):
        await connected(page)
        await _tab(page).click()
    await expect(_lines(ada)).to_contain_text("Nothing has been said yet.")
    await ada.evaluate(LOW, "20px")
    answered, line = asyncio.Event(), asyncio.Event()

    async def slowly(route: Route) -> None:
        answer = await route.fetch()
        answered.set()
        await line.wait()
        await route.fulfill(response=answer)

    await ada.route("**/chat/", slowly)
    await _say(bob, "one")
    async with asyncio.timeout(DEADLINE_S):
        await answered.wait()
    first = await ada.locator("#chat-newest").get_attribute("data-newest")
    await _say(bob, "two")
    await expect(ada.locator("#chat-newest")).not_to_have_attribute("data-newest", str(first))
    line.set()
    await expect(_lines(ada).locator(".chat-line")).to_have_count(2)
    await expect(_lines(ada).get_by_text("two")).to_be_in_viewport()
    await ada.unroute("**/chat/")
    await _says_who_reads_what_is_written_now(ada, bob, server)


async def _says_who_reads_what_is_written_now(ada: Page, bob: Page, server: Server) -> None:
    label, field = bob.locator("#chat-form label span:visible"), bob.locator("#chat-say")
    await expect(label).to_have_text(re.compile("^Only .+ can read it.$"))
    await expect(field).to_have_accessible_name(re.compile("^Only .+ can read it.$"))
    await post(ada, f"{ada.url}resign/")
    await expect(label).to_have_text("Everybody at this match can read it.")
    await expect(field).to_have_accessible_name("Everybody at this match can read it.")
    await ada.goto(await post(ada, f"{server.address}/play/", variant="connect-four-7x6", level="club", move=4))
    await connected(ada)
    await _tab(ada).click()
    why_not = ada.get_by_text("Your opponent cannot read.")
    await expect(why_not).to_be_visible()
    await expect(ada.locator("#chat-say")).to_be_hidden()
    await post(ada, f"{ada.url}resign/")
    await expect(ada.locator("#chat-form label span:visible")).to_have_text("Everybody at this match can read it.")
    await expect(why_not).to_be_hidden()


async def test_without_scripts_a_line_of_nothing_is_a_mistake_in_a_form_and_its_heading_is_balanced(
    browser: Browser, server: Server, rows: Rows
) -> None:
    match = await a_match_of([Visitor(server.port), Visitor(server.port)], variant="connect-four-7x6", clock="none")
    page = await _member(browser, server, rows, match + "?tab=chat", java_script_enabled=False, viewport=PHONE)
    await _say(page, "\u00a0")
    heading = page.get_by_role("heading", name="Something in this form is not right")
    await expect(heading).to_be_visible()
    first, *_, last = await heading.evaluate(LINES)
    assert last > first / 2, "no word stands alone on the last line"


# The width of each line of a heading.
LINES = """heading => {
  const range = document.createRange();
  range.selectNodeContents(heading);
  return [...range.getClientRects()].map(line => line.width);
}"""


async def test_a_chat_without_end_is_bounded_and_a_reported_line_goes_when_staff_remove_it(
    browser: Browser, server: Server, rows: Rows
) -> None:
    ada, bob = await _members(browser, server, rows)
    match = re.sub(r".*/m/|/", "", ada.url)
    toast = await Heard.on(bob, "#toast")
    await _tab(bob).click()
    while await _flooded(bob, "one too many") != 429:
        pass
    await expect(bob.locator("#chat-say")).to_have_value("one too many")
    await toast.until(r"^Too much at once\. Try again in \d s\. Nothing was done\.$")
    await rows(server, lambda: _fill(match))
    await ada.goto(f"{ada.url}?tab=chat")
    await expect(_lines(ada).locator(".chat-line")).to_have_count(chat_lines.SHOWN)
    box = await _lines(ada).bounding_box()
    assert box and box["height"] < 500, "it scrolls by itself"
    said = await Heard.on(ada, "#toast")
    await _say(ada, "one more")
    await said.until(f"^This match has {chat_lines.MOST_LINES} lines, the maximum. Nothing was said.$")
    newest = _lines(ada).locator(".chat-line").last
    await newest.locator("summary").click()
    await expect(newest.get_by_role("button", name="Report")).to_be_in_viewport(ratio=1)
    await newest.get_by_role("button", name="Report").click()
    await said.until("^Reported. Staff will look at it.$")
    await expect(newest.locator("details")).not_to_have_attribute("open", "")
    await expect(ada.locator("#toast")).to_be_empty()
    # As tests/admin/test_chat.py does it.
    await rows(server, lambda: ChatLine.objects.filter(match=match, text="the newest line").update(removed=True))
    await ada.reload()
    await expect(_lines(ada)).not_to_contain_text("the newest line")


async def _flooded(page: Page, words: str) -> int:
    """How a line is answered after more than a person may say at once."""
    token = await page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value")
    form: dict[str, str | float | bool] = {"csrfmiddlewaretoken": str(token), "say": "a line"}
    address = re.sub(r"\?.*", "", page.url) + "chat/"
    await asyncio.gather(*(page.request.post(address, form=form) for _ in range(6)))
    async with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
        await _say(page, words)
    return (await answered.value).status


def _fill(match: str) -> None:
    """As many lines as a match may have, said by a player of it."""
    line = ChatLine.objects.filter(match=match).latest("pk")
    most = chat_lines.MOST_LINES - ChatLine.objects.filter(match=match).count()
    new = [f"line {n}" for n in range(most - 1)] + ["the newest line"]
    about = {"match_id": match, "player_id": line.player_id, "name": line.name, "among_players": True}
    ChatLine.objects.bulk_create(ChatLine(text=text, **about) for text in new)


async def _member(browser: Browser, server: Server, rows: Rows, path: str, **options: Any) -> Page:
    """Somebody with an account who looks at this page."""
    page = await a_page(browser, server, "", **options)
    await rows.log_in(server, page.context, a_name())
    await page.goto(server.address + path)
    return page


async def _visitor(server: Server, rows: Rows) -> Visitor:
    """Somebody with an account, without a page."""
    visitor = Visitor(server.port)
    visitor.cookies["sessionid"] = await rows.session(server, a_name())
    return visitor


async def _members(browser: Browser, server: Server, rows: Rows, rounds: str = "1") -> tuple[Page, Page]:
    """Two people with accounts at one match."""
    people = [await _visitor(server, rows) for _ in range(2)]
    match = await a_match_of(people, variant="connect-four-7x6", clock="none", rounds=rounds)
    host, friend = [await a_page(browser, server, match, each) for each in people]
    return host, friend


async def _say(page: Page, words: str) -> None:
    await page.locator("#chat-say").fill(words)
    await page.locator("#chat-say").press("Enter")


def _tab(page: Page) -> Locator:
    return page.locator(".parts-bar [data-to=chat]")


def _lines(page: Page) -> Locator:
    return page.locator("#chat-lines")
