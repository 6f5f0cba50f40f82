"""Expanding Nim against exact tables of others, and the rules of the protocol's text one by one."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest

import games
from games import IllegalMove, InvalidMove, Outcome
from games.expanding_nim import NimPosition

GROUND_TRUTH = Path(__file__).parents[1] / "data" / "ground_truth"
NIM = games.variant("expanding-nim")


def at(text: str) -> NimPosition:
    position = NIM.parse(text)
    assert isinstance(position, NimPosition)
    return position


def played(moves: str, stones: int = 100, resets: int | None = 4) -> NimPosition:
    position = NIM.start(stones=stones, resets=resets)
    for move in moves.split():
        position = position.play(move)
    assert isinstance(position, NimPosition)
    return position


def after(state: tuple[int, int, bool, int | None, int | None]) -> list[tuple[int, int, bool, int | None, int | None]]:
    """The states behind each legal move; a state is (stones, b, c, resets of the mover, resets of the other)."""
    stones, largest, bound, mine, theirs = state
    position = NimPosition(1000, mine, stones, largest, bound, (mine, theirs), 0)
    nexts = [position.play(move) for move in position.legal_moves()]
    return [(p.stones, p.largest, p.reset_bound, p.resets[1], p.resets[0]) for p in nexts]


@cache
def wins(state: tuple[int, int, bool, int | None, int | None]) -> bool:
    """Whether the mover wins, by the rules alone."""
    return any(not wins(behind) for behind in after(state)) if state[0] else False


class TestExactTables:
    @pytest.mark.long
    @pytest.mark.parametrize(
        ("table", "resets", "most"),
        [("limit4", 4, 100), ("limit1", 1, 100), ("limit2", 2, 100), ("limit3", 3, 100), ("no_reset", 0, 100)],
    )
    def test_the_losing_starts_are_those_of_the_reference(self, table: str, resets: int, most: int) -> None:
        known = json.loads((GROUND_TRUTH / "nim_losing_starts.json").read_text())["tables"][table]
        found = [n for n in range(1, most + 1) if not wins((n, 2, False, resets, resets))]
        assert found == [n for n in known if n <= most]

    def test_without_a_limit_of_resets_the_multiples_of_four_lose(self) -> None:
        found = [n for n in range(1, 101) if not wins((n, 2, False, None, None))]
        assert found == list(range(4, 101, 4))

    def test_the_winning_moves_of_solved_states_are_those_of_the_reference(self) -> None:
        with (GROUND_TRUTH / "nim_states_exact.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if int(row["a"]) <= 60]
        assert len(rows) > 100
        for row in rows:
            mine, theirs = int(row["my_resets"]), int(row["their_resets"])
            state = (int(row["a"]), int(row["b"]), row["c"] == "1", mine, theirs)
            assert wins(state) == (row["mover_wins"] == "1"), row
            moves = NimPosition(1000, mine, *state[:3], (mine, theirs), 0).legal_moves()
            winning = [move for move, behind in zip(moves, after(state), strict=True) if not wins(behind)]
            assert {f"{move.rstrip('r')}/{int(move.endswith('r'))}" for move in winning} == set(
                row["winning_moves"].split()
            )


class TestTaking:
    def test_the_first_seat_may_take_up_to_three(self) -> None:
        assert played("").legal_moves() == ("1", "1r", "2", "2r", "3", "3r")

    def test_one_more_than_the_largest_take_of_either_may_be_taken(self) -> None:
        assert played("1").most == 3
        assert played("3").most == 4
        assert played("3 4 1").most == 5

    def test_the_example_of_the_course_page_holds(self) -> None:
        position = played("1 3", stones=8)
        assert (position.stones, position.most) == (4, 4)
        assert position.play("4").outcome() == Outcome(0, "last stone")

    def test_nobody_takes_more_than_there_are(self) -> None:
        position = played("3 3", stones=8)
        assert position.legal_moves() == ("1", "1r", "2", "2r")
        with pytest.raises(IllegalMove, match="3 stones may not be taken: from 1 to 2 may, no more are left"):
            position.play("3")

    def test_who_takes_the_last_stone_wins(self) -> None:
        position = played("3 4", stones=7)
        assert position.outcome() == Outcome(1, "last stone")
        assert position.to_move is None and position.legal_moves() == ()
        with pytest.raises(IllegalMove, match="the match is over"):
            position.play("1")

    @pytest.mark.parametrize(
        ("text", "why"), [("0", "largest so far"), ("5", r"\(3\)"), ("-1", "1 to 4"), ("101", "101")]
    )
    def test_it_refuses_a_number_out_of_range(self, text: str, why: str) -> None:
        with pytest.raises(IllegalMove, match=why):
            played("3").play(text)

    @pytest.mark.parametrize(
        "text", ["", " 3", "3 ", "3\n", "+3", "03", "3.0", "3R", "r", "3rr", "3 1", "\u0663", "three"]
    )
    def test_it_refuses_what_is_not_a_move(self, text: str) -> None:
        with pytest.raises(InvalidMove, match="expected a number of stones") as refusal:
            played("").play(text)
        assert repr(text) in str(refusal.value)


class TestResets:
    def test_a_reset_binds_the_next_turn_only_and_keeps_the_largest(self) -> None:
        bound = played("3 4 5r")
        assert (bound.largest, bound.reset_bound, bound.most) == (5, True, 3)
        with pytest.raises(IllegalMove, match="from 1 to 3 may, as the other has reset"):
            bound.play("4")
        freed = bound.play("1")
        assert (freed.reset_bound, freed.most) == (False, 6)

    def test_a_reset_may_be_answered_by_a_reset(self) -> None:
        position = played("3r 3r")
        assert position.reset_bound and position.resets == (3, 3) and position.largest == 3

    def test_each_seat_has_as_many_resets_as_the_setting_says(self) -> None:
        spent = played("1r 1 1r 1", resets=2)
        assert spent.resets == (0, 2)
        assert spent.legal_moves() == ("1", "2", "3")
        with pytest.raises(IllegalMove, match="no reset is left: each seat has 2; take 1 without a reset"):
            spent.play("1r")
        assert spent.play("1").legal_moves()[:2] == ("1", "1r")

    def test_unlimited_resets_never_run_out(self) -> None:
        position = played(" ".join(["1r"] * 40), resets=None)
        assert position.resets == (None, None) and "1r" in position.legal_moves()

    def test_the_last_stone_may_be_taken_with_a_reset_that_is_available(self) -> None:
        assert played("3r", stones=3).outcome() == Outcome(0, "last stone")
        with pytest.raises(IllegalMove, match="no reset is left"):
            played("", stones=3, resets=0).play("3r")


class TestValue:
    def test_its_text_tells_all_that_counts(self) -> None:
        assert str(played("3 4 5r 1")) == "100 4/4 87 b5 c0 s0 3/4 p4"
        assert str(played("2r", stones=9, resets=None)) == "9 -/- 7 b2 c1 s1 -/- p1"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "100",
            "100 4/4 31 b7 c0 s1 2/4",
            "100 4/4 101 b2 c0 s1 4/4 p1",
            "100 4/4 100 b2 c0 s1 4/4 p1",
            "100 4/4 99 b2 c0 s0 4/4 p1",
            "100 4/4 99 b7 c0 s1 4/4 p1",
            "100 4/4 99 b1 c0 s1 4/4 p1",
            "100 4/4 97 b3 c0 s1 5/4 p1",
            "100 4/4 97 b3 c0 s1 -/4 p1",
            "100 -/- 97 b3 c0 s1 4/- p1",
            "100 4/3 97 b3 c0 s1 4/4 p1",
            "0 4/4 0 b2 c0 s0 4/4 p0",
            "1001 4/4 1001 b2 c0 s0 4/4 p0",
            "0100 4/4 97 b3 c0 s1 4/4 p1",
        ],
    )
    def test_it_refuses_a_text_that_is_no_position(self, text: str) -> None:
        with pytest.raises(ValueError, match="received"):
            NIM.parse(text)

    def test_a_position_in_the_middle_can_be_read(self) -> None:
        position = at("100 4/4 31 b7 c0 s1 2/4 p15")
        assert (position.start, position.resets_each, position.stones, position.largest) == (100, 4, 31, 7)
        assert (position.to_move, position.resets, position.ply) == (1, (2, 4), 15)

    def test_nobody_can_change_a_position(self) -> None:
        with pytest.raises(AttributeError):
            played("").stones = 3  # type: ignore[misc]

    @pytest.mark.parametrize(
        ("name", "value"), [("stones", 0), ("stones", 1001), ("stones", "9"), ("resets", 10), ("resets", -1)]
    )
    def test_it_refuses_settings_out_of_bounds(self, name: str, value: object) -> None:
        with pytest.raises(ValueError, match=f"{name}=.*: expected int from"):
            NIM.start(**{name: value})

    def test_the_default_is_the_course_rule(self) -> None:
        assert str(NIM.start()) == "100 4/4 100 b2 c0 s0 4/4 p0"

    def test_choosing_a_stone_takes_it_and_all_after_it(self) -> None:
        board = played("", stones=23).board()
        assert [len(row) for row in board.rows] == [10, 10, 3]
        assert [cell.id for cell in board.rows[2]] == ["3", "2", "1"]
        assert board.rows[2][0].text == "●"
        assert board.choices["3"] == ("3",) and board.choices["3r"] == ("3", "reset")
