"""A tournament as people see it: set up in five steps, watched live, on every screen, without a script."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from arena.models import Room, Tournament
from arena.tournaments import actions
from arena.tournaments.spec import MOST_ENTRIES
from tests.browser import cups
from tests.browser.axe import violations
from tests.browser.layout import EVERY_LOOK, LOOKS, WIDTHS, are_fit, is_readable, overflow, resized
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_admin import root
from tests.browser.test_play import a_page, led_to
from tests.kit.server import Server

server = of_module
ORGANISER = "mira"
# Whether the standings are wider than their place.
SCROLLS = (
    "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.standings .t-scroll'))"
)


async def organiser(browser: Browser, server: Server, rows: Rows, path: str, **options: Any) -> Page:
    page = await a_page(browser, server, "", **options)
    await rows.log_in(server, page.context, ORGANISER)
    await page.goto(server.address + path)
    return page


async def test_five_steps_make_a_round_robin_that_fills_its_own_table(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page = await organiser(browser, server, rows, "/t/")
    await page.get_by_role("link", name="New tournament").first.click()
    for game in ("Expanding Nim", "Connect Four 7 × 6"):  # 1
        await page.get_by_text(game, exact=True).click()
        await expect(page.locator("#t-summary")).to_contain_text(game)
    summary = await page.locator("#t-summary").element_handle()
    for name in ("Built-in Beginner", "Built-in Club", "Built-in Random"):  # 2
        await page.get_by_role("checkbox", name=name).check()
    await page.get_by_label("Clock", exact=True).select_option("5s")  # 3
    await page.get_by_label("Speed", exact=True).select_option("watchable")
    await expect(page.locator("#t-summary")).to_contain_text("3 pairings, 6 rounds")  # 4
    assert await summary.evaluate("region => region.isConnected"), "a new one would not be read aloud"
    assert await violations(page) == []
    watcher = await a_page(browser, server, "")
    await page.get_by_role("button", name="Start now").click()  # 5
    await led_to(page, re.compile(r".*/t/connect-four-7x6-round-robin[^/]*/$"))
    await watcher.goto(page.url)
    await watcher.evaluate("window.same = true")
    cell = watcher.get_by_role("link", name="running").first
    await expect(cell).to_be_visible()
    await expect(watcher.get_by_role("heading", name="Running now")).to_be_visible()
    await page.get_by_role("button", name="Pause").click()
    await expect(watcher.locator("#t-says")).to_contain_text("Paused at")
    await page.get_by_role("button", name="Resume").click()
    await expect(watcher.locator("#t-says")).not_to_contain_text("Paused at")
    await page.close()  # or it would draw all that follows
    assert await violations(watcher) == []
    # The first result appears in the table of a watcher, and the page is still the same one.
    done = watcher.locator("table.cross td a[aria-label*=' to ']").first
    await expect(done).to_be_visible()
    assert await watcher.evaluate("window.same")
    table = watcher.locator("table.cross")
    await expect(table.get_by_role("columnheader", name="Built-in Club")).to_have_count(1)
    await expect(table.get_by_role("rowheader", name="Built-in Club")).to_have_count(1)


async def test_what_is_chosen_before_the_scripts_have_come_is_told_and_nothing_can_be_ticked_that_would_be_taken_back(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """By the answer to another choice, which may come late as the scripts may."""
    page, chosen, answer = await organiser(browser, server, rows, "/t/"), asyncio.Event(), asyncio.Event()

    async def after(event: asyncio.Event, route: Route) -> None:
        await event.wait()
        await route.continue_()

    await page.route("**/*.js", partial(after, chosen))
    await page.goto(f"{server.address}/t/new/", wait_until="commit")
    await page.get_by_text("Expanding Nim", exact=True).click()
    chosen.set()
    await expect(page.locator("#t-summary")).to_contain_text("Expanding Nim")
    await page.route("**/t/new/", partial(after, answer))
    await page.get_by_text("Santorini 5 × 5", exact=True).click()  # noqa: RUF001
    bot = page.get_by_role("checkbox", name="Built-in Beginner")
    await expect(bot).to_be_disabled()
    answer.set()
    await bot.check()
    await expect(page.locator("#t-summary")).to_contain_text("Santorini 5 × 5, round robin: 1 ticked")  # noqa: RUF001
    await expect(bot).to_be_checked()


async def test_a_result_is_overruled_from_the_table_in_three_clicks(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """An event is played and staff overrule one match; watchers see why, and the ending that stays."""
    watcher, staff = await a_page(browser, server, ""), await root(browser, server, rows, "")
    await rows(server, lambda: cups.duel("Duel cup"))
    await watcher.goto(f"{server.address}/t/duel-cup/")
    await watcher.evaluate("window.same = true")
    await expect(watcher.locator("#t-says")).to_contain_text("wins with 1 of 1")
    won = await watcher.locator("#t-row-1 th").inner_text()
    lost = await watcher.locator("#t-row-2 th").inner_text()
    await staff.goto(watcher.url)
    await staff.locator("table.cross").get_by_role("link", name=f"{won} against {lost}: 1 to 0").click()  # 1
    match = await a_page(browser, server, "")
    await match.goto(server.address + str(await staff.get_by_role("link", name="won").first.get_attribute("href")))
    await expect(match.locator(".result")).to_contain_text(f"{won} won")
    await staff.get_by_role("link", name="Decide the match").click()  # 2
    await expect(staff.locator("#decide-reason")).to_be_focused()
    await staff.keyboard.type("it was played with the old rules")
    await staff.get_by_role("button", name=f"{lost} wins").click()  # 3
    decided = watcher.locator("#t-ruled")
    await expect(decided).to_contain_text(f"it ended so: {won} won")
    await expect(decided).to_contain_text(f"it counts as a win of {lost}, because “it was played with the old rules”")
    await expect(watcher.locator("#t-says")).to_contain_text(f"{lost} wins with 1 of 1")
    await expect(watcher.locator("#t-row-1 th")).to_have_text(lost)
    assert await watcher.evaluate("window.same")
    assert await violations(watcher) == []
    await expect(match.locator(".result")).to_contain_text("Decided by referee ada: “it was played with the old rules”")


async def test_the_page_fits_every_window_and_can_be_read_by_everyone(
    browser: Browser, server: Server, rows: Rows
) -> None:
    await rows(server, lambda: cups.half("Spring cup"))
    page = await a_page(browser, server, "")
    for path in ("/t/", "/t/spring-cup/", "/t/spring-cup/1/2/", "/t/spring-cup/crosstable/", "/t/spring-cup/in-full/"):
        await are_fit_here_too(page, server, path)


async def are_fit_here_too(page: Page, server: Server, path: str) -> None:
    """At the width at which the narrow layout is widest, as well."""
    await are_fit(page, server.address, [path], looks=(*LOOKS, (640, "light")))


async def test_swiss_and_knockout_events_can_be_read_by_everyone(browser: Browser, server: Server, rows: Rows) -> None:
    await rows(server, cups.others)
    page = await a_page(browser, server, "")
    for path, words in (("cup-swiss/", "Round 2"), ("cup-knockout/", "Bracket")):
        await page.goto(f"{server.address}/t/{path}")
        await expect(page.get_by_text(words, exact=True).first).to_be_visible()
        await are_fit_here_too(page, server, f"/t/{path}")
        # What decides is in view; where there is no room for the other columns they come when they are asked for.
        for width in (1200, 1000, 360, 320):
            await resized(page, width, 640)
            assert not await page.evaluate(SCROLLS), width
        await page.click("text=All numbers")
        assert await page.evaluate(SCROLLS)
    reached = page.get_by_role("cell", name="Semi-final", exact=True).first
    assert await reached.evaluate("(cell) => getComputedStyle(cell).whiteSpace") == "nowrap"


async def test_a_large_event_can_be_read_by_everyone_and_its_heads_and_names_stay_in_sight(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """Its elements are those of a small one: axe, whom a thousand cells take seconds, is asked where all looks are."""
    await rows(server, cups.others)
    page = await a_page(browser, server, "")
    for path, words in (("", f"Crosstable of all {cups.LARGE}"), ("crosstable/", "Crosstable")):
        await page.goto(f"{server.address}/t/cup-round-robin/{path}")
        await expect(page.get_by_text(words, exact=True).first).to_be_visible()
        for width in (*WIDTHS, 640):
            await resized(page, width, 800)
            assert await overflow(page) == [], f"{path} at {width}"
        if EVERY_LOOK:
            await is_readable(page, f"large-{path}", ((1280, "light"), (390, "dark")))
    await page.emulate_media(color_scheme="light")
    await _heads_and_names_of_a_large_crosstable_stay_in_sight(page)


async def _heads_and_names_of_a_large_crosstable_stay_in_sight(page: Page) -> None:
    box = page.locator(".whole")
    await resized(page, 390, 800)
    for place in ("thead th", "tbody tr:first-child td"):
        await expect(page.locator(place).last).to_be_in_viewport(ratio=1)
    await resized(page, 1280, 800)
    await box.evaluate("(box) => box.scrollTo(box.scrollWidth, box.scrollHeight)")
    await page.mouse.wheel(0, 1000)
    await expect(page.locator("tbody tr").last.locator("th")).to_be_in_viewport(ratio=0.9)
    await expect(page.locator("thead th").last).to_be_in_viewport(ratio=0.9)
    # On a sheet of paper all of it, with how it stands.
    await page.emulate_media(media="print")
    await page.set_viewport_size({"width": 794, "height": 1123})
    await expect(page.locator(".status")).to_be_visible()
    assert await box.evaluate("(box) => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight")


async def test_a_viewer_chooses_the_tie_break_reads_sums_by_keyboard_and_still_watches_live(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """What was opened on a phone stays open."""
    await rows(server, lambda: cups.half("Autumn cup"))
    page = await a_page(browser, server, "/t/autumn-cup/")
    await _sums_show_by_keyboard_and_pointer(page)
    await expect(page.get_by_text("seen by staff")).to_be_visible()
    phone = await a_page(browser, server, "/t/autumn-cup/", viewport={"width": 390, "height": 800})
    await expect(phone.locator("table.cross")).to_be_hidden()
    await phone.locator("#t-of-1 summary").click()
    await page.get_by_text("Tie-breaks: what they count").click()
    await expect(page.get_by_text("Points of all opponents.", exact=True)).to_be_visible()
    await page.get_by_role("link", name="Buchholz", exact=True).click()
    order = page.locator(".sum-strip")
    await expect(order).to_contain_text("Order: points, then Buchholz, then direct encounter, then wins")
    await rows(server, lambda: cups.agree("Autumn cup"))
    await expect(page.get_by_text("by agreement")).to_be_visible()
    await expect(order).to_contain_text("then Buchholz")
    assert await violations(page) == []
    await expect(phone.get_by_text("by agreement")).to_be_visible()
    await expect(phone.locator("#t-of-1 a").first).to_be_visible()


async def _sums_show_by_keyboard_and_pointer(page: Page) -> None:
    button = page.locator("#t-sum-1-3")
    await button.focus()
    await expect(page.locator("#t-why-1-3")).to_be_visible()
    await button.blur()
    await expect(page.locator("#t-why-1-3")).to_be_hidden()
    await page.locator("#t-sum-2-3").hover()
    await expect(page.locator("#t-why-2-3")).to_be_visible()


async def test_an_organiser_has_the_buttons_of_each_state_and_no_others_in_a_page_that_stays_open(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page = await organiser(browser, server, rows, "/t/")
    await rows(server, lambda: cups.begun("Harvest cup", ORGANISER, pace_ms=60_000))
    await page.goto(f"{server.address}/t/harvest-cup/")
    await page.evaluate("window.same = true")
    buttons = page.locator("#t-organise button")
    await expect(buttons).to_have_text(["Resume"])
    await rows(server, lambda: actions.resume(Tournament.objects.get(slug="harvest-cup")))
    await expect(buttons).to_have_text(["Pause", "Call missing players"])
    await page.emulate_media(media="print")
    await expect(page.locator("#t-organise")).to_be_hidden()
    await page.emulate_media(media="screen")
    assert await page.evaluate("window.same")
    await buttons.first.click()
    await expect(buttons).to_have_text(["Resume"])


@pytest.mark.parametrize("scripts", [True, False])
async def test_of_many_bots_any_is_found_by_its_name(
    browser: Browser, server: Server, rows: Rows, scripts: bool
) -> None:
    """Enter looks for it, and makes nothing."""
    page = await organiser(browser, server, rows, "/t/new/", java_script_enabled=scripts)
    await rows(server, lambda: cups.bots(MOST_ENTRIES + 5, ORGANISER))
    await page.reload()
    last, club = f"bot-{MOST_ENTRIES + 4}", page.get_by_role("checkbox", name="Built-in Club")
    await club.check()
    await expect(page.get_by_role("checkbox", name=last)).to_have_count(0)
    await page.get_by_label("Find a bot by name").fill(last)
    await page.get_by_label("Find a bot by name").press("Enter")
    await page.get_by_role("checkbox", name=last).check()
    await expect(club).to_be_checked()
    rooms = await rows(server, Room.objects.count)
    await page.goto(f"{server.address}/r/new/")
    await expect(page.get_by_label("Seat 2").get_by_text(last)).to_have_count(0)
    await page.get_by_label("Find a bot by name").fill(last)
    await page.get_by_label("Find a bot by name").press("Enter")
    await expect(page.get_by_label("Find a bot by name")).to_have_value(last)
    await page.get_by_label("Seat 2").select_option(last)
    assert page.url == f"{server.address}/r/new/"
    assert await rows(server, Room.objects.count) == rooms


async def test_without_javascript_it_is_set_up_and_run_as_well(browser: Browser, server: Server, rows: Rows) -> None:
    size = {"width": 390, "height": 800}
    page = await organiser(browser, server, rows, "/t/new/", java_script_enabled=False, viewport=size)
    for name in ("Built-in Beginner", "Built-in Club"):
        await page.get_by_role("checkbox", name=name).check()
    await page.get_by_role("button", name="Preview").click()
    await expect(page.locator("#t-summary")).to_contain_text("1 pairing, 2 rounds")
    await page.get_by_role("button", name="Keep as a draft").click()
    await expect(page.locator("#t-says")).to_contain_text("A draft")
    await expect(page.locator("button", has_text="Pause")).to_have_count(0)
    await page.get_by_role("button", name="Open for entries").click()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator("#t-says")).to_contain_text("of 2")
