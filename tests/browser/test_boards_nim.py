"""The board of Nim at work: keyboard, mouse, no JavaScript, and what must not move."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.browser.boards import FOCUSED, all_show, on_every_size, places, tab_to, two_people
from tests.browser.layout import LOOKS, is_readable
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, a_page, at_match, log, my_turn, shows
from tests.kit.server import Server, migrate

NIM = "/?game=expanding-nim"


async def test_a_whole_match_with_a_reset_is_played_by_keyboard_alone(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, f"{NIM}&stones=12")
    await tab_to(page, ["take-"])
    await page.keyboard.press("2")
    assert await page.evaluate(FOCUSED) == "take-2"
    await page.keyboard.press("r")
    await expect(page.locator("#take")).to_have_text("Take 2 and reset", use_inner_text=True)
    await page.keyboard.press("Enter")
    await at_match(page)
    status, taken = page.locator("#status"), 3
    while True:
        await expect(status).to_contain_text(re.compile("Your turn| won"))
        if "Your turn" not in await status.inner_text():
            break
        await tab_to(page, ["take-"])
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        await shows(page, taken)
        taken += 2
    played = await log(page)
    assert played["moves"][0]["move"] == "2r" and played["reason"] == "last stone"


async def test_stones_are_taken_with_the_mouse_and_what_is_chosen_shows_without_colours(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, NIM)
    await page.emulate_media(forced_colors="active")
    await page.locator("#p-99").click(force=True)
    chosen = page.locator("#take-2 + span")
    await expect(chosen).to_have_css("outline-style", "solid")
    assert await page.locator("#nk0 circle").count() == 1 and await page.locator("#nk1 path").count() == 1
    await page.emulate_media(forced_colors="none")
    await page.locator("#p-98").click(force=True)
    await expect(page.locator("#take-3")).to_be_checked()
    await expect(page.locator("#pieces [href='#nk0']")).to_have_count(3)
    await expect(page.locator(".after")).to_contain_text("97 left after this. The built-in player may take 1 to 4.")
    await page.locator(".switchrow").click()
    await expect(page.locator(".after")).to_contain_text("1 to 3, this turn only. The maximum stays at 3.")
    await page.click("#take")
    await at_match(page)
    await shows(page, 2)
    await my_turn(page)
    assert (await log(page))["moves"][0]["move"] == "3r"
    await expect(page.locator("#m-1")).to_contain_text("takes 3 reset 97 left")


async def test_the_keyboard_goes_on_from_the_amount_that_it_took_and_taking_the_last_stone_is_said_beforehand(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, NIM)
    await page.keyboard.press("Tab")
    await page.locator("#take-1").focus()
    await page.keyboard.press("3")
    await page.keyboard.press("Enter")
    await at_match(page)
    await my_turn(page)
    # As the first move led to another page, and the second one did not.
    for ply in (3, 5):
        await expect(page.locator("#take-3")).to_be_focused()
        await expect(page.locator("#take")).to_have_text("Take 3", use_inner_text=True)
        await page.keyboard.press("Enter")
        await shows(page, ply + 1)
        await my_turn(page)
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("b")
    await expect(page.locator(".takes :checked")).to_be_focused()
    assert [each["move"] for each in (await log(page))["moves"]][:5:2] == ["3", "3", "3"]
    await page.goto(f"{server.address}{NIM}&stones=3")
    await page.keyboard.press("Tab")
    await page.locator("#take-1").focus()
    await page.keyboard.press("3")
    await expect(page.locator(".after")).to_have_text("That takes the last stone: you win.", use_inner_text=True)
    await page.keyboard.press("Enter")
    await at_match(page)
    await expect(page.locator("#status")).to_contain_text("You took the last 3 stones")
    await expect(page.locator(".takes")).to_have_count(0)


# What CSS makes of the line around the tray.
EDGE = """() => {
  const { display, width, height } = getComputedStyle(document.querySelector("rect.edge"));
  return [display, width, height];
}"""


async def test_the_tray_is_the_same_when_the_analysis_has_come(browser: Browser, tmp_path: Path) -> None:
    migrate(tmp_path)
    analysing = Server(tmp_path, ARENA_WORK_SLOTS="1", ARENA_WORK_NICE="0")
    await analysing.start()
    try:
        page = await a_page(browser, analysing, f"{NIM}&stones=3", viewport={"width": 390, "height": 844})
        drawn = await page.evaluate(EDGE)
        await page.locator("label:has(#take-3)").click()
        await page.click("#take")
        await at_match(page)
        bar = page.locator("svg.edge")
        await expect(bar).to_be_visible()
        assert await page.evaluate(EDGE) == drawn
        await page.set_viewport_size({"width": 640, "height": 360})
        await expect(bar).to_be_hidden()  # it would lie over the board: there is no bar at the bottom
        assert await page.evaluate(EDGE) == drawn
    finally:
        await analysing.stop()


async def test_playing_without_javascript(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, NIM, java_script_enabled=False)
    await page.locator("label:has(#take-3)").click()
    await page.locator(".switchrow").click()
    await page.click("#take")
    await at_match(page)
    async with asyncio.timeout(DEADLINE_MS / 1000):
        while "Your turn" not in await page.inner_text("#status"):
            await page.reload()
    async with page.expect_navigation():
        await page.click("#take")
    moves = [each["move"] for each in (await log(page))["moves"] if each["seat"] == 0]
    assert moves == ["3r", "1"]


async def test_the_focus_stays_a_choice_made_early_sends_nothing_and_nothing_moves_for_who_wants_no_motion(
    browser: Browser, server: Server
) -> None:
    page, other = await two_people(browser, server, "expanding-nim", first=False, reduced_motion="reduce")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    await page.reload()
    await page.locator("#take-2").focus()
    await page.keyboard.press("Enter")
    await page.locator("#take").click(force=True)
    await page.locator("#take-2").focus()
    await other.play(1, "3", "r")
    await my_turn(page)
    assert await page.evaluate(FOCUSED) == "take-2" and sent == []
    await expect(page.locator(".may")).to_contain_text("After the reset you may take 1 to 3 this turn.")
    await expect(page.locator("#say")).to_contain_text(
        "takes 3 and uses reset. 97 left. You may take 1 to 3. Your turn"
    )
    taken = page.locator("#pieces .taken").first
    assert await taken.evaluate("stone => stone.getAnimations().length") == 0
    await expect(taken).to_have_css("animation-name", "none")


async def test_nothing_moves_while_an_amount_is_chosen(browser: Browser, server: Server) -> None:
    """The most each time, but for the turn after a reset; tests/browser/test_budget.py has whole matches."""
    page, other = await two_people(browser, server, "expanding-nim")
    pages = await on_every_size(page)
    before = await places(pages)
    for ply in range(1, 7):
        amount = 2 + ply - (ply > 5)
        if ply % 2:
            for each in pages:
                await my_turn(each)
                await choose(each, amount)
            assert await places(pages) == before, f"before move {ply}"
            await pages[ply % len(pages)].click("#take")
        else:
            await other.play(ply, str(amount), *("r" for _ in range(ply == 4)))
        await all_show(pages, ply)
        assert await places(pages) == before, f"after move {ply}"


async def choose(page: Page, amount: int) -> None:
    """Take this many stones, or as many as may be taken."""
    most = await page.locator("#controls [type=radio]").count()
    await page.locator(f"label:has(#take-{min(amount, most)})").click()


async def test_a_thousand_stones_are_taken_by_number(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, f"{NIM}&stones=1000&resets=0")
    number, ply = page.locator("#take-n"), 0
    while not await number.count():
        await page.locator("#controls label").last.click()
        await page.click("#take")
        await at_match(page)
        ply += 2
        await shows(page, ply)
        await my_turn(page)
    await number.fill("13")
    await page.locator("[data-more='-1']").click()
    await expect(page.locator("#take")).to_have_text("Take 12", use_inner_text=True)
    await number.focus()
    await page.keyboard.press("Enter")
    await shows(page, ply + 1)
    assert (await log(page))["moves"][ply]["move"] == "12"


async def test_axe_finds_nothing(browser: Browser, server: Server) -> None:
    page, other = await two_people(browser, server, "expanding-nim")
    await is_readable(page, "nim-turn", LOOKS[:4])
    await page.click("#take")
    await shows(page, 1)
    await is_readable(page, "nim-waits", LOOKS[:4])
    await other.play(2, "2", "r")
    await my_turn(page)
    await is_readable(page, "nim-answered", LOOKS[:4])
