"""A tournament as people see it: set up in five steps, watched live, on every screen, without a script."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.browser.axe import violations
from tests.browser.server import DEADLINE_S, ROOT, Server, environment
from tests.browser.test_admin import make_root, root

SIZES = [(320, "dark"), (390, "light"), (640, "light"), (1280, "light"), (1280, "dark")]
LOG_IN = """
import django; django.setup()
from django.contrib.auth.models import User
from django.test import Client
client = Client(); client.force_login(User.objects.create_user("mira"))
print(client.cookies["sessionid"].value, end="")
"""
# Four built-in players, of whose six pairings three have been played; nobody plays on.
HALF = """
import django; django.setup()
from django.db import transaction
from django.utils import timezone
from arena.models import Match, Pairing, Ruling
from arena.tournaments import acts
from arena.tournaments.spec import EntrySpec, Spec
names = ("gravity-9", "otter-net", "delta3", "W" * 40)
entries = tuple(EntrySpec(name, "builtin", "beginner") for name in names)
cup = acts.create(Spec("Spring cup", "connect-four-7x6", "round-robin", entries, legs=1, seed=7))
with transaction.atomic():  # the server does not see it run
    acts.start(cup); acts.pause(cup)
now = timezone.now()
for n, (pairing, winner) in enumerate(zip(Pairing.objects.order_by("round", "number"), (0, 1, None))):
    match = Match.objects.create(id=f"m{n}", pairing=pairing, variant=cup.variant, opened=now, started=now, ended=now,
        winner=winner, termination="timeout" if winner == 1 else "normal")
Ruling.objects.create(match=match, n=1, verdict="win", winner=1, reason="seen by staff", actor="root", at=now)
"""
# A Swiss event and a knockout with a round played and the next one paired, and a round robin of forty.
OTHERS = """
import django; django.setup()
from django.db import transaction
from django.utils import timezone
from arena.models import Match, Pairing
from arena.tournaments import acts
from arena.tournaments.spec import EntrySpec, Spec
now = timezone.now()
for format, many in (("swiss", 7), ("knockout", 7), ("round-robin", 40)):
    entries = tuple(EntrySpec(f"player {n}", "builtin", "beginner") for n in range(1, many + 1))
    cup = acts.create(Spec(f"Cup {format}", "connect-four-7x6", format, entries, legs=1, seed=7))
    with transaction.atomic():  # the server does not see it run
        acts.start(cup)
        for n, pairing in enumerate(Pairing.objects.filter(tournament=cup, round=1).exclude(b=None)):
            Match.objects.create(id=f"{format[:2]}{n:08}", pairing=pairing, variant=cup.variant, opened=now,
                started=now, ended=now, winner=n % 2, termination="normal")
        acts.go_on(cup); acts.pause(cup)
