"""One screen per game: everything that a turn or an end needs is in view on phones, tablets and desks.

Each match is played on one page that is laid out for one screen after the other: sizes are in the style sheets alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

import games
from tests.browser.boards import post, two_people
from tests.browser.layout import overflow, resized
from tests.browser.rows import PASSWORD
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, led_to
from tests.kit.server import Server

PHONES = ((360, 640), (390, 664), (430, 932), (844, 390))
# The first of them on its side.
LOWEST = (640, 360)
DESKS = ((768, 1024), (1280, 800), (1366, 768), (1920, 1080))
# What of these is not wholly between the bars of the page, and what of the controls is too small for a finger.
OUTSIDE = """(selectors) => {
  const shown = (element) => element?.checkVisibility() && getComputedStyle(element);
  const [head, below] = [document.querySelector(".site-head"), document.querySelector(".tabbar")];
  const top = shown(head)?.position === "sticky" ? head.getBoundingClientRect().bottom : 0;
  const bottom = shown(below) ? below.getBoundingClientRect().top : innerHeight;
  scrollTo(0, 0);
  return selectors.flatMap((selector) => {
    const found = [...document.querySelectorAll(selector)].filter(shown);
    if (!found.length) return [`${selector} is not shown`];
    return found.map((each) => each.getBoundingClientRect())
      .filter((box) => box.top < top - 1 || box.bottom > bottom + 1 || box.left < 0 || box.right > innerWidth + 1)
      .map((box) => `${selector}: ${JSON.stringify(box)}, between ${top} and ${bottom}`);
  });
}"""
SMALL = """() => [...document.querySelectorAll("#controls button, .takes label, .ways .btn, .views button")]
  .filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect())
  .filter((box) => box.width < 39.5 || box.height < 39.5).map((box) => `${box.width} x ${box.height}`)"""
TURN = ("#pieces", "#p-far", "#p-near", "#p-near .clock")
CONTROLS = {"connect-four": ".cols button", "expanding-nim": "#take", "santorini": ".steps"}
# Of Connect Four: whether all that is said at the end lies in the lane above the board, from which stones fall.
ON_EACH_OTHER = """() => {
  const [words, near] = ["#status", "#p-near"].map(each => document.querySelector(each).getBoundingClientRect());
  return words.right > near.left && words.left < near.right && words.bottom > near.top && words.top < near.bottom;
}"""
# What of the confetti lies over words, when all of it has come to rest.
CHEERED = """() => {
  document.getAnimations().forEach(each => each.finish());
  const clip = getComputedStyle(document.querySelector(".cheer")).clipPath === "none" ? 0 : 8;
  const marks = [...document.querySelectorAll(".cheer g g")].slice(clip);
  if (!marks.length) return ["no confetti"];
  const words = [...document.querySelectorAll(".headline :is(h2, p, summary)")].flatMap(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const { left, right } = each.getBoundingClientRect();
    return [...range.getClientRects()].map(({ x, y, width, height }) =>
      ({ left: Math.max(x, left), right: Math.min(x + width, right), top: y + height * .15, bottom: y + height * .9 }));
  });
  return marks.map(mark => mark.getBoundingClientRect()).filter(mark => words.some(word =>
    mark.left < word.right && mark.right > word.left && mark.top < word.bottom && mark.bottom > word.top))
    .map(({ x, y }) => [x, y]);
}"""
IN_LANE = """() => {
  const stage = document.querySelector(".stage svg"), picture = stage.getBoundingClientRect();
  const lane = picture.width * 96 / stage.viewBox.baseVal.width;
  const lines = [...document.querySelectorAll(".headline > :is(h2, p)")];
  const isWhole = (line) => line.clientHeight >= parseFloat(getComputedStyle(line).lineHeight) - 1;
  return lines.length === 2 && lines.every((line) =>
    isWhole(line) && line.getBoundingClientRect().bottom <= picture.top + lane + 1);
}"""
# Whether the line of the turn lies over the clock of its reader.
COVERED = """() => {
  const [line, clock] = ["#status", "#p-near .clock"].map((each) =>
    document.querySelector(each).getBoundingClientRect());
  return line.right > clock.left && line.left < clock.right && line.bottom > clock.top && line.top < clock.bottom;
}"""
# Buttons whose words are wider than they are.
CUT = """() => [...document.querySelectorAll(".ways .btn")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"""
# How high each button stands whose words are seen: all of their letters, and of no other size than their line.
NAMED = """() => [...document.querySelectorAll(".ways > .row > .btn")].filter((each) => {
  const words = document.createRange(), box = each.getBoundingClientRect();
  words.selectNodeContents(each.querySelector("span") ?? each.lastChild);
  return [...words.getClientRects()].every(({ left, right, top, bottom, width }) =>
    width > 20 && left >= box.left && right <= box.right && top >= box.top - 1 && bottom <= box.bottom + 1);
}).map((each) => Math.round(each.getBoundingClientRect().top))"""
# Whether each control that moves is hit where it stands: nothing lies over it.
UNCOVERED = """() => [...document.querySelectorAll(
    "#take, .steps button, .takes label, .at-play :is(nav a, .opponent label, .opponent .btn)")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().top < innerHeight).every((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    const hits = [0.1, 0.5, 0.9].map((part) => document.elementFromPoint(left + width / 2, top + height * part));
    return hits.every((hit) => each.contains(hit) || hit?.contains(each));
  })"""
# What of these does not stand at the right of the board.
NOT_BESIDE = """(selectors) => {
  const { right } = document.querySelector("#pieces").getBoundingClientRect();
  return selectors.filter((each) => document.querySelector(each).getBoundingClientRect().left < right);
}"""
END = ("#pieces", "#p-far", "#p-near", ".headline h2", ".reason", "[form=rematch]", ".ways .btn")


def a_win(variant: str) -> list[str]:
    """The moves of the shortest of some random matches that the first player wins."""
    found = [moves for seed in range(40) if (moves := _playout(variant, seed))]
    return min(found, key=len)


def _playout(variant: str, seed: int) -> list[str]:
    rng, position, moves = random.Random(seed), games.variant(variant).start(), list[str]()
    while position.to_move is not None:
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
    outcome = position.outcome()
    return moves if outcome is not None and outcome.winner == 0 else []


def all_that_may_be_taken() -> list[str]:
    """Nim until its panel is largest: a dozen buttons, then the last stone."""
    position, moves = games.variant("expanding-nim").start(), list[str]()
    while position.to_move is not None:
        moves.append(max((move for move in position.legal_moves() if move.isdecimal()), key=int))
        position = position.play(moves[-1])
    return moves


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "variant", ["connect-four-7x6", "expanding-nim", "santorini-6x6", "connect-four-8x8", "santorini-5x5"]
)
async def test_a_turn_and_an_end_are_on_one_screen(browser: Browser, server: Server, variant: str) -> None:
    moves = all_that_may_be_taken() if variant == "expanding-nim" else a_win(variant)
    screens = PHONES if variant in ("connect-four-8x8", "santorini-5x5") else (*PHONES, *DESKS)
    # The player in the browser makes the last move.
    first = len(moves) % 2 == 1
    page, _ = await two_people(browser, server, variant, first=first, clock="5m", moves=moves[:-1])
    control = CONTROLS[games.variant(variant).game]
    turn = await _seen(page, screens, (*TURN, control))
    await post(page, f"{page.url}move/", ply=len(moves), move=moves[-1])
    await expect(page.locator(".headline.won h2")).to_have_text("You won", timeout=DEADLINE_MS)
    # Nothing moves when a match ends: the picture and the players stay where they were.
    assert await _seen(page, screens, END) == turn
    await _is_named_and_cheered(page, screens, variant)
    await _is_looked_back_at(page, screens, turn)
    await _keeps_the_name(page)
    await _seen(page, screens, END)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("variant", "moves"),
    [("connect-four-7x6", "44"), ("expanding-nim", "33"), ("santorini-6x6", ("c3", "c1", "d4", "e3"))],
)
async def test_an_offer_and_its_answer_are_on_the_screen_and_leave_the_clock_in_view(
    browser: Browser, server: Server, variant: str, moves: Sequence[str]
) -> None:
    page, other = await two_people(browser, server, variant, clock="5m", moves=moves)
    for width, height in (*PHONES, LOWEST):
        await resized(page, width, height)
        assert await page.evaluate(OUTSIDE, [*TURN, CONTROLS[games.variant(variant).game]]) == [], f"{width} x {height}"
        assert await page.evaluate(UNCOVERED), f"{width} x {height}"
    await other.offer(offer="draw", ply=str(len(moves)))
    await expect(page.locator(".wanted")).to_be_visible()
    for width, height in (*PHONES, LOWEST, *DESKS):
        await resized(page, width, height)
        assert await page.evaluate(OUTSIDE, [".wanted", ".wanted button"]) == [], f"{width} x {height}"
        if variant != "santorini-6x6" and (width, height) in DESKS[1:]:
            side = await page.locator(".match-side").bounding_box()
            assert side and height - 40 < side["y"] + side["height"] <= height, "it ends where the screen ends"
    await resized(page, *PHONES[3])
    if variant == "connect-four-7x6":
        line, offer = await page.locator("#status").bounding_box(), await page.locator(".wanted").bounding_box()
        assert line and offer and offer["y"] <= line["y"], "nothing of the line of the turn is seen above it"
    await page.locator("[name=decline]").click()
    await page.locator(".sheet .asked button[value=draw], #offer [value=draw]").first.evaluate("it => it.click()")
    asked = await page.locator("[name=withdraw]").get_attribute("value")
    await other.offer(decline=str(asked))
    await expect(page.locator("#status .told")).to_contain_text("declined a draw.")
    await resized(page, 360, 640)
    if variant == "connect-four-7x6":
        assert await page.evaluate(OUTSIDE, [".asks button"]) == []
    # On its side, what may be offered stands beside the board.
    await resized(page, *PHONES[3])
    assert await page.evaluate(OUTSIDE, [".asks button"]) == []
    for width, height in (*PHONES, *DESKS):
        await resized(page, width, height)
        seen = ["#status .told", CONTROLS[games.variant(variant).game], "#p-near .clock"]
        assert await page.evaluate(OUTSIDE, seen) == [], f"{width} x {height}"
        assert not await page.evaluate(COVERED), f"{width} x {height}"


@pytest.mark.cases(1)
@pytest.mark.parametrize("variant", ["connect-four-7x6", "connect-four-8x8", "expanding-nim", "santorini-6x6"])
async def test_what_is_said_of_a_rematch_and_every_way_on_are_on_every_screen_in_german(
    browser: Browser, server: Server, variant: str
) -> None:
    page, other = await two_people(browser, server, variant, locale="de-DE")
    await other.resign()
    await expect(page.locator(".headline.won")).to_be_attached()
    await other.rematch()
    await expect(page.locator(".wanted")).to_contain_text("möchte eine Revanche.")
    await _ways_on_are_whole(page, ".wanted .btn")
    await page.click("[form=no-rematch]")
    await expect(page.locator(".wanted")).to_have_count(0)
    await page.click("[form=rematch]")
    await expect(page.locator(".wanted")).to_contain_text("hat noch nicht geantwortet.")
    await _ways_on_are_whole(page)
    await other.rematch(answer="no")
    await expect(page.locator(".wanted")).to_contain_text("möchte keine Revanche.")
    await _ways_on_are_whole(page, "[form=rematch]")


async def _ways_on_are_whole(page: Page, *more: str) -> None:
    for width, height in (*PHONES, LOWEST, *DESKS):
        await resized(page, width, height)
        seen = [".wanted", ".ways > .row > .btn", *more]
        assert await page.evaluate(OUTSIDE, seen) == [], f"{width} x {height}"
        under = "all => all.filter((words) => words.scrollWidth > words.clientWidth).map((words) => words.textContent)"
        assert await page.locator(".wanted p").evaluate_all(under) == [], f"{width} x {height}: under a button"
        small = await page.evaluate(SMALL) if (width, height) in PHONES else []
        assert [*await page.evaluate(CUT), *await overflow(page), *small] == [], f"{width} x {height}"


async def test_a_long_question_its_answers_and_what_asks_before_a_match_is_given_up_fit_in_german(
    browser: Browser, server: Server
) -> None:
    page, other = await two_people(browser, server, "connect-four-7x6", moves="44", locale="de-DE")
    for width, height in (*PHONES, *DESKS):
        await resized(page, width, height)
        await page.locator(".actions").evaluate("it => { it.open = true; }")
        card = await page.locator(".actions .card").bounding_box()
        assert card and await overflow(page) == [], f"{width} x {height}"
        for button in await page.locator(".actions .card button:visible").all():
            box = await button.bounding_box()
            assert box and card["x"] < box["x"] and box["x"] + box["width"] < card["x"] + card["width"]
    await page.locator(".actions").evaluate("it => { it.open = false; }")
    await other.offer(offer="takeback", ply="2")
    await expect(page.locator(".wanted")).to_contain_text("bittet, einen Zug zurückzunehmen.")
    for width, height in PHONES:
        await resized(page, width, height)
        assert await page.evaluate(OUTSIDE, [".wanted", ".wanted button"]) == [], f"{width} x {height}"
        wide, room = await page.locator(".wanted p").evaluate("p => [p.scrollWidth, p.clientWidth]")
        assert wide <= room, f"{width} x {height}: its words lie under a button"


async def test_a_long_question_covers_nothing_that_says_what_a_move_does(browser: Browser, server: Server) -> None:
    page, other = await two_people(browser, server, "expanding-nim", moves=["3", "3"], locale="de-DE")
    await other.offer(offer="takeback", ply="2")
    await expect(page.locator(".wanted")).to_contain_text("bittet, einen Zug zurückzunehmen.")
    for width, height in PHONES:
        await resized(page, width, height)
        said, asked = await page.locator(".after").bounding_box(), await page.locator(".wanted").bounding_box()
        assert said and asked, f"{width} x {height}"
        assert said["y"] + said["height"] <= asked["y"] or said["x"] >= asked["x"] + asked["width"], (
            f"{width} x {height}"
        )


@pytest.mark.cases(1)
@pytest.mark.parametrize("variant", ["expanding-nim", "santorini-6x6"])
async def test_that_nobody_is_there_is_said_beside_what_moves_not_over_it(
    browser: Browser, server: Server, variant: str
) -> None:
    page, other = await two_people(browser, server, variant, locale="de-DE")
    other.leave()
    await expect(page.locator("#status")).to_contain_text("ist offline. Die Partie wartet")
    for width, height in (*PHONES, LOWEST):
        await resized(page, width, height)
        assert await page.evaluate(OUTSIDE, ["#status", CONTROLS[games.variant(variant).game]]) == []
        assert await page.evaluate(UNCOVERED), f"{width} x {height}"
    if variant == "expanding-nim":
        assert not await page.locator("#offers").is_visible(), "on its side it would lie over the panel"


async def _is_named_and_cheered(page: Page, screens: Sequence[tuple[int, int]], variant: str) -> None:
    """Each way on by words that are seen whole, in German too; upright phones have two rows of two if there is room.
    The confetti lies beside the words, which are longer in German.
    """
    in_lane = games.variant(variant).game == "connect-four"
    one_row = variant not in ("connect-four-7x6", "expanding-nim")
    await page.emulate_media(reduced_motion="no-preference")
    for language in ("de", "en"):
        await page.set_extra_http_headers({"Accept-Language": language})
        await page.reload()
        await expect(page.locator(".ways > .row > .btn")).to_have_count(4)
        for width, height in screens:
            await resized(page, width, height)
            assert await page.evaluate(CHEERED) == [], f"{width} x {height}, {language}"
            rows = await page.evaluate(NAMED)
            assert await page.evaluate(CUT) == [] and len(rows) == 4, f"{width} x {height}, {language}: {rows}"
            assert one_row or len(set(rows)) == (2 if width <= 640 else 1), f"{width} x {height}, {language}"
            assert await page.evaluate(OUTSIDE, END) == [], f"{width} x {height}, {language}"
            assert language == "de" or not in_lane or await page.evaluate(IN_LANE), f"{width} x {height}"
    await page.emulate_media(reduced_motion="reduce")
    await expect(page.locator(".cheer")).to_be_visible()  # and stands still


async def _is_looked_back_at(page: Page, screens: Sequence[tuple[int, int]], places: Sequence[Any]) -> None:
    """The words about an earlier position cover nobody, and move nobody."""
    await page.keyboard.press("ArrowLeft")
    await expect(page.locator("#status")).to_contain_text("You are looking at move")
    for (width, height), place in zip(screens, places, strict=True):
        await resized(page, width, height)
        assert await page.evaluate(PLACES) == place, f"{width} x {height}"
        assert not await page.evaluate(ON_EACH_OTHER), f"{width} x {height}"
    await page.keyboard.press("End")
    await expect(page.locator(".headline")).to_be_visible()


async def _keeps_the_name(page: Page) -> None:
    """The welcome stands over no part of the match; from here on the letters are those of the machine."""
    await page.route("**/*.woff2", lambda route: route.abort())
    await resized(page, 360, 640)
    match = page.url
    await page.click("#p-near a[href^='/signup/']")
    await page.fill("[name=password]", PASSWORD)
    await page.press("[name=password]", "Enter")
    await led_to(page, match)
    await expect(page.locator(".bar-top.success")).to_contain_text("Welcome")
    await page.locator("#live[data-status=ended]").wait_for(state="attached")


async def _seen(page: Page, screens: tuple[tuple[int, int], ...], wanted: tuple[str, ...]) -> list[Any]:
    """All of it is in view on each screen; where picture and players stand there."""
    places = []
    for width, height in screens:
        await resized(page, width, height)
        assert await page.evaluate(OUTSIDE, list(wanted)) == [], f"{width} x {height}"
        assert await overflow(page) == [], f"{width} x {height}"
        if (width, height) in PHONES:
            assert await page.evaluate(SMALL) == [], f"{width} x {height}"
        places.append(await page.evaluate(PLACES))
    return places


PLACES = """() => ["#pieces", "#p-far", "#p-near"].map((id) => {
  const { left, top, width, height } = document.querySelector(id).getBoundingClientRect();
  return [left, top, width, height].map(Math.round);
})"""
