"""Positions of Connect Four 7x6 as the exact solvers take them, and the scores that others computed for them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import games
from games.connect_four import ConnectFourPosition
from games.players.connect_four_exact import Solver
from tests.kit.positions import GROUND_TRUTH


class Scored(NamedTuple):
    """`moves` are columns from 1, `columns` the score of each of them, None where it is full."""

    moves: str
    score: int
    columns: tuple[int | None, ...]


def scored(least_plies: int = 0, most_plies: int = 42) -> list[Scored]:
    with (GROUND_TRUTH / "c4_6x7_positions_scored.csv").open(encoding="utf-8", newline="") as lines:
        return [
            Scored(
                row["moves"],
                int(row["score"]),
                tuple(int(row[f"col{n}"]) if row[f"col{n}"] else None for n in range(7)),
            )
            for row in csv.DictReader(lines)
            if least_plies <= int(row["ply"]) <= most_plies
        ]


def words(moves: str) -> tuple[int, int]:
    """The stones of the player to move and all stones, as the kernel takes them."""
    stones, heights = [0, 0], [0] * 7
    for ply, move in enumerate(moves):
        column = int(move) - 1
        stones[ply % 2] |= 1 << column * 7 + heights[column]
        heights[column] += 1
    return stones[len(moves) % 2], stones[0] | stones[1]


def random_words(count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Positions after 0 to 40 random plies that are not over."""
    rng, start = Random(seed), games.variant("connect-four-7x6").start()
    while count:
        position = start
        for _ in range(rng.randrange(41)):
            if position.to_move is not None:
                position = position.play(rng.choice(position.legal_moves()))
        if position.to_move is not None:
            assert isinstance(position, ConnectFourPosition)
            mover = position.to_move
            yield position.stones[mover], position.stones[0] | position.stones[1]
            count -= 1


def differences(one: Solver, other: Solver, count: int, seed: int, nodes: int) -> list[str]:
    """Where the two find other bounds, or visit another number of positions, under the same limit."""
    found = []
    for mover, mask in random_words(count, seed):
        both = [(solver.narrow(mover, mask, -18, 18, nodes), solver.visited) for solver in (one, other)]
        if both[0] != both[1]:
            found.append(f"{mover} {mask}: {both[0]} and {both[1]}")
    return found