"""
RULED = """
import django; django.setup()
from django.utils import timezone
from arena.models import Ruling
Ruling.objects.create(match_id="m0", n=1, verdict="draw", reason="by agreement", actor="root", at=timezone.now())
"""


def python(server: Server, code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(server.data), check=True, timeout=DEADLINE_S, capture_output=True, text=True
    )
    return done.stdout


async def organiser(browser: Browser, server: Server, **options: Any) -> BrowserContext:
    context = await browser.new_context(**options)
    key = python(server, LOG_IN)
    await context.add_cookies([{"name": "sessionid", "value": key, "url": server.address}])
    return context


async def at(browser: Browser, address: str, width: int, scheme: str) -> Page:
    context = await browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = await context.new_page()
    await page.goto(address)
    return page


async def pictured(page: Page, name: str) -> None:
    """A picture to be looked at, where a folder for them is named."""
    if folder := os.environ.get("ARENA_TEST_PICTURES", ""):
        await page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)


async def test_five_steps_make_a_round_robin_that_fills_its_own_table(browser: Browser, server: Server) -> None:
    context = await organiser(browser, server)
    page = await context.new_page()
    await page.goto(server.address + "/t/")
    await page.get_by_role("link", name="New tournament").first.click()
    for game in ("Expanding Nim", "Connect Four 7 × 6"):  # 1
        await page.get_by_text(game, exact=True).click()
        await expect(page.locator("#t-summary")).to_contain_text(game)
    for name in ("Built-in easy", "Built-in medium", "Built-in random"):  # 2
        await page.get_by_role("checkbox", name=name).check()
    await page.get_by_label("Clock", exact=True).select_option("5s")  # 3
    await page.get_by_label("Pace", exact=True).select_option("watchable")
    await expect(page.locator("#t-summary")).to_contain_text("3 pairings, 6 rounds")  # 4
    assert await violations(page) == []
    watcher = await (await browser.new_context(viewport={"width": 1280, "height": 800})).new_page()
    await page.get_by_role("button", name="Start now").click()  # 5
    await page.wait_for_url("**/t/connect-four-7x6-round-robin/")
    await watcher.goto(page.url)
    await watcher.evaluate("window.same = true")
    cell = watcher.get_by_role("link", name="running").first
    await expect(cell).to_be_visible()
    await expect(watcher.get_by_role("heading", name="Running now")).to_be_visible()
    await page.get_by_role("button", name="Pause").click()
    await expect(watcher.locator("#t-says")).to_contain_text("Paused at")
    await page.get_by_role("button", name="Resume").click()
    assert await violations(watcher) == []
    # The first result comes into the table of whoever watches, and the page is still the same one.
    done = watcher.locator("table.cross td a[aria-label*=' to ']").first
    await expect(done).to_be_visible()
    assert await watcher.evaluate("window.same")
    table = watcher.locator("table.cross")
    await expect(table.get_by_role("columnheader", name="Built-in medium")).to_have_count(1)
    await expect(table.get_by_role("rowheader", name="Built-in medium")).to_have_count(1)


async def test_a_result_is_overruled_from_the_table_in_three_clicks(browser: Browser, server: Server) -> None:
    """The organiser's event is played, staff decide one match anew; who watches sees why, and the ending that stays."""
    make_root(server)
    page = await (await organiser(browser, server)).new_page()
    await page.goto(server.address + "/t/new/")
    await page.get_by_text("Connect Four 7 × 6", exact=True).click()
    for name in ("Built-in easy", "Built-in random"):
        await page.get_by_role("checkbox", name=name).check()
    await page.get_by_label("Rounds for each pairing").select_option("1")
    await expect(page.locator("#t-summary")).to_contain_text("1 pairing, 1 round")
    await page.get_by_role("button", name="Start now").click()
    watcher = await (await browser.new_context(viewport={"width": 1280, "height": 900})).new_page()
    await page.wait_for_url("**/t/connect-four-7x6-round-robin/")
    await watcher.goto(page.url)
    await watcher.evaluate("window.same = true")
    await expect(watcher.locator("#t-says")).to_contain_text("wins with 1 of 1")
    won = await watcher.locator("#t-row-1 th").inner_text()
    lost = await watcher.locator("#t-row-2 th").inner_text()
    staff = await root(browser, server)
    await staff.goto(page.url)
    await staff.locator("table.cross").get_by_role("link", name=f"{won} against {lost}: 1 to 0").click()  # 1
    match = await (await browser.new_context()).new_page()
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
    await expect(match.locator(".result")).to_contain_text(
        "Decided by referee ada: “it was played with the old rules”."
    )


async def test_the_page_fits_every_window_and_can_be_read_by_everyone(browser: Browser, server: Server) -> None:
    python(server, HALF)
    for width, scheme in SIZES:
        for path in ("/t/", "/t/spring-cup/", "/t/spring-cup/1/2/"):
            page = await at(browser, server.address + path, width, scheme)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, f"{path} at {width}"
            assert await violations(page) == [], f"{path} at {width}"
            await page.context.close()


