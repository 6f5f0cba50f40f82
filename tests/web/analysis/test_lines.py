"""Which position an analysis board shows: a ply of the match and a line of one's own after it."""

from __future__ import annotations

import pytest
from django.http import Http404

from arena.core.hub import LiveMatch
from arena.match.commands import Refusal
from arena.web.analysis.lines import LONGEST_LINE, LONGEST_TEXT, after, moves_in, shown
from tests.web.played import Played


def live(moves: str = "4455") -> LiveMatch:
    match = Played(moves=moves)
    return LiveMatch("abc", match.state, match.events)


def test_a_line_begins_after_the_ply() -> None:
    looks = shown(live(), "2", "3,3")
    assert (looks.ply, looks.line, looks.moves) == (2, ("3", "3"), ("4", "4", "3", "3"))
    assert looks.position.ply == 4


def test_the_next_move_of_the_match_is_no_line() -> None:
    assert shown(live(), "2", "", "5")[2:4] == (3, ())
    assert shown(live(), "2", "", "6")[2:4] == (2, ("6",))
    assert shown(live(), "2", "6", "5")[2:4] == (2, ("6", "5"))


def test_without_a_ply_it_is_the_end_and_one_beyond_it_is_the_end() -> None:
    assert shown(live(), "", "").ply == shown(live(), "99", "").ply == 4


@pytest.mark.parametrize("ply", ["x", "-1", "1.5", "\u0661", "9" * 5000])
def test_a_ply_that_is_no_number_is_not_there(ply: str) -> None:
    with pytest.raises(Http404, match="expected its number"):
        shown(live(), ply, "")


@pytest.mark.parametrize(("line", "why"), [("9", "no column 9"), ("x", "expected a column"), ("4,4,4,4,4,4,4", "full")])
def test_a_line_that_cannot_be_played_is_refused_with_the_reason(line: str, why: str) -> None:
    with pytest.raises(Refusal, match=f"Move \\d+ cannot be played: .*{why}"):
        shown(live(), "0", line)


def test_a_line_has_a_bound() -> None:
    with pytest.raises(Refusal, match=f"expected {LONGEST_TEXT} at most"):
        moves_in("1," * LONGEST_TEXT)
    with pytest.raises(Refusal, match=f"Received a line of {LONGEST_LINE + 1} moves, expected {LONGEST_LINE} at most"):
        moves_in("1," * (LONGEST_LINE + 1))
    assert moves_in("") == ()
    assert after("expanding-nim", {"stones": 8, "resets": 0}, ["3"]).ply == 1
