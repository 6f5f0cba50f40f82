"""Santorini against figures of others: perft, whole games, and the rules one by one."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import games
from games import IllegalMove, InvalidMove, Outcome, Position
from games.santorini import SantoriniPosition

GROUND_TRUTH = Path(__file__).parents[1] / "data" / "ground_truth"
SMALL = games.variant("santorini-5x5")
LARGE = games.variant("santorini-6x6")
# The wire's and the reference's cells: row by row from the north-west.
NAMES = [f"{file}{rank}" for rank in "54321" for file in "abcde"]


def small(heights: str, rest: str) -> Position:
    """A 5x5 position: rows of heights from the north, then `SEAT A1.C3 B2.D4`."""
    return SMALL.parse(f"5x5 {heights.replace(' ', '')} {rest}")


def placed(first: tuple[int, int], second: tuple[int, int]) -> Position:
    position = SMALL.start()
    for cell in (first[0], second[0], first[1], second[1]):
        position = position.play(NAMES[cell])
    return position


def perft(position: Position, depth: int) -> int:
    """How many sequences of `depth` turns there are; the last one is counted, not played. None is won that early."""
    if depth == 1:
        return len(position.legal_moves())
    return sum(perft(position.play(move), depth - 1) for move in position.legal_moves())


class TestCounts:
    @pytest.mark.long
    @pytest.mark.parametrize(
        ("first", "second", "known"),
        [
            ((0, 1), (3, 4), [33, 996, 43_355, 1_814_402]),
            ((0, 1), (23, 24), [35, 1_225, 63_408]),
        ],
    )
    def test_5x5_has_the_known_number_of_sequences(
        self, first: tuple[int, int], second: tuple[int, int], known: list[int]
    ) -> None:
        start = placed(first, second)
        assert [perft(start, depth) for depth in range(1, len(known) + 1)] == known

    @pytest.mark.long
    def test_5x5_has_the_known_number_of_placings_and_first_turns(self) -> None:
        """Pairs are counted without order, as in the reference: 300, then 75,900, and 4,313,232 first turns."""
        pairs = list(combinations(range(25), 2))
        placings = [(first, second) for first in pairs for second in pairs if not {*first} & {*second}]
        assert (len(pairs), len(placings)) == (300, 75_900)
        assert sum(len(placed(*placing).legal_moves()) for placing in placings) == 4_313_232

    @pytest.mark.parametrize(("variant", "squares"), [(SMALL, 25), (LARGE, 36)])
    def test_single_placings_leave_one_square_less_each(self, variant: games.Variant, squares: int) -> None:
        position = variant.start()
        for count in range(squares, squares - 4, -1):
            assert len(position.legal_moves()) == count
            position = position.play(position.legal_moves()[0])


class TestWholeGames:
    @pytest.mark.parametrize("size", [5, 6])
    def test_legal_turns_heights_and_endings_are_those_of_the_reference(self, size: int) -> None:
        for game in map(json.loads, (GROUND_TRUTH / f"santorini_{size}x{size}_games.jsonl").read_text().splitlines()):
            position = games.variant(f"santorini-{size}x{size}").start()
            for x, y in game["places"]:
                position = position.play(square(size, x, y))
            for turn, count in zip(game["turns"], game["legal_counts"], strict=True):
                assert len(position.legal_moves()) == count
                position = position.play(text_of(position, size, turn))
            assert str(position).split()[1] == "".join(str(height) for row in game["heights"] for height in row)
            reason = {"height": "reached height 3", "boxed": "no legal turn"}[game["how"]]
            assert position.outcome() == Outcome(game["winner"], reason)


def square(size: int, x: int, y: int) -> str:
    return f"{chr(97 + x)}{size - y}"


def text_of(position: Position, size: int, turn: list[Any]) -> str:
    """Our text of the reference's turn: worker, step and build as [dx, dy], dy to the south."""
    assert isinstance(position, SantoriniPosition)
    worker, (step_x, step_y), build = turn
    y, x = divmod(position.workers[position.ply % 2 + 2 * (worker - 1)], size)
    text = f"{square(size, x, y)}-{square(size, x + step_x, y + step_y)}"
    return text if build is None else f"{text}+{square(size, x + step_x + build[0], y + step_y + build[1])}"


FLAT = "00000 00000 00000 00000 00000"
# b2 is 2 high with a worker, its neighbours are c3 (3 high), c2 (4, a dome), a1 (1) and flat ground.
HIGH = "00000 00000 00300 02400 10000"


