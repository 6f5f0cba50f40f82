"""How many positions a second the kernel visits, and how soon Connect Four 7x6 is exact: processor time, random
positions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from statistics import median

import games
from arena.analysis.kernel import SevenBySix
from arena.analysis.provers import Provers
from games import Position
from games.players.connect_four_exact import HIGHEST, LOWEST, Reference, Solver
from tools.bench.figures import Figure

PLIES = (4, 8, 12, 14, 16, 20)
MEDIAN_S, WORST_S, MATCH_S = 0.3, 1.5, 1.0


def run(positions: int = 100, matches: int = 20) -> Iterator[Figure]:
    kernel, reference = _visits_a_second(SevenBySix(), 1 << 22), _visits_a_second(Reference(), 1 << 16)
    yield Figure(
        "positions a second, kernel / reference", kernel / reference, 40, f"{kernel:,.0f} and {reference:,.0f}"
    )
    provers = Provers()
    _seconds(provers, games.variant("connect-four-7x6").start())  # this opens the book
    for ply in PLIES:
        rng = Random(ply)
        times = [_seconds(provers, _after(ply, rng)) for _ in range(positions)]
        detail = f"{median(times):.4f} s, all columns of {positions} positions"
        yield Figure(f"ply {ply}: median until exact / {MEDIAN_S} s", median(times) / MEDIAN_S, 1, detail, at_most=True)
        yield Figure(f"ply {ply}: worst / {WORST_S} s", max(times) / WORST_S, 1, f"{max(times):.3f} s", at_most=True)
    whole = [_match(provers, Random(seed)) for seed in range(matches)]
    detail = f"{median(whole):.3f} s, the longest of {matches} {max(whole):.3f} s"
    yield Figure(f"whole match: median / {MATCH_S} s", median(whole) / MATCH_S, 1, detail, at_most=True)


def _visits_a_second(solver: Solver, nodes: int) -> float:
    begin = time.process_time()
    solver.narrow(0, 0, LOWEST, HIGHEST, nodes)
    return solver.visited / (time.process_time() - begin)


def _seconds(provers: Provers, position: Position) -> float:
    """The time for all columns of a position; earlier results are discarded first."""
    provers.forget()
    begin = time.process_time()
    provers.values(position, lambda: False)
    return time.process_time() - begin


def _after(ply: int, rng: Random) -> Position:
    while True:
        position = games.variant("connect-four-7x6").start()
        while position.to_move is not None and position.ply < ply:
            position = position.play(rng.choice(position.legal_moves()))
        if position.to_move is not None and not _wins(position):
            return position


def _wins(position: Position) -> bool:
    outcomes = [position.play(move).outcome() for move in position.legal_moves()]
    return any(outcome is not None and outcome.winner is not None for outcome in outcomes)


def _match(provers: Provers, rng: Random) -> float:
    """The time for all columns at all plies of a match between players who choose a best move five times in six."""
    provers.forget()
    position, seconds = games.variant("connect-four-7x6").start(), 0.0
    while position.to_move is not None:
        begin = time.process_time()
        found = provers.values(position, lambda: False)
        seconds += time.process_time() - begin
        assert found is not None
        best = [move for move, bounds in found.items() if bounds == max(found.values())]
        position = position.play(rng.choice(best if rng.random() < 5 / 6 else position.legal_moves()))
    return seconds
