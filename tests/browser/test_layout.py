"""A look at a page finds what is wrong in any of its looks, and waits until it has been drawn to its end."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.browser.boards import two_people
from tests.browser.layout import DRAWN, is_fit, resized
from tests.browser.rows import Rows
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, a_page
from tests.kit.server import Server

# Each element follows the colour that it inherits one frame after its parent, and something on it never ends.
SLOW = """<style>
  * { transition: color 1ms linear; }
  @keyframes blink { 50% { opacity: .5; } }
  i { animation: blink 9s infinite; }
</style><body>"""
DEEP = 40
COLOURS = "[...document.querySelectorAll('body *')].map(each => getComputedStyle(each).color)"

# A page without a fault, and what is wrong in one look at it only: where that is said to be, and what is said.
GOOD = """<html lang=en><title>Good</title><meta name=viewport content="width=device-width"><style>
  :root { color-scheme: light dark; font: 16px sans-serif; }
  :root { background: light-dark(#fff, #111); color: light-dark(#111, #fff); }
  button { min-width: 40px; min-height: 40px; }
  .wide { height: 1px; }
  .late { display: none; }
  %s
</style><main><h1>Good</h1><p>Some words</p><button>A</button><button>B</button><div class=late>%s</div>
<div class=wide></div></main>"""
CLOSE = """.late { display: block; }
  a { display: inline-block; width: 10px; height: 10px; margin: 20px; overflow: hidden; }
  @media (width: 768px) { a { margin: 0; } }"""
PALER = "p { color: #6f6f6f; font-size: 24px; } @media (width: 320px) { p { font-size: 12px; } }"
FAULTS = {
    "wide": ("@media (width: 320px) { .wide { width: 340px; } }", "", "at 320", "DIV"),
    "small": ("@media (width: 641px) { button { min-width: 20px; max-width: 20px; } }", "", "at 641", "BUTTON"),
    "dark": ("@media (prefers-color-scheme: dark) { p { color: #333; } }", "", "at 1280, dark", "color-contrast"),
    "pale": ("@media (width: 641px) { p { color: #555; } }", "", "at 641, dark", "color-contrast"),
    "paler": (PALER, "", "at 320, dark", "color-contrast"),
    "shown": ("@media (width: 360px) { .late { display: block; } }", "<img src='data:,'>", "at 360", "image-alt"),
    "close": (CLOSE, "<a href=/>a</a><a href=/2>b</a>", "at 768", "target-size"),
}


async def test_a_page_without_a_fault_is_fit(browser: Browser) -> None:
    page = await browser.new_page()
    page.set_default_timeout(DEADLINE_MS)
    await page.set_content(GOOD % ("", ""))
    await is_fit(page, "good", every_look=True)


@pytest.mark.cases(2)
@pytest.mark.parametrize("fault", FAULTS)
async def test_what_is_wrong_in_one_look_only_is_found(browser: Browser, fault: str) -> None:
    css, more, where, what = FAULTS[fault]
    page = await browser.new_page()
    page.set_default_timeout(DEADLINE_MS)
    await page.set_content(GOOD % (css, more))
    with pytest.raises(AssertionError) as found:
        await is_fit(page, "faulty", in_sentences=fault == "close", every_look=True)
    assert where in str(found.value) and what in str(found.value)


async def test_colours_that_are_inherited_step_by_step_have_come_to_the_last_element(browser: Browser) -> None:
    page = await browser.new_page()
    page.set_default_timeout(DEADLINE_MS)
    await page.set_content(SLOW + "<p>" + "<span>" * DEEP + "<i>Deep down</i>" + "</span>" * DEEP)
    await page.evaluate("document.body.style.color = 'rgb(1, 2, 3)'")
    await page.evaluate(DRAWN)
    assert set(await page.evaluate(COLOURS)) == {"rgb(1, 2, 3)"}


async def test_a_theme_comes_at_once_for_who_wants_no_motion(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/m/nothere/", reduced_motion="reduce", color_scheme="dark")
    colour = "[...document.querySelectorAll('code')].map(each => getComputedStyle(each).color)"
    dark = await page.evaluate(colour)
    await page.emulate_media(color_scheme="light")
    light = await page.evaluate(colour)
    await page.evaluate(DRAWN)
    assert dark != light == await page.evaluate(colour)
    moving = "[...document.querySelectorAll('*')].filter(each => getComputedStyle(each).transitionDuration !== '0s')"
    assert await page.evaluate(f"{moving}.map(each => each.outerHTML)") == []


# Headings that are narrower than their words: these lie under what stands beside them.
CUT = """() => [...document.querySelectorAll("h1")]
  .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"""


# Rows of choices that break so that one stands alone on the last line.
ALONE = """() => [...document.querySelectorAll(
  "main :is(nav.pillrow, fieldset .pillrow, fieldset :is(.row, .choices):has(> label > [type=radio]))"
)].filter((row) => {
  const tops = [...row.children].map((each) => Math.round(each.getBoundingClientRect().top));
  return tops.length > 2 && tops.at(-1) > tops[0] && tops.filter((top) => top === tops.at(-1)).length === 1;
}).map((row) => row.textContent)"""


# Boxes to tick above their words, not beside them.
APART = """() => [...document.querySelectorAll("label:has(> [type=checkbox] + span)")].filter((label) => {
  const [box, words] = [...label.children].map((each) => each.getBoundingClientRect());
  return box.bottom <= words.top;
}).map((label) => label.textContent)"""
OPENED = "document.querySelectorAll('main details').forEach(each => (each.open = true))"


async def test_no_choice_stands_alone_on_the_last_line_of_its_row(browser: Browser, server: Server, rows: Rows) -> None:
    page = await a_page(browser, server, "")
    await rows.log_in(server, page.context, "Mira K")
    for address in ("/protocols/native/", "/rank/", "/watch/", "/offline/", "/t/new/", "/settings/", "/r/new/"):
        await page.goto(server.address + address)
        for width in (360, 390, 768, 1280):
            await resized(page, width, 1024)
            assert await page.evaluate(ALONE) == [], f"{address} at {width}"
        await page.evaluate(OPENED)
        for width in (320, 390):
            await resized(page, width, 1024)
            assert await page.evaluate(APART) == [], f"{address} at {width}"


# How much is seen of the name of each player.
NAMES = '[...document.querySelectorAll(".match-board .name b")].map((each) => each.clientWidth)'
# Three moves of each game.
MOVES = {
    "connect-four-7x6": ("4", "4", "3"),
    "expanding-nim": ("3", "4", "5"),
    "santorini-6x6": ("c3", "c1", "d4"),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("variant", MOVES)
async def test_a_match_that_is_enlarged_on_a_phone_is_read_without_scrolling_sideways(
    browser: Browser, server: Server, variant: str
) -> None:
    """While it runs and after its end, for who plays and who watches: 180 is a phone at 200 %, 256 a desk at 400 %."""
    player, other = await two_people(browser, server, variant, clock="5m", moves=MOVES[variant], locale="de-DE")
    watcher = await a_page(browser, server, player.url.removeprefix(server.address), locale="de-DE")
    for is_over in (False, True):
        if is_over:
            await other.resign()
        for page in (player, watcher):
            await expect(page.locator("#status.result")).to_have_count(int(is_over))
            for width, height in ((320, 568), (240, 568), (180, 568), (320, 256)):
                await resized(page, width, height)
                assert await page.evaluate("document.documentElement.scrollWidth") == width, (page is player, is_over)
                assert min(await page.evaluate(NAMES)) >= 32, f"{width} x {height}: nobody could be told by the name"
    await watcher.goto(f"{player.url}analysis/")
    for width in (320, 240, 180):
        await resized(watcher, width, 568)
        assert await watcher.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("locale", ["de-DE", "en-GB"])
async def test_a_page_that_is_enlarged_on_a_phone_is_read_without_scrolling_sideways(
    browser: Browser, server: Server, locale: str
) -> None:
    """Nor is a button out of reach on the left, where nobody can scroll."""
    page = await a_page(browser, server, "", locale=locale, viewport={"width": 160, "height": 568})
    outside = "[...document.querySelectorAll('.btn')].filter(e => e.getBoundingClientRect().left < 0).length"
    for address in ("/", "/r/new/", "/settings/", "/games/", "/games/santorini/", "/about/", "/rank/", "/t/"):
        await page.goto(server.address + address)
        assert await page.evaluate("document.documentElement.scrollWidth") == 160, address
        assert await page.evaluate(outside) == 0, address


async def test_who_is_there_and_whose_clock_runs_shows_without_colours(browser: Browser, server: Server) -> None:
    page, _ = await two_people(
        browser, server, "connect-four-7x6", clock="5m", moves=("4", "4"), forced_colors="active"
    )
    ground = "each => getComputedStyle(each).backgroundColor"
    runs, stands = page.locator("#p-near .clock.run"), page.locator("#p-far .clock:not(.run)")
    assert await runs.evaluate(ground) != await stands.evaluate(ground)
    assert await page.locator("#p-far .dot:not(.off)").evaluate(ground) != await page.locator("body").evaluate(ground)


async def test_headings_are_whole_on_a_tablet(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "")
    for address in ("/watch/", "/rank/", "/bots/", "/t/"):
        await page.goto(server.address + address)
        for width in (641, 768):
            await resized(page, width, 1024)
            assert await page.evaluate(CUT) == [], f"{address} at {width}"


# The first face that a page asks for: ours, once it has been fetched, and no other that is shipped.
DRAWN_IN = """async () => {
  const first = getComputedStyle(document.body).fontFamily.split(",")[0].replaceAll('"', "");
  await document.fonts.load(`16px "${first}"`);
  return [first, ...[...document.fonts].map((face) => face.status)];
}"""


async def test_every_page_starts_at_one_place(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/")
    found = {}
    links = await page.locator(".site-nav a, .site-foot a").evaluate_all("all => all.map(each => each.pathname)")
    for address in (*dict.fromkeys(links), "/games/", "/matches/", "/new/", "/login/", "/nothing/"):
        await page.goto(server.address + address)
        box = await page.locator("main h1").bounding_box()
        assert box is not None
        found[address] = box["x"]
        assert await page.evaluate(DRAWN_IN) == ["Inter Variable", "loaded"], address
    assert len(found) > 8
    assert set(found.values()) == {found["/"]}, found
