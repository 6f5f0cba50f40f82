"""The players and the kernel in the browser: the same moves for the same seeds, the same values, as on the server."""

from __future__ import annotations

from dataclasses import asdict
from itertools import count
from random import Random
from typing import Any

import pytest

import games
from arena.analysis.kernel import MODULE
from arena.analysis.matches import entry_of
from arena.analysis.proofs import Proofs
from games import players
from games.players.level import EVERY_LEVEL
from tests.kit.positions import never
from tests.kit.scripts import Walk, ask, walks

pytestmark = pytest.mark.long

VARIANTS = [variant.slug for variant in games.variants()]
# How late in its match a position is, so that plain Python looks as far as asked in a moment.
SAMPLE = {"connect-four-7x6": 6, "connect-four-8x8": 6, "santorini-5x5": 2, "santorini-6x6": 2, "expanding-nim": 6}


def test_the_dice_are_python_s() -> None:
    seeds = [0, 1, 42, 2**32 - 1]
    for seed, (thrown, shuffled) in zip(seeds, ask([{"act": "dice", "seed": seed} for seed in seeds]), strict=True):
        rng = Random(seed)
        expected: list[Any] = []
        for _ in range(5):
            expected += [rng.random(), rng.choice("abcdefg"), rng.choices("abc", [1, 2.5, 4])[0]]
        numbers = list(range(700))
        rng.shuffle(numbers)
        assert (thrown, shuffled) == (expected, numbers)


def test_the_table_of_levels_is_the_same() -> None:
    (told,) = ask([{"act": "levels"}])
    for level in EVERY_LEVEL:
        facts = asdict(level)
        facts["seconds"] = None if facts["seconds"] == float("inf") else facts["seconds"]
        assert told.pop(facts.pop("name")) == facts
    assert told == {}


@pytest.mark.cases(2)
@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_seed_chooses_the_same_move_at_every_level(variant: str) -> None:
    jobs, expected, seeds = [], [], count(1)
    for walk in walks(variant, SAMPLE[variant], seed=3):
        for ply in sampled(walk):
            for level in ("random", "beginner", "casual", "club"):
                seed = next(seeds)
                jobs.append(walk.job("choose", ply, level=level, seed=seed))
                expected.append(players.choose(walk.positions[ply], level, Random(seed), never))
    assert ask(jobs) == expected


@pytest.mark.long
@pytest.mark.parametrize("variant", ["connect-four-7x6", "expanding-nim"])
def test_what_is_proved_is_played_by_both(variant: str) -> None:
    proofs, jobs, expected, proved = Proofs(), [], [], []
    first = 18 if variant == "connect-four-7x6" else 0  # without the book it is soon proved from there
    for walk in walks(variant, 12, seed=4):
        for ply in range(max(first, len(walk.moves) - 14), len(walk.moves), 3):
            jobs.append(walk.job("choose", ply, level="best", seed=ply))
            prover = proofs._provers
            expected.append(players.choose(walk.positions[ply], "best", Random(ply), never, prover))
            proved.append(walk.job("values", ply))
    assert ask(jobs) == expected
    assert len(proved) > 15
    for job, told in zip(proved, ask(proved), strict=True):
        position = games.variant(variant).start(**job["settings"])
        for move in job["moves"]:
            position = position.play(move)
        bounds = proofs.bounds(position, lambda: never)
        assert bounds is not None
        assert told == [entry_of(bounds[move], position.ply) for move in position.legal_moves()]


@pytest.mark.cases(1)
@pytest.mark.long
@pytest.mark.parametrize("variant", ["connect-four-8x8", "santorini-5x5", "santorini-6x6"])
def test_what_a_search_in_the_browser_calls_proved_is_not_contradicted(variant: str) -> None:
    """On boards that are not solved: both prove what they get to, and never opposite results."""
    proofs, jobs, positions = Proofs(), [], []
    for walk in walks(variant, 9, seed=5):
        for ply in range(max(0, len(walk.moves) - 6), len(walk.moves), 2):
            jobs.append(walk.job("values", ply, asks=16))
            positions.append(walk.positions[ply])
    known = 0
    for position, told in zip(positions, ask(jobs), strict=True):
        bounds = proofs.bounds(position, lambda: asked(30))
        assert bounds is not None
        for entry, move in zip(told, position.legal_moves(), strict=True):
            other = entry_of(bounds[move], position.ply)
            if entry is not None and other is not None:
                known += 1
                assert sign(entry) == sign(other), (str(position), move, entry, other)
    assert known > 100


def test_the_module_is_served_to_browsers(client: Any) -> None:
    answer = client.get("/static/kernel/kernel.wasm")
    assert answer.status_code == 200 and answer["Content-Type"] == "application/wasm"
    assert b"".join(answer.streaming_content) == MODULE.read_bytes()


def sampled(walk: Walk) -> range:
    """Some plies of the match, its end not among them."""
    return range(len(walk.moves) % 3, len(walk.moves), max(1, len(walk.moves) // 6))


def asked(times: int) -> Any:
    left = iter(range(times))
    return lambda: next(left, None) is None


def sign(entry: Any) -> int:
    return 1 if entry == "w" else -1 if entry == "l" else (entry > 0) - (entry < 0)
