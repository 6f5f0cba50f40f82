"""Leaderboards as people see them: no page wider than its window, nothing that axe finds, and no script needed."""

from __future__ import annotations

from django.utils import timezone
from playwright.async_api import Browser, Page, expect

from arena.models import Player, Rating
from tests.browser.layout import is_fit, overflow, resized
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_play import a_page
from tests.kit.server import Server

server = of_module
LADDER = "/rank/connect-four-7x6/"
# No built-in player.
RATED = ":not(.mark)"
HEIGHTS = """(selector) => [...document.querySelectorAll(selector)]
  .map((each) => Math.round(each.getBoundingClientRect().height))"""


def fill() -> None:
    """60 people and bots, of whom six are not settled; the first has the longest name that there is."""
    for number in range(60):
        kind, name = ("bot", f"gravity-{number}") if number % 2 else ("person", f"Mira {number}")
        player = Player.objects.create(kind=kind, name=name if number else "W" * 24, slug=f"player-{number}")
        Rating.objects.create(
            player=player,
            variant="connect-four-7x6",
            points=2000 - 10 * number,
            deviation=40 + 5 * number,
            matches=60 - number,
            won=20 if number < 40 else 0,
            last="WWLWDLWWLW"[: 60 - number],
            at=timezone.now(),
        )


async def test_the_table_can_be_read_by_everyone(browser: Browser, server: Server, rows: Rows) -> None:
    """In every window, without a script, and read aloud."""
    await rows(server, fill)
    await _in_every_window(await a_page(browser, server, LADDER), server)
    await _without_a_script(await a_page(browser, server, LADDER, java_script_enabled=False))


async def _in_every_window(page: Page, server: Server) -> None:
    row = page.get_by_role("row").and_(page.locator(RATED)).nth(20)
    await expect(row.get_by_role("rowheader")).to_contain_text("gravity-19")
    await expect(row.get_by_role("img", name="Last 10: 6 won, 1 drawn, 3 lost")).to_be_visible()
    await expect(row.locator("td").nth(1)).to_contain_text("provisional")
    await resized(page, 768, 900)
    # Only the longest name needs a second line, below the one built-in player who is stronger.
    assert max(await page.evaluate(HEIGHTS, "tbody tr:nth-child(n + 3)")) < 50
    await page.goto(server.address + LADDER + "?page=2")
    await expect(page.get_by_role("heading", name="Leaderboards")).to_be_visible()
    await expect(page.get_by_role("rowheader", name="Not yet settled")).to_be_visible()
    await page.locator("summary", has_text="How ratings work").click()
    await is_fit(page, "ladder", in_sentences=True)
    await page.goto(f"{server.address}/@/player-0/")
    await resized(page, 360, 640)
    assert await overflow(page) == [], "the longest name fits on its page"


async def _without_a_script(page: Page) -> None:
    """From page to page, and to the bots alone."""
    shown = page.get_by_role("row").and_(page.locator(RATED))
    await expect(shown).to_have_count(51)
    await expect(shown.nth(1)).to_contain_text("W" * 24)
    await page.get_by_role("link", name="Next").click()
    await expect(page.get_by_text("Page 2 of 2", exact=True)).to_be_visible()
    await page.get_by_role("link", name="Bots", exact=True).and_(page.locator(".pillrow a")).click()
    await expect(shown.nth(1)).to_contain_text("gravity-1")
    await expect(page.get_by_text("Mira")).to_have_count(0)
    await page.get_by_role("link", name="Santorini 6 × 6").click()
    await expect(page.get_by_text("No bot has a rating in Santorini 6 × 6 yet.")).to_be_visible()


async def test_a_newcomer_with_an_account_sees_where_they_would_begin(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page = await a_page(browser, server, "/rank/santorini-5x5/")
    lines = page.get_by_role("rowheader")
    begins = lines.filter(has_text="You would begin here")
    await expect(lines.filter(has_text="Club")).to_be_visible()
    await expect(begins).to_have_count(0)  # a guest has no place on a ladder
    await rows.log_in(server, page.context, "newcomer")
    await page.reload()
    await expect(page.get_by_role("row").filter(has=begins)).to_contain_text("1500")
    around = [await each.inner_text() for each in await lines.all()]
    place = around.index("You would begin here")
    assert "Club" in around[place - 1] and "Casual" in around[place + 1]
    await page.get_by_role("link", name="Bots", exact=True).and_(page.locator(".pillrow a")).click()
    await expect(page.get_by_text("No bot has a rating")).to_be_visible()
    await expect(begins).to_have_count(0)
    await rows(server, _rate_the_newcomer)
    await page.goto(f"{server.address}/rank/santorini-5x5/")
    await expect(page.locator("tr.me")).to_contain_text("newcomer")
    await expect(begins).to_have_count(0)


def _rate_the_newcomer() -> None:
    Rating.objects.create(
        player=Player.objects.get(slug="newcomer"),
        variant="santorini-5x5",
        points=1510,
        deviation=300,
        matches=1,
        won=1,
    )
