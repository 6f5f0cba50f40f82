"""What is looked at has been drawn to its end, and on our pages nothing changes in steps for who wants no motion."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.browser.layout import DRAWN
from tests.browser.server import Server
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page

# Each element follows the colour that it inherits one frame after its parent, and something on it never ends.
SLOW = """<style>
  * { transition: color 1ms linear; }
  @keyframes blink { 50% { opacity: .5; } }
  i { animation: blink 9s infinite; }
</style><body>"""
DEEP = 40
COLOURS = "[...document.querySelectorAll('body *')].map(each => getComputedStyle(each).color)"


async def test_colours_that_are_inherited_step_by_step_have_come_to_the_last_element(browser: Browser) -> None:
    page = await browser.new_page()
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
