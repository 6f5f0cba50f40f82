from __future__ import annotations

import sys

import pytest

import games
from arena.analysis.proofs import Proofs, kernel_version
from games.players import generic, search
from games.players.search import WIN
from tests.analysis.deepening import quiet_positions
from tests.games.players.test_generic import tic_tac_toe
from tests.kit.positions import GROUND_TRUTH, after, never, played


def exact(position: games.Position) -> dict[str, int]:
    """The values of all moves by a search over nothing but the rules."""
    rules = generic.RulesSearch(never)
    return {move: -rules.value(position.play(move), 200, -WIN, WIN) for move in position.legal_moves()}


def test_what_is_proved_is_what_the_rules_give() -> None:
    """Late positions, so that the rules alone can tell the whole truth."""
    told = 0
    for position in quiet_positions("connect-four-8x8", 57, 62, count=3, seed=5):
        truth = exact(position)
        for looks in (1, 3, 200):
            found = Proofs().bounds(position, lambda looks=looks: after(looks))  # type: ignore[misc]
            assert found is not None and found.keys() == truth.keys()
            for move, bounds in found.items():
                assert bounds.low <= truth[move] <= bounds.high, f"{move} in {position}"
                told += bounds.exact
    assert told > 10


def test_a_proved_result_of_santorini_is_kept_by_whoever_has_it() -> None:
    """A move proved to win leads to positions in which every answer is proved to lose, and the other way round."""
    proofs, followed = Proofs(), 0
    for position in quiet_positions("santorini-5x5", 20, 40, count=12, seed=9):
        found = proofs.bounds(position, lambda: after(4)) or {}
        for move, bounds in found.items():
            answers = proofs.bounds(position.play(move), lambda: after(16)) if bounds.result else None
            if answers:
                best = max(each.high if bounds.low > 0 else each.low for each in answers.values())
                assert best < 0 if bounds.low > 0 else best > 0, f"{move} in {position}"
                followed += 1
        if followed > 40:
            break
    assert followed > 20


def test_far_from_the_end_nothing_is_claimed() -> None:
    found = Proofs().bounds(games.variant("connect-four-8x8").start(), lambda: after(4))
    assert found is not None and {bounds.result for bounds in found.values()} == {None}
    placing = Proofs().bounds(games.variant("santorini-6x6").start(), lambda: after(4))
    assert placing is not None and len(placing) == 36 and {bounds.result for bounds in placing.values()} == {None}


def test_results_proved_on_8x8_are_those_of_another_program() -> None:
    lines = (GROUND_TRUTH / "c4_8x8_positions_solved.csv").read_text(encoding="utf-8").splitlines()
    proofs, told = Proofs(), 0
    for moves, _, result, _ in (line.split(",") for line in lines[1::6]):
        found = proofs.bounds(played(games.variant("connect-four-8x8").start(), moves), lambda: after(20))
        assert found is not None
        low, high = (max(each[side] for each in found.values()) for side in (0, 1))
        assert low <= 0 or result == "1", moves
        assert high >= 0 or result == "-1", moves
        told += low > 0 or high < 0 or low == high
    assert told > 30


def test_a_game_without_a_solver_has_no_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tic_tac_toe(monkeypatch).TIC_TAC_TOE
    assert Proofs().bounds(game.variants[0].start(), lambda: never) is None


def test_without_the_kernel_the_players_own_search_proves(monkeypatch: pytest.MonkeyPatch) -> None:
    position = played(games.variant("connect-four-8x8").start(), "121212")
    expected = Proofs().bounds(position, lambda: after(3))
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    assert kernel_version() == "reference"
    found = Proofs().bounds(position, lambda: after(30))
    assert found is not None and expected is not None
    assert found["1"].low == search.WIN - 7 == expected["1"].low and found["3"].result == -1


def test_the_kernel_says_which_one_it_is() -> None:
    assert len(kernel_version()) == 12