class TestPlacing:
    def test_seats_place_one_worker_each_in_turn_and_then_seat_0_moves(self) -> None:
        position = SMALL.start()
        for ply, name in enumerate(["a1", "b2", "c3", "d4"]):
            assert (position.ply, position.to_move) == (ply, ply % 2)
            position = position.play(name)
        assert (position.ply, position.to_move) == (4, 0)
        assert str(position) == "5x5 " + "0" * 25 + " 0 A1.C3 B2.D4"
        assert position.legal_moves()[0] == "a1-a2+a3"

    def test_it_refuses_a_taken_square(self) -> None:
        with pytest.raises(IllegalMove, match="a1 is taken"):
            SMALL.start().play("a1").play("a1")

    @pytest.mark.parametrize("name", ["f1", "a6", "z99"])
    def test_it_refuses_a_square_outside_of_the_board(self, name: str) -> None:
        with pytest.raises(IllegalMove, match=f"there is no square {name}; squares are a1 to e5"):
            SMALL.start().play(name)

    def test_it_refuses_a_turn_before_the_workers_are_placed(self) -> None:
        with pytest.raises(IllegalMove, match="the workers are placed first"):
            SMALL.start().play("b2-c1+d2")

    def test_it_refuses_to_place_a_fifth_worker(self) -> None:
        with pytest.raises(IllegalMove, match="but all are placed"):
            placed((0, 1), (3, 4)).play("c3")


class TestTurns:
    def test_a_turn_moves_the_worker_and_adds_a_level(self) -> None:
        position = small(FLAT, "0 B2.E1 D4.E5").play("b2-c3+b2")
        assert str(position) == "5x5 " + "0" * 16 + "1" + "0" * 8 + " 1 C3.E1 D4.E5"
        assert (position.ply, position.to_move) == (5, 1)

    def test_a_worker_keeps_its_number(self) -> None:
        position = small(FLAT, "0 B2.E1 D4.E5").play("e1-e2+e1")
        assert str(position).endswith("1 B2.E2 D4.E5")

    @pytest.mark.parametrize(
        ("move", "why"),
        [
            ("a5-a4+a5", "no worker of yours stands on a5: yours are on b2 and e1"),
            ("d4-d3+d4", "no worker of yours stands on d4"),
            ("b2-b4+b5", "b4 is not next to b2"),
            ("b2-b2+b3", "b2 is not next to b2"),
            ("b2-f1+d2", "there is no square f1"),
            ("b2-c2+c1", "c2 has a dome"),
            ("e1-d1+d1", "d1 is not next to d1"),
            ("e1-d1+b1", "b1 is not next to d1"),
            ("e1-d1+c2", "c2 has a dome: nothing is built on it"),
            ("e1-d1", "does not win, so it needs a build, such as e1-d1+e1"),
            ("b2-c3+b2", "the step to c3 reaches height 3 and wins: there is no build, play b2-c3"),
            ("e1-e2+d3", "d3 is taken by a worker: build on a free square"),
            ("e1-d2+d3", "d3 is taken by a worker: build on a free square"),
        ],
    )
    def test_it_refuses_a_turn_against_the_rules_and_says_which(self, move: str, why: str) -> None:
        position = small(HIGH, "0 B2.E1 D4.D3")
        with pytest.raises(IllegalMove) as refusal:
            position.play(move)
        assert why in str(refusal.value)

    def test_it_refuses_a_step_onto_a_worker(self) -> None:
        with pytest.raises(IllegalMove, match="b3 is taken by a worker: step to a free square"):
            small(HIGH, "0 B2.E1 B3.D3").play("b2-b3+a3")

    def test_a_step_climbs_one_level_at_most_and_drops_any(self) -> None:
        position = small("00000 00000 00000 02200 00000", "0 B2.A1 D4.D3")
        dropped = position.play("b2-b1+a2")
        assert dropped.to_move == 1
        with pytest.raises(IllegalMove, match="c2 is 2 high, d3 0: a step climbs one level at most"):
            dropped.play("d3-c2+c1")

    def test_the_square_just_left_may_be_built_on(self) -> None:
        assert "b2-b3+b2" in small(FLAT, "0 B2.E1 D4.E5").legal_moves()

    def test_a_dome_may_be_built_before_a_worker_that_is_about_to_step_up(self) -> None:
        position = small("00000 00000 00300 02000 10000", "0 E3.E1 B2.A5")
        threatened = position.play("e1-e2+e1")
        assert "b2-c3" in threatened.legal_moves()
        capped = position.play("e3-d3+c3")
        assert "b2-c3" not in capped.legal_moves()
        assert str(capped).split()[1][12] == "4"


