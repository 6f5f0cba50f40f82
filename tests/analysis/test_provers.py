"""What the provers say of positions whose values others computed, with the kernel and the book and without them."""

from __future__ import annotations

import json
import logging
import sys
from random import Random

import pytest

import games
from arena.analysis.provers import Provers, troubles
from games import players
from games.players.connect_four_exact import value
from games.players.prover import NOTHING
from tests.kit.exact import scored
from tests.kit.positions import GROUND_TRUTH, after, never, played, random_positions

START = games.variant("connect-four-7x6").start()


def annotated(count: int) -> list[tuple[str, list[list[int | None]]]]:
    with (GROUND_TRUTH / "c4_6x7_annotated_games.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:count]
    return [("".join(str(column + 1) for column in row["moves"]), row["scores"]) for row in rows]


@pytest.fixture(scope="module")
def provers() -> Provers:
    return Provers()


@pytest.mark.long
def test_every_column_of_every_ply_of_a_match_has_its_exact_value(provers: Provers) -> None:
    columns = 0
    for moves, scores in annotated(8):
        for ply, of_ply in enumerate(scores):
            expected = {str(n): value(score, ply) for n, score in enumerate(of_ply, 1) if score is not None}
            found = provers.values(played(START, moves[:ply]), never)
            assert found is not None
            assert {move: bounds.low for move, bounds in found.items()} == expected, moves[:ply]
            assert all(bounds.exact for bounds in found.values())
            columns += len(expected)
    assert columns > 1000


def test_what_time_was_too_short_for_is_left_open_and_never_wrong(provers: Provers) -> None:
    left_open = 0
    for number, row in enumerate(scored(13, 16)[:12]):
        found = Provers().values(played(START, row.moves), after(number % 4))
        assert found is not None
        for move, bounds in found.items():
            score = row.columns[int(move) - 1]
            assert score is not None and bounds.low <= value(score, len(row.moves)) <= bounds.high
            left_open += bounds == NOTHING or not bounds.exact
    assert left_open > 0


def test_up_to_the_book_the_values_are_there_whatever_the_time(provers: Provers) -> None:
    found = provers.values(START, after(0))
    assert found is not None
    assert [found[str(column)].result for column in range(1, 8)] == [-1, -1, 0, 1, 0, -1, -1]


def test_a_position_that_no_match_gets_to_is_given_up_in_time_and_the_book_answers_afterwards(provers: Provers) -> None:
    """Every lowest disc is of the second player: no match began like that, so the book does not have what follows."""
    seven = games.variant("connect-four-7x6")
    by_hand = seven.parse("7x6 .......x......x......o...x..x...x..oo..o..")
    looks = iter([False] * 3)
    found = provers.values(by_hand, lambda: next(looks, True))
    assert found is not None and list(found) == list(by_hand.legal_moves()) and next(looks, None) is None
    start = provers.values(seven.start(), lambda: True)
    assert start is not None and all(bounds.exact for bounds in start.values())


def test_best_never_gives_the_value_away(provers: Provers) -> None:
    """Positions in which some columns keep the result and others do not."""
    critical = [row for row in scored(0, 13) if _signs(row.columns) > 1]
    for seed, row in enumerate(critical[:40]):
        move = players.choose(played(START, row.moves), "best", Random(seed), never, provers)
        assert row.columns[int(move) - 1] == row.score, f"{move} after {row.moves}"
    assert len(critical) >= 40


def _signs(scores: tuple[int | None, ...]) -> int:
    return len({(score > 0) - (score < 0) for score in scores if score is not None})


def test_the_dice_choose_among_equally_good_moves(provers: Provers) -> None:
    position = played(START, "1")  # both neighbours of the centre, for instance, are worth the same to the mover
    found = provers.values(position, never)
    assert found is not None
    best = {move for move, bounds in found.items() if bounds == max(found.values())}
    chosen = {players.choose(position, "best", Random(seed), never, provers) for seed in range(40)}
    assert chosen == best


def test_only_best_asks_for_proofs(provers: Provers) -> None:
    moves = {players.choose(START, "random", Random(seed), never, provers) for seed in range(60)}
    assert len(moves) == 7


@pytest.mark.parametrize("slug", ["connect-four-8x8", "santorini-5x5", "santorini-6x6", "expanding-nim"])
def test_of_other_games_nothing_is_proved(provers: Provers, slug: str) -> None:
    assert provers.values(next(random_positions(slug, 1)), never) is None


def test_without_wasmtime_the_reference_proves(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    caplog.set_level(logging.WARNING, "arena.analysis")
    provers, rows = Provers(), scored(24, 40)[:15]
    for row in rows:
        found = provers.values(played(START, row.moves), never)
        assert found is not None
        assert max(found.values()).low == value(row.score, len(row.moves))
    assert len([record for record in caplog.records if "the reference in plain Python plays" in record.message]) == 1
    assert provers.search(games.variant("connect-four-8x8").start(), never) is None
    assert provers.search(games.variant("santorini-6x6").start(), never) is None
    assert len([record for record in caplog.records if "search in plain Python" in record.message]) == 1
    assert [words for words, _ in troubles()] != []


def test_without_the_book_the_kernel_searches_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "bitbully_databases", None)
    caplog.set_level(logging.WARNING, "arena.analysis")
    provers = Provers()
    for row in scored(16, 40)[:15]:
        found = provers.values(played(START, row.moves), never)
        assert found is not None
        assert max(found.values()).low == value(row.score, len(row.moves))
    early = provers.values(START, after(2))
    assert early is not None and not all(bounds.exact for bounds in early.values())
    assert len([record for record in caplog.records if "without a book" in record.message]) == 1
    (missing,) = troubles()
    assert missing[0].startswith("bitbully-databases cannot be imported") and missing[1].startswith("run `make run`")


def test_nothing_is_missing_here() -> None:
    assert troubles() == []
