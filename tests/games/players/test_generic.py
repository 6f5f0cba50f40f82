"""The player that knows nothing but the rules."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

import games
from games import Position
from games.expanding_nim import NimPosition
from games.players import expanding_nim
from games.players.generic import PLAYER
from tests.kit.positions import GROUND_TRUTH, after, never, played


def tic_tac_toe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = GROUND_TRUTH.parent / "plugin" / "games" / "tic_tac_toe.py"
    spec = importlib.util.spec_from_file_location("tic_tac_toe", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def best(position: Position) -> str:
    return PLAYER.rank(position, position.legal_moves(), 200, never)[0]


def test_tic_tac_toe_between_two_of_them_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [value for value in vars(tic_tac_toe(monkeypatch)).values() if isinstance(value, games.Game)]
    position = found[0].variants[0].start()
    while position.to_move is not None:
        position = position.play(best(position))
    outcome = position.outcome()
    assert outcome is not None and outcome.winner is None


@pytest.mark.parametrize("stones", range(1, 15))
def test_it_wins_small_nim_whenever_that_is_won(stones: int) -> None:
    position = games.variant("expanding-nim").start(stones=stones, resets=1)
    assert isinstance(position, NimPosition)
    behind = position.play(best(position))
    assert expanding_nim.loses(behind) == (not expanding_nim.loses(position))


def test_it_takes_the_quickest_win_and_stops_the_other_one() -> None:
    start = games.variant("connect-four-7x6").start()
    assert PLAYER.rank(played(start, "141414"), start.legal_moves(), 3, never)[0] == "1"
    assert PLAYER.rank(played(start, "14141"), start.legal_moves(), 3, never)[0] == "1"


def test_it_answers_out_of_time_as_well() -> None:
    start = games.variant("connect-four-8x8").start()
    assert PLAYER.rank(start, start.legal_moves(), 200, after(1))[0] in start.legal_moves()
