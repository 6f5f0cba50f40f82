"""An event run from the control room: begun, paused, ruled, played to its table, published and exported, on pages that
follow by themselves. Every act has its tests in tests/admin.
"""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Browser, Page, Route, expect

from arena.models import Tournament
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
from tests.browser import cups
from tests.browser.layout import LOOKS, is_readable, overflow, resized
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_admin import root
from tests.browser.test_home import PATIENT, SILENT, Line
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server

server = of_module

# The round that is shown, and the first pairing in it that is not over.
FIRST_UNDECIDED = """() => [
    /round (\\d+)/.exec(document.querySelector("#h-pairings").textContent)[1],
    document.querySelector('.pairings a[aria-label^="Decide "]').ariaLabel.replace("Decide ", ""),
]"""


def _open() -> str:
    """The path in the administration of an event that is open for entries."""
    entries = tuple(
        EntrySpec(f"Built-in {level.title()}", "builtin", level) for level in ("random", "beginner", "casual")
    )
    spec = TournamentSpec("Tree cup", "expanding-nim", "round-robin", entries, legs=4, pace_ms=700)
    event = actions.create(spec)
    actions.open_for_entries(event)
    return f"/admin/arena/tournament/{event.pk}/change/"


async def act(page: Page, button: str, reason: str = "", choice: str = "") -> None:
    """Three clicks at most: the button, where there is one the choice, and the answer."""
    await page.get_by_role("link", name=button, exact=True).first.click()
    await expect(page.locator(".told")).to_be_visible()
    if choice:
        await page.get_by_label(choice, exact=True).check()
    await page.fill("[name=reason]", reason)
    await answer(page)


async def answer(page: Page) -> None:
    await page.locator(".submit-row input[type=submit]").click()
    await expect(page.locator(".messagelist .success")).to_be_visible()


def _quick() -> None:
    """What is still to be played, once nobody has to act on it in time: 20 ms a move, which no page offers."""
    event = Tournament.objects.get(slug="tree-cup")
    Tournament.objects.filter(pk=event.pk).update(settings={**event.settings, "pace_ms": 20})


async def test_the_control_room_says_when_it_hears_nothing_and_is_live_again_by_itself(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page, line = await root(browser, server, rows), Line()
    await page.route_web_socket("**/ws/control/", line.opened)
    await page.reload()
    state = page.locator("#live-state")
    await expect(state).to_have_text("live")
    await expect(page.get_by_text("All systems normal")).to_be_visible()
    await line.cut()
    await expect(state).to_have_text("not live: waiting for the server")
    await expect(state).to_have_class("off")
    await expect(page.get_by_text("All systems normal")).to_be_hidden()  # for all that this page knows
    line.whole = True
    await expect(state).to_have_text("live")
    await expect(state).to_have_class("")
    line.whole = False  # or it would be live again before anybody looks
    await page.evaluate(SILENT)
    await expect(state).to_have_text("not live: waiting for the server")
    line.whole = True
    await expect(state).to_have_text("live")


async def _lunch_begins_under_a_press(page: Page, follower: Page) -> None:
    asked, pressed = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        asked.set()
        await pressed.wait()
        await route.continue_()

    await follower.route("**part=live**", late)
    await act(page, "Pause", "lunch")
    await follower.locator("#h-past-actions").hover()
    await follower.evaluate(PATIENT)
    async with asyncio.timeout(DEADLINE_S):
        await asked.wait()
    async with follower.expect_response("**part=live**") as answer:
        await follower.mouse.down()
        pressed.set()
    assert "lunch" in await (await answer.value).text()
    assert "lunch" not in await follower.inner_text("#live"), "nothing moves from under a press"
    await follower.mouse.up()


async def test_the_table_of_a_swiss_event_is_seen_whole_beside_its_pairings(
    browser: Browser, server: Server, rows: Rows
) -> None:
    await rows(server, cups.others)
    event = await rows(server, lambda: Tournament.objects.get(slug="cup-swiss").pk)
    page = await root(browser, server, rows, "")
    await page.goto(f"{server.address}/admin/arena/tournament/{event}/change/")
    table = page.get_by_role("region", name="Table", exact=True)
    await expect(table.locator("tbody tr")).to_have_count(7)
    assert await table.evaluate("(each) => each.scrollWidth <= each.clientWidth")


async def test_an_event_is_run_from_the_control_room(browser: Browser, server: Server, rows: Rows) -> None:
    page, path = await root(browser, server, rows, ""), await rows(server, _open)
    await page.goto(server.address + path)
    follower = await page.context.new_page()
    await follower.goto(page.url)
    watched = await page.context.new_page()
    await watched.goto(f"{server.address}/t/tree-cup/")
    await act(page, "Start")
    await expect(watched.get_by_role("heading", name="Running now")).to_be_visible()
    await expect(follower.locator(".steps .now")).to_have_text("Play")
    await _lunch_begins_under_a_press(page, follower)
    await expect(follower.locator("[aria-labelledby=h-past-actions]")).to_contain_text("lunch")
    await follower.close()  # or it would draw all that follows
    await expect(watched.locator("#t-says")).to_contain_text("Paused at")
    shown = watched.url
    await watched.goto("about:blank")  # for the same reason; tests/browser/test_tournaments.py watches a table fill
    await rows(server, _quick)
    await expect(page.get_by_text("once nothing of this is left")).not_to_contain_text(re.compile(r"\d running"))
    number, name = await page.evaluate(FIRST_UNDECIDED)
    await act(page, f"Decide {name}", "they shook hands", "a draw")
    await page.goto(f"{page.url}?round={number}")
    await page.locator("summary", has_text="done").click()
    await expect(page.get_by_role("link", name=f"Re-run {name}", exact=True).first).to_be_visible()
    for width in (1280, 390):
        await resized(page, width, 900)
        assert await overflow(page) == [], width
    await is_readable(page, "admin-event", LOOKS[:4])
    await resized(page, 1280, 900)
    await act(page, f"Re-run {name}", "they want to play after all")
    await act(page, "Resume")
    await expect(page.locator(".steps .now")).to_have_text("Finished")
    await watched.goto(shown)
    await expect(watched.locator("#t-says")).to_contain_text("of 8 points")
    await act(page, "Publish the table")
    await expect(watched.locator("#t-says")).to_contain_text("Final table, published at")
    async with page.expect_download() as exported:
        await page.get_by_role("link", name="Table, CSV").click()
    assert (await (await exported.value).path()).read_text().count("\n") >= 4
    table = page.get_by_role("region", name="Table")
    await expect(table.locator("tbody tr")).to_have_count(3)
    done = page.locator("[aria-labelledby=h-past-actions]")
    for words in ("lunch", "they shook hands", "they want to play after all"):
        await expect(done).to_contain_text(words)
