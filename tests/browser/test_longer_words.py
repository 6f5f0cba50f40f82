"""Pages in a language of 1.4 times the length, on a narrow phone: nothing is cut off, and axe finds nothing."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from playwright.async_api import Browser

from arena.catalogues import Compiled
from tests.browser.axe import violations
from tests.browser.layout import OVERFLOW
from tests.browser.test_play import a_page, at_match
from tests.kit.marked import OPEN, catalogue
from tests.kit.server import Server, migrate

PAGES = (
    *("/", "/watch/", "/matches/", "/rank/connect-four-7x6/", "/t/", "/games/santorini/", "/about/", "/r/new/"),
    *("/login/", "/signup/", "/settings/", "/puzzles/", "/mistakes/", "/offline/", "/nowhere/"),
)
GAMES = ("connect-four-7x6", "expanding-nim", "santorini-5x5")
# To one side of the screen, and so not seen.
CUT = """() => [...document.querySelectorAll("main :is(button, a.btn, summary, h1, h2)")]
  .filter((each) => each.checkVisibility() && !each.closest(".vh") && each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).display !== "inline")
  .map((each) => `${each.tagName} ${each.textContent.trim().slice(0, 40)}`)"""


async def test_nothing_sticks_out_and_nothing_is_cut_off(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    migrate(data)
    (data / "locale").unlink()  # it is what all servers share
    for place in settings.LOCALE_PATHS:
        made = Path(str(Compiled(place.source, data))) / "de/LC_MESSAGES/django.mo"
        made.write_bytes(catalogue())
    server = Server(data)
    await server.start()
    try:
        page = await a_page(browser, server, "/", locale="de-DE", viewport={"width": 360, "height": 740})
        wrong = {}
        for game in GAMES:
            await page.goto(f"{server.address}/?game={game}")
            await page.locator("#controls button[type=submit]").first.click()
            await at_match(page)
            for more in ("", "?tab=info", "?tab=chat"):
                await page.goto(page.url.partition("?")[0] + more)
                assert OPEN in await page.locator("main").inner_text()
                if found := [*await page.evaluate(OVERFLOW), *await page.evaluate(CUT)]:
                    wrong[f"{game} {more}"] = found
        for address in PAGES:
            await page.goto(server.address + address)
            said = await violations(page)
            if found := [*await page.evaluate(OVERFLOW), *await page.evaluate(CUT), *said]:
                wrong[address] = found
        assert wrong == {}, "\n".join(f"{where}: {what}" for where, what in wrong.items())
    finally:
        await server.stop()
