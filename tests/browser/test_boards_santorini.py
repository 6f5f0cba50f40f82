"""The board of Santorini at work: keyboard, mouse, no JavaScript, both drawings, and what must not move."""

from __future__ import annotations

import asyncio
import random
import re
from functools import cache
from typing import Any

from playwright.async_api import Browser, Page, expect

import games
from games.santorini import SantoriniPosition
from tests.browser.boards import FOCUSED, Other, all_show, on_every_size, places, post, tab_to, two_people
from tests.browser.layout import LOOKS, is_readable, resized
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, a_page, at_match, log, my_turn, shows
from tests.kit.server import Server

VARIANT = "santorini-5x5"
PLACED = ("b2", "d4", "d2", "b4")


@cache
def a_climb() -> tuple[str, ...]:
    """A short match that the first seat wins by stepping up to height 3, because both help it."""
    position, moves = games.variant(VARIANT).start(), []
    rng = random.Random(7)
    for move in PLACED:
        moves.append(move)
        position = position.play(move)
    while position.to_move is not None:
        best = max(position.legal_moves(), key=lambda move: (_helps(position.play(move), position.ply), rng.random()))
        moves.append(best)
        position = position.play(best)
    outcome = position.outcome()
    assert outcome and outcome.winner == 0 and outcome.reason == "reached height 3" and len(moves) < 40
    return tuple(moves)