async def test_swiss_knockout_and_large_events_can_be_read_by_everyone(browser: Browser, server: Server) -> None:
    python(server, OTHERS)
    says = {
        "cup-swiss/": "Round 2",
        "cup-knockout/": "Bracket",
        "cup-round-robin/": "Crosstable of all 40",
        "cup-round-robin/crosstable/": "Crosstable",
    }
    for (width, scheme), (path, words) in itertools.product(SIZES[1:], says.items()):
        page = await at(browser, f"{server.address}/t/{path}", width, scheme)
        await expect(page.get_by_text(words, exact=True).first).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, f"{path} at {width}"
        assert await violations(page) == [], f"{path} at {width}"
        await pictured(page, f"tournament-{path.replace('/', '-')}{width}-{scheme}")
        await page.context.close()


async def test_heads_and_names_of_a_large_crosstable_stay_in_sight(browser: Browser, server: Server) -> None:
    python(server, OTHERS)
    page = await at(browser, f"{server.address}/t/cup-round-robin/crosstable/", 1280, "light")
    box = page.locator(".whole")
    await box.evaluate("(box) => box.scrollTo(box.scrollWidth, box.scrollHeight)")
    await page.mouse.wheel(0, 1000)
    await expect(page.locator("tbody tr").last.locator("th")).to_be_in_viewport(ratio=0.9)
    await expect(page.locator("thead th").last).to_be_in_viewport(ratio=0.9)


async def test_a_viewer_chooses_the_tie_break_and_still_watches_live(browser: Browser, server: Server) -> None:
    python(server, HALF)
    page = await at(browser, server.address + "/t/spring-cup/", 1280, "light")
    await page.get_by_text("Tie-breaks: what they count").click()
    await expect(page.get_by_text("Points of all opponents.", exact=True)).to_be_visible()
    await page.get_by_role("link", name="Buchholz", exact=True).click()
    order = page.locator(".sum-strip")
    await expect(order).to_contain_text("Order: points, then Buchholz, then direct encounter, then wins")
    python(server, RULED)
    await expect(page.get_by_text("by agreement")).to_be_visible()
    await expect(order).to_contain_text("then Buchholz")
    assert await violations(page) == []


async def test_a_sum_shows_by_keyboard_and_what_was_opened_on_a_phone_stays_open(
    browser: Browser, server: Server
) -> None:
    python(server, HALF)
    page = await at(browser, server.address + "/t/spring-cup/", 1280, "light")
    button = page.locator("#t-sum-1-3")
    await button.focus()
    await expect(page.locator("#t-why-1-3")).to_be_visible()
    await button.blur()
    await expect(page.locator("#t-why-1-3")).to_be_hidden()
    await page.locator("#t-sum-2-3").hover()
    await expect(page.locator("#t-why-2-3")).to_be_visible()
    await expect(page.get_by_text("seen by staff")).to_be_visible()
    phone = await at(browser, server.address + "/t/spring-cup/", 390, "light")
    await expect(phone.locator("table.cross")).to_be_hidden()
    await phone.locator("#t-of-1 summary").click()
    python(server, RULED)
    await expect(phone.get_by_text("by agreement")).to_be_visible()
    await expect(phone.locator("#t-of-1 a").first).to_be_visible()


async def test_without_javascript_it_is_set_up_and_run_as_well(browser: Browser, server: Server) -> None:
    context = await organiser(browser, server, java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = await context.new_page()
    await page.goto(server.address + "/t/new/")
    for name in ("Built-in easy", "Built-in medium"):
        await page.get_by_role("checkbox", name=name).check()
    await page.get_by_role("button", name="Show what it will be").click()
    await expect(page.locator("#t-summary")).to_contain_text("1 pairing, 2 rounds")
    await page.get_by_role("button", name="Keep as a draft").click()
    await expect(page.locator("#t-says")).to_contain_text("A draft")
    await expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    await page.get_by_role("button", name="Open for entries").click()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator("#t-says")).to_contain_text("of 2")
