"""The pages for authors of bots in a real browser: commands can be copied. test_games.py looks whether they fit."""

from __future__ import annotations

from playwright.async_api import Browser, Locator

from tests.browser.heard import Heard
from tests.browser.layout import overflow, resized
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page
from tests.kit.server import Server

# Words of messages, codes and commands that stand on more than one line.
BROKEN = """() => [...document.querySelectorAll("table.codes th code, .snippet, .points code")].flatMap((each) => {
  const texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), broken = [], range = document.createRange();
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const word of text.data.matchAll(/\\S+/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  return broken;
})"""
# Buttons that lie over a part of what they copy.
COVERED = """() => [...document.querySelectorAll(".snippet:has(.btn)")].filter((snippet) => {
  const [words, copy] = [document.createRange(), snippet.querySelector(".btn")];
  const button = copy.getBoundingClientRect();
  words.setStart(snippet, 0);
  words.setEndBefore(copy);
  return [...words.getClientRects()].some((line) => line.right > button.left && line.left < button.right
    && line.bottom > button.top && line.top < button.bottom);
}).map((snippet) => snippet.textContent.trim())"""


# What is copied and its button stand side by side: no part of a command is a column of its own.
PARTS = """() => [...document.querySelectorAll(".snippet:has(.btn)")]
  .map((snippet) => [...snippet.childNodes].filter((each) => each.textContent.trim()).length)"""


async def test_commands_can_be_copied(browser: Browser, server: Server) -> None:
    permissions, refused = ["clipboard-read", "clipboard-write"], list[str]()
    page = await a_page(browser, server, "", permissions=permissions)
    page.on("console", lambda message: refused.append(message.text))
    await page.goto(f"{server.address}/protocols/droidcon/")
    toast = await Heard.on(page, "#toast")
    await page.get_by_role("button", name="Copy").first.click()
    await toast.until("^Copied$")
    port = server.doors["droidcon"]
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == f"python3 droidcon_bot.py my-bot otter-42 127.0.0.1 {port}"
    await page.get_by_text("JavaScript", exact=True).click()
    await page.get_by_text('require("readline")').wait_for()
    assert refused == []


async def test_no_code_and_no_command_breaks_within_a_word_on_a_phone(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "")
    for path in ("/protocols/", "/protocols/errors/", "/protocols/native/", "/protocols/santorini-json/"):
        await page.goto(server.address + path)
        for width in (390, 360, 320):
            await resized(page, width, 800)
            assert await page.evaluate(BROKEN) == [], f"{path} at {width}"
            assert await overflow(page) == [], f"{path} at {width}"


async def test_no_button_lies_over_what_it_copies(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "", extra_http_headers={"Accept-Language": "de"})
    for path in ("/protocols/", "/protocols/droidcon/", "/protocols/native/"):
        await page.goto(server.address + path)
        assert await page.locator("html").get_attribute("lang") == "de"
        assert set(await page.evaluate(PARTS)) <= {2}
        for width in (1280, 641, 390, 360):
            await resized(page, width, 800)
            assert await page.evaluate(COVERED) == [], f"{path} at {width}"
            scrolled = "each => each.scrollWidth > each.clientWidth"
            assert not any([await each.evaluate(scrolled) for each in await page.locator(".snippet").all()])


async def test_a_program_shows_on_which_side_it_goes_on(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/protocols/fiar/")
    await resized(page, 390, 800)
    program = page.locator(".samples[open] pre")
    left, right = [await corner(program, right=False), await corner(program, right=True)]
    await program.evaluate("each => each.scrollTo(each.scrollWidth, 0)")
    assert await corner(program, right=False) != left, "what was left behind is in the shade"
    assert await corner(program, right=True) != right, "and nothing at the end"


async def corner(program: Locator, *, right: bool) -> bytes:
    """A point at its upper edge, where there are no words."""
    box = await program.bounding_box()
    assert box is not None
    x = box["x"] + (box["width"] - 3 if right else 2)
    return await program.page.screenshot(clip={"x": x, "y": box["y"] + 5, "width": 1, "height": 1}, full_page=True)
