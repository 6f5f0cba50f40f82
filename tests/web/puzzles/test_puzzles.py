"""The pages of puzzles: asked, hinted, answered wrongly and rightly, by guests too, and what does not count."""

from __future__ import annotations

import html

import pytest

from arena.host import Host
from arena.models import Player, Puzzle, PuzzleStanding, PuzzleTry
from arena.web.lobby import feed
from tests.kit.browsing import Person, flowing, text
from tests.kit.puzzles import ANSWER, PLY, WRONG, a_match, a_puzzle

pytestmark = pytest.mark.django_db(transaction=True)


async def test_without_puzzles_the_page_says_what_will_be_there(host: Host) -> None:
    for path in ("/puzzles/", "/puzzles/daily/"):
        page = flowing(await Person().get(path))
        assert "No puzzles yet" in page and "one a day for everybody" in page
        assert "Other games have no solver, and no puzzles." in page
    assert (await Person().get("/puzzles/7/")).status_code == 404
    assert "Daily puzzle" not in text(await Person().get("/"))


async def test_it_asks_before_it_tells(host: Host) -> None:
    puzzle = await a_puzzle(host)
    somebody = Person()
    assert (await somebody.get("/puzzles/daily/"))["Location"] == f"/puzzles/{puzzle.pk}/"
    page = flowing(await somebody.get(f"/puzzles/{puzzle.pk}/?tried={ANSWER}"))
    assert "Find the only move that keeps the win." in page
    assert "Blue to move. Every other move loses or draws." in page
    assert "A day begins at 00:00 UTC" in page, "a reader's own day begins at another time"
    assert "wins in" not in page and 'class="worths' not in page and "Source" not in page
    assert await Player.objects.filter(puzzle_standing__isnull=False).acount() == 0


async def test_a_guest_is_wrong_is_answered_and_tries_again(host: Host) -> None:
    puzzle = await a_puzzle(host)
    guest = Person()
    answer = await guest.post(f"/puzzles/{puzzle.pk}/", move=WRONG)
    assert answer["Location"] == f"/puzzles/{puzzle.pk}/?tried={WRONG}&reply=4"
    page = flowing(await guest.get(answer["Location"]))
    assert "Not this one" in page and "Column 1 loses in 15: the strongest reply is column 4." in page
    assert page.count('class="won"') == 0 and "wins in" not in page and 'class="cheer"' not in page
    answer = await guest.post(f"/puzzles/{puzzle.pk}/", move=ANSWER)
    page = flowing(await guest.get(answer["Location"]))
    assert (
        'class="cheer"' in page and "Right" in page and "Column 4 wins in 2. Every other move loses or draws." in page
    )
    assert "\N{MINUS SIGN}" in page and f"/analysis/?ply={PLY}" in page and f"Move {PLY + 1} of" in page
    tried = await PuzzleTry.objects.aget()
    assert (tried.solved, (await PuzzleStanding.objects.aget()).matches) == (False, 1), "the first answer counts"


async def test_a_hint_names_two_moves_and_the_answer_counts_as_not_solved(host: Host) -> None:
    puzzle = await a_puzzle(host)
    guest = Person()
    assert (await guest.post(f"/puzzles/{puzzle.pk}/", act="hint"))["Location"] == f"/puzzles/{puzzle.pk}/"
    assert "It is column 3 or column 4." in flowing(await guest.get(f"/puzzles/{puzzle.pk}/"))
    answer = await guest.post(f"/puzzles/{puzzle.pk}/", act="answer")
    page = flowing(await guest.get(answer["Location"]))
    assert "The answer" in page and "Column 4 wins in 2." in page
    assert (await PuzzleTry.objects.aget()).solved is False


async def test_what_is_no_answer_counts_for_nothing(host: Host) -> None:
    puzzle = await a_puzzle(host)
    for fields in ({}, {"move": "9"}, {"move": "x" * 4096}, {"act": "win"}, {"move": "4\x00"}):
        answer = await Person().post(f"/puzzles/{puzzle.pk}/", **fields)
        assert answer.status_code == 422 and "Nothing was done" in html.unescape(text(answer))
    assert not await PuzzleTry.objects.aexists()
    page = flowing(await Person().get(f"/puzzles/{puzzle.pk}/?tried=9&reply=%01&sel=zz"))
    assert "Find the only move" in page


async def test_the_next_one_is_led_to_until_there_is_none(host: Host) -> None:
    puzzle = await a_puzzle(host)
    guest = Person()
    assert "A puzzle a day" in text(await guest.get("/puzzles/"))
    assert (await guest.get("/puzzles/next/?variant=expanding-nim")).status_code == 200
    assert (await guest.get("/puzzles/next/?variant=connect-four-7x6"))["Location"] == f"/puzzles/{puzzle.pk}/"
    await guest.post(f"/puzzles/{puzzle.pk}/", move=ANSWER)
    page = flowing(await guest.get("/puzzles/next/"))
    assert "You have answered every puzzle there is." in page and "1 day in a row" in page
    assert "1 of 1 solved at the first try" in page


async def test_the_first_page_has_the_daily_puzzle(host: Host) -> None:
    puzzle = await a_puzzle(host)
    page = flowing(await Person().get("/"))
    assert f'href="/puzzles/{puzzle.pk}/"' in page and "Find the only move that keeps the win." in page


async def test_the_first_page_asks_for_the_daily_puzzle_now_and_then(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = await a_puzzle(host)
    link = f'href="/puzzles/{puzzle.pk}/"'
    assert link in text(await Person().get("/"))
    await puzzle.adelete()
    assert link in text(await Person().get("/"))
    monkeypatch.setattr(feed, "TABLE_KEPT_S", 0.0)
    assert link not in text(await Person().get("/"))


async def test_private_matches_and_mirror_images_make_none(host: Host) -> None:
    await a_match(host, private="on")
    assert not await Puzzle.objects.aexists()
    await a_match(host)
    await a_match(host)
    assert await Puzzle.objects.acount() == 1
