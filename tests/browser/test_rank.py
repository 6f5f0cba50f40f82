"""Leaderboards as people see them: no page wider than its window, nothing that axe finds, and no script needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.server import DEADLINE_S, ROOT, Server, environment

LADDER = "/rank/connect-four-7x6/"
# 60 people and bots, of whom six are not settled; the first has the longest name that there is.
FILL = """
import django; django.setup()
from django.utils import timezone
from arena.models import Player, Rating
for number in range(60):
    kind, name = ("bot", f"gravity-{number}") if number % 2 else ("person", f"Mira {number}")
    player = Player.objects.create(kind=kind, name=name if number else "W" * 24, slug=f"player-{number}")
    Rating.objects.create(
        player=player, variant="connect-four-7x6", points=2000 - 10 * number, deviation=40 + 5 * number,
        matches=60 - number, won=20 if number < 40 else 0, last="WWLWDLWWLW"[: 60 - number], at=timezone.now(),
    )
"""


@pytest_asyncio.fixture(loop_scope="session")
async def ladder(server: Server) -> AsyncIterator[Server]:
    command = [sys.executable, "-c", FILL]
    subprocess.run(command, cwd=ROOT, env=environment(server.data), check=True, timeout=DEADLINE_S)
    yield server


async def at(browser: Browser, address: str, *, width: int = 1280, scheme: str = "light", scripts: bool = True) -> Page:
    context = await browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
        java_script_enabled=scripts,
    )
    page = await context.new_page()
    await page.goto(address)
    return page


async def test_the_table_fits_every_window_and_can_be_read_by_everyone(browser: Browser, ladder: Server) -> None:
    for width, scheme in [(320, "dark"), (390, "light"), (1280, "light"), (1280, "dark")]:
        page = await at(browser, ladder.address + LADDER + "?page=2", width=width, scheme=scheme)
        await expect(page.get_by_role("heading", name="Leaderboards")).to_be_visible()
        await expect(page.get_by_role("rowheader", name="Not yet settled")).to_be_visible()
        await page.locator("summary", has_text="How ratings work").click()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        # So high that the bar at the bottom of a phone lies over no row.
        await page.set_viewport_size({"width": width, "height": 6000})
        assert await violations(page) == []


async def test_without_javascript_one_goes_from_page_to_page_and_asks_for_bots(
    browser: Browser, ladder: Server
) -> None:
    page = await at(browser, ladder.address + LADDER, scripts=False)
    rows = page.get_by_role("row")
    await expect(rows).to_have_count(51)
    await expect(rows.nth(1)).to_contain_text("W" * 24)
    await page.get_by_role("link", name="Next").click()
    await expect(page.get_by_text("Page 2 of 2", exact=True)).to_be_visible()
    await page.get_by_role("link", name="Bots", exact=True).and_(page.locator(".pillrow a")).click()
    await expect(rows.nth(1)).to_contain_text("gravity-1")
    await expect(page.get_by_text("Mira")).to_have_count(0)
    await page.get_by_role("link", name="Santorini 6 × 6").click()
    await expect(page.get_by_text("No bot has a rating in Santorini 6 × 6 yet.")).to_be_visible()


async def test_what_a_screen_reader_says_of_a_row(browser: Browser, ladder: Server) -> None:
    page = await at(browser, ladder.address + LADDER)
    row = page.get_by_role("row").nth(20)
    await expect(row.get_by_role("rowheader")).to_contain_text("gravity-19")
    await expect(row.get_by_role("img", name="Last 10: 6 won, 1 drawn, 3 lost")).to_be_visible()
    await expect(row.locator("td").nth(1)).to_contain_text("provisional")
