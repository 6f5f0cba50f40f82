"""An event run from the control room: begun, paused, ruled, withdrawn from and taken back, played to its table."""

from __future__ import annotations

from playwright.async_api import Browser, Page, expect

from arena.models import Tournament
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
from tests.browser.layout import LOOKS, is_readable, overflow, resized
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_admin import root
from tests.kit.server import Server

server = of_module


def _draft() -> Tournament:
    entries = tuple(EntrySpec(name, "builtin", level="random") for name in ("ash", "birch", "cedar"))
    return actions.create(TournamentSpec("Tree cup", "expanding-nim", "round-robin", entries, legs=4, pace_ms=100))


async def act(page: Page, button: str, reason: str = "", choice: str = "") -> None:
    """Three clicks at most: the button, where there is one the choice, and the answer."""
    await page.get_by_role("link", name=button, exact=True).first.click()
    await expect(page.locator(".told")).to_be_visible()
    if choice:
        await page.get_by_label(choice, exact=True).check()
    await page.fill("[name=reason]", reason)
    await page.locator(".submit-row input[type=submit]").click()
    await expect(page.locator(".messagelist .success")).to_be_visible()


async def test_an_event_is_run_from_the_control_room_alone(browser: Browser, server: Server, rows: Rows) -> None:
    event = await rows(server, _draft)
    page = await root(browser, server, rows)
    await page.fill("#find-q", event.slug)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{server.address}/admin/arena/tournament/{event.pk}/change/")
    await act(page, "Open for entries")
    watched = await page.context.new_page()
    await watched.goto(f"{server.address}/t/{event.slug}/")
    await act(page, "Start")
    await expect(watched.get_by_role("heading", name="Running now")).to_be_visible()
    await act(page, "Pause", "lunch")
    await expect(watched.locator("#t-says")).to_contain_text("Paused at")
    await act(page, "Withdraw cedar", "it has left the building")
    await expect(page.locator("[aria-labelledby=h-entries]")).to_contain_text("withdrawn")
    await act(page, "Undo withdrawal cedar", "it was in the garden")
    undecided = page.get_by_role("link", name="Decide ")
    shown = (await page.locator("#h-pairings").inner_text()).rpartition(" ")[2]
    name = (await undecided.first.get_attribute("aria-label") or "").removeprefix("Decide ")
    await act(page, f"Decide {name}", "they shook hands", "a draw")
    await page.goto(f"{page.url}?round={shown}")
    await expect(page.get_by_role("link", name=f"Re-run {name}", exact=True).first).to_be_visible()
    for width in (1280, 390):
        await resized(page, width, 900)
        assert await overflow(page) == [], width
    await is_readable(page, "admin-event", LOOKS[:4])
    await resized(page, 1280, 900)
    await act(page, f"Re-run {name}", "they want to play after all")
    await act(page, "Resume")
    await expect(watched.locator("#t-says")).to_contain_text("of 8 points")
    await page.reload()
    await expect(page.locator(".event")).to_contain_text("Finished")
    table = page.get_by_role("region", name="Table")
    await expect(table.locator("tbody tr")).to_have_count(3)
    done = page.locator("[aria-labelledby=h-history]")
    for words in ("lunch", "it has left the building", "they shook hands", "they want to play after all"):
        await expect(done).to_contain_text(words)