def _helps(position: games.Position, ply: int) -> int:
    """How near the first seat's first worker is to height 3: itself, then the next step, then what it stands beside."""
    assert isinstance(position, SantoriniPosition)
    worker, heights = position.workers[0], position.heights
    here = heights[worker]
    outcome = position.outcome()
    if outcome is not None and outcome.winner == 0:
        return 1000
    beside = [
        heights[cell]
        for cell in range(25)
        if cell not in position.workers and max(abs(cell % 5 - worker % 5), abs(cell // 5 - worker // 5)) == 1
    ]
    steps = [height for height in beside if height == here + 1]
    return 100 * here + 10 * len(steps) + sum(height == here for height in beside) - 50 * (4 in heights)


def squares(move: str) -> list[str]:
    return re.split("[-+]", move)


async def reach(page: Page, name: str) -> None:
    """Go to a square with the arrow keys; north is up."""
    here = str(await page.evaluate(FOCUSED)).removeprefix("t-")
    across, down = ord(name[0]) - ord(here[0]), int(here[1:]) - int(name[1:])
    for key, times in (("ArrowRight", across), ("ArrowLeft", -across), ("ArrowDown", down), ("ArrowUp", -down)):
        for _ in range(times):
            await page.keyboard.press(key)
    assert await page.evaluate(FOCUSED) == f"t-{name}"


async def test_a_whole_match_is_won_by_keyboard_alone(browser: Browser, server: Server) -> None:
    page, other = await two_people(browser, server, VARIANT)
    for ply, move in enumerate(a_climb(), start=1):
        if ply % 2:
            await my_turn(page)
            if not str(await page.evaluate(FOCUSED)).startswith("t-"):
                await tab_to(page, [f"t-{letter}" for letter in "abcde"])
            for name in squares(move):
                await reach(page, name)
                await page.keyboard.press("Enter")
        else:
            await other.play(ply, move)
        await shows(page, ply)
    await expect(page.locator("#status")).to_contain_text("You won")
    await expect(page.locator("#status")).to_contain_text("Worker 1 stepped up to height 3 on")
    for drawing in ("w", "v"):
        await expect(page.locator(f"#{drawing}-01")).to_have_attribute("data-at", squares(a_climb()[-1])[1])
    assert [each["move"] for each in (await log(page))["moves"]] == list(a_climb())


async def test_a_turn_is_chosen_with_keys_and_mouse_and_nothing_is_asked_before_it_is_whole(
    browser: Browser, server: Server
) -> None:
    page, other = await placed(browser, server)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    await _keys_go_to_the_workers_and_to_what_is_legal(page)
    await page.keyboard.press("Escape")
    await _the_mark_of_a_square_is_as_large_as_the_square_on_a_small_board(page)
    await page.click("#t-b2")
    await _targets_stand_out_without_colours(page)
    await _no_square_to_choose_covers_a_worker_and_a_worker_covers_no_click(page)
    await page.click("#t-undo")
    await page.keyboard.press("Escape")
    await _a_worker_is_moved_and_put_back(page)
    await page.click("#t-c2")
    assert sent == []
    await page.click("#t-b2")
    await shows(page, 5)
    assert (await log(page))["moves"][4]["move"] == "b2-c2+b2"
    await expect(page.locator("#m-5")).to_contain_text("1 b2→c2 +b2")
    await other.play(6, "d4-d5+d4")
    await my_turn(page)
    await _what_is_being_chosen_survives_news_that_are_no_move(page)
    await _nothing_is_left_of_it_when_a_turn_was_played_in_another_tab(page)


async def _a_worker_is_moved_and_put_back(page: Page) -> None:
    """And is chosen again."""
    steps = page.locator(".steps p")
    await page.click("#t-b2")
    await expect(steps).to_contain_text("Move worker 1.")
    await page.click("#t-b1")
    await expect(steps).to_contain_text("Choose where to build. Worker 1 moved to b1, height 0.")
    await expect(page.locator("#v-01")).to_have_attribute("y", "426")
    await page.click("#t-undo")
    await expect(steps).to_contain_text("Move worker 1.")
    await expect(page.locator("#v-01")).to_have_attribute("y", "326")
    await expect(page.locator("#say")).to_have_text("Move worker 1.")
    await expect(page.locator("#controls [aria-live]")).to_have_count(0)  # a turn that comes would be told twice
    await page.click("#t-d2")
    await expect(steps).to_contain_text("Move worker 2.")
    await page.keyboard.press("Escape")
    await expect(steps).to_contain_text("Choose a worker.")
    await page.click("#t-b2")


async def _keys_go_to_the_workers_and_to_what_is_legal(page: Page) -> None:
    await page.locator("#t-a1").focus()
    await page.keyboard.press("w")
    first = await page.evaluate(FOCUSED)
    await page.keyboard.press("w")
    assert {first, await page.evaluate(FOCUSED)} == {"t-b2", "t-d2"}
    await page.keyboard.press("Enter")
    await page.keyboard.press("t")
    await expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile(", you can step here$"))


async def _the_mark_of_a_square_is_as_large_as_the_square_on_a_small_board(page: Page) -> None:
    usual = page.viewport_size
    assert usual is not None, "it has a size of its own"
    await resized(page, 320, 256)
    await expect(page.locator("#t-b2")).to_have_class(re.compile("pick"))
    marked, plain = [await page.locator(f"#t-{name}").bounding_box() for name in ("b2", "a1")]
    assert marked and plain and abs(marked["height"] - plain["height"]) < 1
    await resized(page, usual["width"], usual["height"])


async def _targets_stand_out_without_colours(page: Page) -> None:
    await page.emulate_media(forced_colors="active")
    edge = "getComputedStyle(document.getElementById('t-c2')).getPropertyValue('--edge').trim()"
    assert await page.evaluate(edge) == "Highlight"
    sign = "getComputedStyle(document.getElementById('t-c2'), '::after').content"
    assert await page.evaluate(sign) == '"●"'
    await page.emulate_media(forced_colors="none")


async def _no_square_to_choose_covers_a_worker_and_a_worker_covers_no_click(page: Page) -> None:
    """The worker on b2 has been chosen."""
    assert [await page.evaluate(HEAD, worker) for worker in ("w-01", "w-02", "w-11")] == [True] * 3
    await page.evaluate("document.querySelector('.both .front').style.pointerEvents = ''")
    await page.click("#t-a3")  # the square behind it
    await expect(page.locator("#w-01")).to_have_attribute("data-at", "a3")


async def _what_is_being_chosen_survives_news_that_are_no_move(page: Page) -> None:
    await page.click("#t-c2")
    await page.click("#t-c3")
    await page.evaluate("htmx.ajax('GET', location.pathname + 'live/?have=0', {source: 'main', swap: 'none'})")
    await expect(page.locator(".steps p")).to_contain_text("Choose where to build.")
    await expect(page.locator("#v-01")).to_have_attribute("data-at", "c3")
    await expect(page.locator("#v-01")).to_have_attribute("x", "226")


async def _nothing_is_left_of_it_when_a_turn_was_played_in_another_tab(page: Page) -> None:
    await post(page, f"{page.url}move/", ply=7, move="d2-d1+e1")
    await shows(page, 7)
    await expect(page.locator("#status")).to_contain_text("is thinking.")
    await expect(page.locator("#v-02")).to_have_attribute("data-at", "d1")
    await expect(page.locator("#v-01")).to_have_attribute("data-at", "c2")


# What is seen where the head of the worker is, with the picture over the squares open to the pointer.
HEAD = """(id) => {
  document.querySelector(".both .front").style.pointerEvents = "auto";
  const { x, y, width, height } = document.getElementById(id).getBoundingClientRect();
  return Boolean(document.elementFromPoint(x + width * .45, y + height * .2).closest(".front"));
}"""


async def placed(browser: Browser, server: Server, **options: Any) -> tuple[Page, Other]:
    """A match whose workers stand; the one in the browser is to move."""
    page, other = await two_people(browser, server, VARIANT, moves=PLACED, **options)
    await my_turn(page)
    return page, other


async def test_playing_without_javascript(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, f"/?game={VARIANT}", java_script_enabled=False)
    await page.click("#t-b2")
    await at_match(page)
    await until_my_turn(page)
    async with page.expect_navigation():
        await page.locator("#controls .target").first.click()
    await until_my_turn(page)
    position = games.variant(VARIANT).parse((await log(page))["position"])
    worker, to, build = squares(position.legal_moves()[0])
    await page.click(f"#t-{worker}")
    await expect(page.locator(".steps p")).to_contain_text("Move worker")
    await page.click(f"#t-{to}")
    await expect(page.locator(".steps p")).to_contain_text("Choose where to build.")
    mover = page.locator(f"#pieces .side [data-at='{to}'][id^='w-0']")
    await expect(mover).to_be_attached()
    await page.click("#t-undo")
    await expect(mover).not_to_be_attached()
    await page.click(f"#t-{to}")
    async with page.expect_navigation():
        await page.click(f"#t-{build}")
    assert (await log(page))["moves"][4]["move"] == f"{worker}-{to}+{build}"


async def until_my_turn(page: Page) -> None:
    async with asyncio.timeout(DEADLINE_MS / 1000):
        while "Your turn" not in await page.inner_text("#status"):
            await page.goto(re.sub(r"\?.*", "", page.url))


async def test_when_the_other_moves_the_focus_stays_it_is_told_and_nothing_moves_for_who_wants_no_motion(
    browser: Browser, server: Server
) -> None:
    page, other = await two_people(browser, server, VARIANT, first=False, reduced_motion="reduce")
    await page.locator("#t-c3").focus()
    await other.play(1, "b2")
    await my_turn(page)
    assert await page.evaluate(FOCUSED) == "t-c3"
    await expect(page.locator("#say")).to_contain_text("placed worker 1 on b2. Your turn")
    worker = page.locator("#w-01")
    assert await worker.evaluate("worker => worker.getAnimations().length") == 0
    await expect(worker).to_have_css("animation-name", "none")


async def test_axe_finds_nothing(browser: Browser, server: Server) -> None:
    page, _ = await placed(browser, server)
    for step in ("b2", "b1", "b2"):
        await is_readable(page, f"santorini-{step}", LOOKS[:4])
        await page.click(f"#t-{step}")
    await shows(page, 5)
    await is_readable(page, "santorini-5", LOOKS[:4])


async def test_the_drawing_is_chosen_and_kept(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, f"/?game={VARIANT}")
    side, above = page.locator("#pieces .side").first, page.locator("#pieces svg.above")
    await expect(side).to_be_visible()
    await expect(above).to_be_hidden()
    await page.click("text=From above")
    await expect(above).to_be_visible()
    await expect(side).to_be_hidden()
    await page.reload()
    await expect(above).to_be_visible()
    await expect(page.locator(".views [value=above]")).to_have_attribute("aria-pressed", "true")
    await page.click("#t-c3")
    await at_match(page)
    assert (await log(page))["moves"][0]["move"] == "c3"
    await page.emulate_media(media="print")
    await expect(page.locator(".views .pillrow")).to_be_hidden()  # there is nothing to choose on paper
    await expect(above).to_be_visible()


async def test_every_square_of_both_drawings_is_where_it_is_painted_however_it_is_turned(
    browser: Browser, server: Server
) -> None:
    page, other = await placed(browser, server, viewport={"width": 1280, "height": 1000})
    for top in ("", "Column a", "Row 1", "Column e"):
        if top:
            await page.keyboard.press("f")
            await expect(page.locator("#say")).to_have_text(f"The board is turned. {top} is at the top.")
        for view in ("3d", "above"):
            await page.locator(f".views [value='{view}']").click()
            await page.locator("h1").click()
            await squares_are_where_they_are_painted(page, view)
    await page.reload()
    await squares_are_where_they_are_painted(page, "above")
    # Column e is at the top: from d3 up is e3, and left is d2.
    await page.locator("#t-d3").focus()
    for key, square in (("ArrowUp", "t-e3"), ("ArrowDown", "t-d3"), ("ArrowRight", "t-d2"), ("Home", "t-d5")):
        await page.keyboard.press(key)
        assert await page.evaluate(FOCUSED) == square
    for name in ("b2", "c2", "b2"):
        await page.click(f"#t-{name}")
    await shows(page, 5)
    await other.play(6, "d4-d3+d4")
    await shows(page, 6)
    await my_turn(page)
    await squares_are_where_they_are_painted(page, "above", worker="c2")
    await page.keyboard.press("?")
    await expect(page.locator("#key-rows")).to_contain_text("Turn the board")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Turn the board").click()
    await expect(page.locator("#board")).not_to_have_attribute("data-turn", re.compile("."))
    await squares_are_where_they_are_painted(page, "above", worker="c2")


async def squares_are_where_they_are_painted(page: Page, view: str, worker: str = "b2") -> None:
    for name in ("a5", "e5", "a1", "e1", "c3"):
        hit = await page.locator(f"#t-{name}").evaluate(HIT)
        assert hit == f"t-{name}", f"{name} from {view}"
    drawing = ("w" if view == "3d" else "v") + "-01"
    apart = await page.evaluate(APART, [f"t-{worker}", drawing])
    assert apart < 60, f"worker 1 is drawn {apart} px from its square"


HIT = """square => {
  const { left, top, width, height } = square.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2).id;
}"""
APART = """ids => {
  const [a, b] = ids.map(id => document.getElementById(id).getBoundingClientRect());
  return Math.hypot(a.left + a.width / 2 - b.left - b.width / 2, a.top + a.height / 2 - b.bottom + b.height / 3);
}"""


async def test_nothing_moves_while_a_turn_is_chosen(browser: Browser, server: Server) -> None:
    """The placing and a turn of each; tests/browser/test_budget.py has whole matches."""
    page, other = await two_people(browser, server, VARIANT)
    pages = await on_every_size(page)
    before = await places(pages)
    for ply, move in enumerate(a_climb()[:6], start=1):
        if ply % 2:
            *steps, last = squares(move)
            for each in pages:
                await my_turn(each)
            for name in steps:
                for each in pages:
                    await each.click(f"#t-{name}")
                assert await places(pages) == before, f"after {name} of move {ply}"
            await pages[ply % len(pages)].click(f"#t-{last}")
        else:
            await other.play(ply, move)
        await all_show(pages, ply)
        assert await places(pages) == before, f"after move {ply}"


async def test_a_square_is_large_enough_for_a_finger(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/?game=santorini-6x6", viewport={"width": 360, "height": 740})
    size = await page.locator("#t-c3").evaluate("square => square.getBoundingClientRect().width")
    assert size >= 40


async def test_on_a_phone_on_its_side_the_board_and_what_is_said_of_an_end_are_seen_whole(
    browser: Browser, server: Server
) -> None:
    page, _ = await two_people(browser, server, VARIANT, viewport={"width": 740, "height": 360})
    board = await page.locator("#pieces svg.above").bounding_box()
    assert board is not None and board["y"] + board["height"] <= 360
    await page.set_viewport_size({"width": 640, "height": 360})
    await post(page, f"{page.url}abort/")
    said = page.locator("#status .headline p")
    await expect(said).to_contain_text("Stopped before both sides had moved.")
    assert await said.evaluate("(said) => said.scrollWidth <= said.clientWidth")
    whole = await page.locator("#status").bounding_box()
    assert whole is not None and whole["y"] + whole["height"] <= 360
    study = await a_page(browser, server, f"{page.url.removeprefix(server.address)}analysis/", locale="de-DE")
    for width, height in ((844, 390), (740, 360), (667, 375), (568, 320)):
        await study.set_viewport_size({"width": width, "height": height})
        steps, switch = await study.locator(".steps").bounding_box(), await study.locator(".views").bounding_box()
        assert steps and (switch is None or switch["y"] >= steps["y"] + steps["height"]), f"at {width}"


async def test_what_may_follow_an_end_stays_in_its_card_on_a_narrow_phone(browser: Browser, server: Server) -> None:
    phone: dict[str, Any] = {"locale": "de-DE", "viewport": {"width": 360, "height": 640}}
    page, other = await two_people(browser, server, VARIANT, moves=PLACED, **phone)
    await other.resign()
    await expect(page.locator("#status .ways .btn")).to_have_count(4)
    assert await page.locator("#status").evaluate(
        """card => [...card.querySelectorAll(".btn")].every(each =>
          each.getBoundingClientRect().right <= card.getBoundingClientRect().right)"""
    )
