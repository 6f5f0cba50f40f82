"""Connect Four against figures of others: perft, distinct positions, whole games, and the rules' corner cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import games
from games import IllegalMove, InvalidMove, Outcome, Position
from games.connect_four import ConnectFourPosition, variant

DATA = Path(__file__).parents[1] / "data"
WIDE = games.variant("connect-four-7x6")
SQUARE = games.variant("connect-four-8x8")
SIZES = ("6x7", "8x8")


def played(moves: str, start: Position | None = None) -> Position:
    position = start or WIDE.start()
    for move in moves:
        position = position.play(move)
    return position


def wide(*rows: str) -> Position:
    """A 7x6 position from its lowest rows, the upper one first."""
    return WIDE.parse("7x6 " + "".join(rows).rjust(42, "."))


def of_wire(columns: list[int]) -> str:
    return "".join(str(column + 1) for column in columns)


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "ground_truth" / name).read_text().splitlines()]


def perft(position: Position, depth: int) -> int:
    """How many games of `depth` moves there are; the last ply is counted, not played."""
    if depth == 1:
        return len(position.legal_moves())
    return sum(perft(position.play(move), depth - 1) for move in position.legal_moves())


def layers(start: Position, depth: int) -> list[set[Position]]:
    """The distinct positions of each ply."""
    found = [{start}]
    for _ in range(depth):
        found.append({position.play(move) for position in found[-1] for move in position.legal_moves()})
    return found


class TestCounts:
    @pytest.mark.long
    def test_7x6_has_the_known_number_of_games_of_every_length(self) -> None:
        known = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]
        assert [perft(WIDE.start(), depth) for depth in range(1, 9)] == known

    @pytest.mark.long
    def test_8x8_has_the_known_number_of_games_of_every_length(self) -> None:
        assert [perft(SQUARE.start(), depth) for depth in range(1, 7)] == [8**depth for depth in range(1, 7)]
        # The board is its own mirror image: half of the first moves, counted twice, are all of them.
        for depth, games_of_it in ((7, 8**7), (8, 16_553_664)):
            assert 2 * sum(perft(played(move, SQUARE.start()), depth - 1) for move in "1234") == games_of_it

    @pytest.mark.long
    def test_7x6_has_the_known_number_of_distinct_and_of_finished_positions(self) -> None:
        found = layers(WIDE.start(), 8)
        assert [len(layer) for layer in found] == [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275]
        finished = [sum(position.outcome() is not None for position in layer) for layer in found]
        assert finished == [0, 0, 0, 0, 0, 0, 0, 728, 1_892]

    @pytest.mark.long
    @pytest.mark.parametrize(("columns", "rows", "known"), [(2, 8, 13_343), (4, 4, 161_029)])
    def test_other_sizes_have_the_known_number_of_positions(self, columns: int, rows: int, known: int) -> None:
        assert sum(map(len, layers(variant(columns, rows).start(), columns * rows))) == known


class TestWholeGames:
    @pytest.mark.parametrize("size", SIZES)
    def test_legal_moves_boards_winners_and_lines_are_those_of_open_spiel(self, size: str) -> None:
        for game in records(f"c4_{size}_random_games.jsonl"):
            position = variant(game["cols"], game["rows"]).start()
            for column, legal in zip(of_wire(game["moves"]), game["legal"], strict=True):
                assert "".join(position.legal_moves()) == "".join(str(int(digit) + 1) for digit in legal)
                assert position.outcome() is None
                position = position.play(column)
            assert str(position).split()[1] == "".join(game["final"])
            outcome = position.outcome()
            assert outcome is not None and outcome.winner == game["winner"]
            line = {f"{chr(97 + column)}{game['rows'] - row}" for row, column in game["line"]}
            assert set(position.board().marks) == line

    @pytest.mark.parametrize("size", SIZES)
    def test_a_win_with_the_very_last_stone_is_a_win(self, size: str) -> None:
        for game in records(f"c4_{size}_win_on_last_cell.jsonl"):
            position = played(of_wire(game["moves"]), variant(game["cols"], game["rows"]).start())
            assert position.ply == game["rows"] * game["cols"]
            assert position.outcome() == Outcome(game["winner"], "four in a row")

    def test_the_sample_game_of_the_gamestate_protocol_is_replayed_board_by_board(self) -> None:
        columns, *boards = (DATA / "gamestate_sample_game.txt").read_text().split()
        position = SQUARE.start()
        # The winning move has no board: the protocol sends OUTCOME instead.
        for column, board in zip(columns, boards, strict=False):
            position = played(of_wire([int(column)]), position)
            assert str(position).split()[1].translate(str.maketrans(".xo", "-XO")) == board
            assert position.outcome() is None
        position = played(of_wire([int(columns[-1])]), position)
        assert position.outcome() == Outcome(0, "four in a row")
        assert set(position.board().marks) == {"a1", "b2", "c3", "d4"}

    def test_in_the_example_board_of_that_protocol_column_4_wins_for_either_seat(self) -> None:
        board = "-------X-X-----X-X-X---X-O-O---OXX-O---XXO-O--OXOXXX-OOOOOXOOOXX"
        position = SQUARE.parse("8x8 " + board.translate(str.maketrans("-XO", ".xo")))
        assert position.to_move == 1
        assert position.play("5").outcome() == Outcome(1, "four in a row")
        other = position.play("1")
        assert other.play("5").outcome() == Outcome(0, "four in a row")

    def test_a_full_board_without_a_line_is_a_draw(self) -> None:
        position = WIDE.parse("7x6 xooxxox" + "xoxooxo" + "ooxxoox" + "oxooxxo" + "xoxxoox" + "ooxoxxx")
        assert position.outcome() == Outcome(None, "board full")
        assert position.to_move is None and position.legal_moves() == () and position.board().marks == ()


class TestRules:
    def test_the_first_seat_begins_and_seats_alternate(self) -> None:
        assert [played("4453"[:n]).to_move for n in range(5)] == [0, 1, 0, 1, 0]

    @pytest.mark.parametrize(
        ("rows", "move", "marks"),
        [
            (["ooo....", "xxx...."], "4", "a1 b1 c1 d1"),
            (["xo.....", "xo.....", "xo....."], "1", "a1 a2 a3 a4"),
            (["..xo...", ".xox...", "xoox..o"], "4", "a1 b2 c3 d4"),
            (["...ox..", "...xox.", "o..xoox"], "4", "d4 e3 f2 g1"),
            (["ooo.ooo", "xxx.xxx"], "4", "a1 b1 c1 d1 e1 f1 g1"),
            (["xxx....", "xooxo..", "xxoxo..", "oooxo.."], "4", "a4 b4 c4 d1 d2 d3 d4"),
        ],
        ids=["across", "up", "rising", "falling", "seven in a row", "two lines at once"],
    )
    def test_a_line_wins_and_all_its_cells_are_marked(self, rows: list[str], move: str, marks: str) -> None:
        before = wide(*rows)
        assert before.outcome() is None and before.board().marks == ()
        after = before.play(move)
        assert after.outcome() == Outcome(0, "four in a row")
        assert after.to_move is None and after.legal_moves() == ()
        assert sorted(after.board().marks) == marks.split()

    def test_three_at_the_top_of_a_column_and_one_in_the_next_are_not_four(self) -> None:
        after = wide(*["x......"] * 3, *["o......"] * 3).play("2")
        assert after.outcome() is None

    def test_a_full_column_is_no_longer_legal(self) -> None:
        position = played("444444")
        assert position.legal_moves() == ("1", "2", "3", "5", "6", "7")
        with pytest.raises(IllegalMove, match="column 4 is full; open columns: 1, 2, 3, 5, 6, 7"):
            position.play("4")

    @pytest.mark.parametrize("text", ["0", "8", "-1", "101", "9999999999"])
    def test_it_refuses_a_column_outside_of_the_board(self, text: str) -> None:
        with pytest.raises(IllegalMove, match=f"there is no column {text}; columns are 1 to 7"):
            WIDE.start().play(text)

    @pytest.mark.parametrize("text", ["", " 4", "4 ", "4\n", "+4", "04", "4.0", "\u0664", "d", "4x", "-", "1" * 11])
    def test_it_refuses_what_is_not_a_column_and_says_what_it_received(self, text: str) -> None:
        with pytest.raises(InvalidMove, match="expected a column from 1 to 7") as refusal:
            WIDE.start().play(text)
        assert repr(text) in str(refusal.value)

    def test_it_refuses_a_move_after_the_end(self) -> None:
        with pytest.raises(IllegalMove, match=r"the match is over \(four in a row\)"):
            played("45454544")

    def test_an_overlong_text_is_not_repeated_whole(self) -> None:
        with pytest.raises(InvalidMove) as refusal:
            WIDE.start().play("x" * 1_000_000)
        assert len(str(refusal.value)) < 200


class TestValue:
    def test_the_bitboards_have_a_spare_bit_above_each_column(self) -> None:
        position = played("4411")
        assert isinstance(position, ConnectFourPosition)
        assert position.stones == (1 << 21 | 1, 1 << 22 | 2)
        assert (position.columns, position.rows) == (7, 6)

    def test_the_same_stones_in_another_order_are_the_same_position(self) -> None:
        assert played("12") != played("21")
        assert played("1234") == played("3214")
        assert hash(played("1234")) == hash(played("3214"))
        assert WIDE.start() != SQUARE.start()

    def test_nobody_can_change_a_position(self) -> None:
        position = WIDE.start()
        for name in ("ply", "stones", "columns", "to_move", "anything"):
            with pytest.raises(AttributeError):
                setattr(position, name, 3)

    def test_its_text_is_the_size_and_the_cells_from_the_top_left(self) -> None:
        assert str(played("445")) == "7x6 " + "." * 31 + "o" + "." * 6 + "xx" + ".."

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "7x6",
            "7x6 " + "." * 41,
            "6x7 " + "." * 42,
            "8x8 " + "." * 64,
            "7x6 " + "." * 41 + "z",
            "7x6 " + "." * 41 + "o",
            "7x6 x" + "." * 41,
            "7x6 " + "oooo...xxxx...".rjust(42, "."),
        ],
    )
    def test_it_refuses_a_text_that_is_no_position(self, text: str) -> None:
        with pytest.raises(ValueError, match="received"):
            WIDE.parse(text)

    def test_the_board_names_cells_like_a_map_and_columns_are_the_choices(self) -> None:
        board = played("44").board()
        assert [len(row) for row in board.rows] == [7] * 6
        assert board.rows[0][0].id == "a6" and board.rows[5][6].id == "g1"
        stone, reply, empty = board.rows[5][3], board.rows[4][3], board.rows[3][3]
        assert (stone.id, stone.seat, stone.label) == ("d1", 0, "d1, first")
        assert (reply.id, reply.seat, reply.label) == ("d2", 1, "d2, second")
        assert (empty.seat, empty.label, empty.text) == (None, "d3, empty", "")
        assert board.choices["4"] == ("4",)