class TestEndings:
    def test_stepping_up_to_height_3_wins_without_a_build(self) -> None:
        position = small(HIGH, "0 B2.E1 D4.D3")
        assert [move for move in position.legal_moves() if move.startswith("b2-c3")] == ["b2-c3"]
        won = position.play("b2-c3")
        assert won.outcome() == Outcome(0, "reached height 3")
        assert (won.ply, won.to_move, won.legal_moves()) == (position.ply + 1, None, ())
        with pytest.raises(IllegalMove, match=r"the match is over \(reached height 3\)"):
            won.play("d4-d5+d4")

    def test_the_won_position_survives_its_text(self) -> None:
        won = small(HIGH, "0 B2.E1 D4.D3").play("b2-c3")
        assert SMALL.parse(str(won)) == won
        assert SMALL.parse(str(won)).outcome() == Outcome(0, "reached height 3")

    def test_who_has_no_legal_turn_loses(self) -> None:
        # Seat 1 stands on a5 and b5, walled in by two levels but for c5, which the turn makes two high as well.
        before = small("00100 22200 00000 00000 00001", "0 D4.E2 A5.B5")
        assert before.outcome() is None
        assert before.play("d4-d5+d4").outcome() is None
        after = before.play("d4-d5+c5")
        assert after.outcome() == Outcome(0, "no legal turn")
        assert after.to_move is None and after.legal_moves() == ()
        with pytest.raises(IllegalMove, match=r"the match is over \(no legal turn\)"):
            after.play("a5-a4+a5")


class TestValue:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            " c3",
            "c3 ",
            "c3\n",
            "C3",
            "3c",
            "c0",
            "c03",
            "b2-c1+",
            "b2-c1-d2",
            "b2c1d2",
            "b2-c1+d2+e3",
            "\u06633",
            "PUT",
        ],
    )
    def test_it_refuses_what_is_not_a_move(self, text: str) -> None:
        for position in (SMALL.start(), placed((0, 1), (3, 4))):
            with pytest.raises(InvalidMove, match="expected 'c3' to place") as refusal:
                position.play(text)
            assert repr(text) in str(refusal.value)

    def test_the_text_tells_who_has_placed_what(self) -> None:
        texts = [str(SMALL.start())]
        position = SMALL.start()
        for name in ("a1", "b2", "c3"):
            position = position.play(name)
            texts.append(str(position))
        ground = "5x5 " + "0" * 25
        assert texts == [f"{ground} 0 - -", f"{ground} 1 A1 -", f"{ground} 0 A1 B2", f"{ground} 1 A1.C3 B2"]

    @pytest.mark.parametrize(
        ("heights", "rest"),
        [
            (FLAT, ""),
            (FLAT, "1 - -"),
            (FLAT, "0 - B2"),
            (FLAT, "0 A1 B2.C3"),
            (FLAT, "0 A1.C3 A1.D4"),
            (FLAT, "0 A1.F3 B2.D4"),
            (FLAT, "0 a1.c3 b2.d4"),
            (FLAT, "1 A1.C3 B2.D4"),
            ("00000 00000 00000 00000 10000", "1 - -"),
            ("00000 00000 00000 00000 50000", "1 A1.C3 B2.D4"),
            ("00000 00000 00000 00000 40000", "0 A1.C3 B2.D4"),
            ("00000 00000 00000 03000 30000", "0 A1.C3 B2.D4"),
            ("00000 00000 00000 00000 31000", "0 B2.D4 A1.C3"),
            ("00000 00000 00000 00000 0000", "0 A1.C3 B2.D4"),
        ],
    )
    def test_it_refuses_a_text_that_is_no_position(self, heights: str, rest: str) -> None:
        with pytest.raises(ValueError, match="received"):
            small(heights, rest)

    def test_nobody_can_change_a_position(self) -> None:
        with pytest.raises(AttributeError):
            SMALL.start().ply = 3  # type: ignore[misc]

    def test_the_board_shows_heights_workers_and_paths(self) -> None:
        board = small(HIGH, "0 B2.E1 D4.D3").board()
        assert [len(row) for row in board.rows] == [5] * 5
        worker, top, other = board.rows[3][1], board.rows[2][2], board.rows[2][3]
        assert (worker.id, worker.seat, worker.text, worker.level) == ("b2", 0, "1", 2)
        assert worker.label == "b2, height 2, worker 1 of first"
        assert (top.id, top.seat, top.level, top.label) == ("c3", None, 3, "c3, height 3")
        assert (other.id, other.seat, other.text) == ("d3", 1, "2")
        assert board.choices["b2-c3"] == ("b2", "c3")
        assert board.choices["b2-b3+b2"] == ("b2", "b3", "b2")
        assert SMALL.start().board().choices["c3"] == ("c3",)
