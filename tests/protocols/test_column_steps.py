"""The boards are what their steps promise."""

from __future__ import annotations

import pytest

import games
from arena.protocols.column_steps import (
    DRAWN,
    after,
    full_columns,
    last_cells,
    lost,
    one_column_left,
    win_in_one,
    win_on_last_cell,
)
from games import Position, Variant

VARIANTS = [games.variant(slug) for slug in DRAWN]
both = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.slug)


def wins(position: Position) -> list[str]:
    return [move for move in position.legal_moves() if won_by(position.play(move)) == position.to_move]


def won_by(position: Position) -> int | None:
    outcome = position.outcome()
    return outcome.winner if outcome else None


@both
def test_the_drawn_games_fill_the_board_without_a_line(variant: Variant) -> None:
    for game in DRAWN[variant.slug]:
        outcome = after(variant, game).outcome()
        assert outcome is not None and outcome.winner is None


@both
def test_each_column_is_once_the_only_one_left(variant: Variant) -> None:
    positions = list(one_column_left(variant))
    moves = [position.legal_moves() for position in positions]
    assert sorted(moves) == [(str(column),) for column in range(1, len(moves) + 1)]
    assert {position.to_move for position in positions} == {0, 1}


@both
def test_one_cell_is_free_and_wins_only_where_it_should(variant: Variant) -> None:
    assert all(len(position.legal_moves()) == 1 and not wins(position) for position in last_cells(variant))
    for position in win_on_last_cell(variant):
        assert wins(position) == list(position.legal_moves())
        assert position.play(wins(position)[0]).legal_moves() == ()


@both
def test_some_columns_are_full_and_some_are_not(variant: Variant) -> None:
    columns = len(variant.start().legal_moves())
    assert all(0 < len(position.legal_moves()) < columns for position in full_columns(variant))


@both
def test_both_sides_can_win_at_once(variant: Variant) -> None:
    positions = list(win_in_one(variant))
    assert all(len(wins(position)) == 1 for position in positions)
    assert [position.to_move for position in positions] == [0, 1]


@both
def test_on_a_lost_board_every_move_leaves_a_win(variant: Variant) -> None:
    positions = list(lost(variant))
    assert all(wins(position.play(move)) for position in positions for move in position.legal_moves())
    assert not any(wins(position) for position in positions)
    assert [position.to_move for position in positions] == [0, 1]
