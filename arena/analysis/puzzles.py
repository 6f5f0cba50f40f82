"""Which positions of a match are puzzles: exactly one move keeps the win, which is neither immediate nor far away, and
everything is proved: anywhere in Connect Four 7x6 and Expanding Nim, near the end elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.analysis.marks import LOST, WON, Judged, Worth
from games.connect_four import ConnectFourPosition
from games.expanding_nim import NimPosition
from games.game import Position
from games.santorini import SantoriniPosition

# Plies until the end, the first move included: a win in one is no puzzle.
NEAREST, FURTHEST = 3, 9
LEAST_MOVES = 3

_Grid = tuple[tuple[object, ...], ...]


class PuzzleFound(NamedTuple):
    """The position after `ply` moves is a puzzle. `key` is the same for positions that are mirror images."""

    ply: int
    key: str


def found(variant: str, positions: Sequence[Position], choices: Sequence[Judged]) -> list[PuzzleFound]:
    """The puzzles among the positions of a match; positions that look the same count once."""
    keys: dict[str, int] = {}
    for ply, (position, choice) in enumerate(zip(positions, choices, strict=False)):
        if answer(choice):
            keys.setdefault(key(variant, position), ply)
    return [PuzzleFound(ply, each) for each, ply in keys.items()]


def answer(choice: Judged) -> str:
    """The one move that keeps the win, "" if the position is no puzzle."""
    if choice.legal < LEAST_MOVES or len(choice.values) < choice.legal:
        return ""
    winning = [move for move, value in choice.values.items() if value.result == WON]
    if len(winning) != 1 or not NEAREST <= (choice.values[winning[0]].plies or 0) <= FURTHEST:
        return ""
    others = [value for move, value in choice.values.items() if move != winning[0]]
    is_block = all(value == Worth(LOST, 2) for value in others)  # who does not see it loses at once
    return "" if is_block else winning[0]


def key(variant: str, position: Position) -> str:
    """A short name for how a position looks: mirror images, and rotated boards of Santorini, share one."""
    looks = min(map(repr, _looks(position)))
    return hashlib.sha256(f"{variant} {looks}".encode()).hexdigest()[:32]


def _looks(position: Position) -> Iterator[object]:
    match position:
        case ConnectFourPosition():
            grid = _grid(position)
            yield from (grid, _mirrored(grid))
        case SantoriniPosition():
            grid = _grid(position)
            for _ in range(4):
                yield from ((position.ply % 2, grid), (position.ply % 2, _mirrored(grid)))
                grid = tuple(zip(*grid[::-1], strict=True))  # a quarter turn
        case NimPosition():
            mover = position.ply % 2
            resets = position.resets[mover], position.resets[1 - mover]
            yield position.stones, position.largest, position.reset_bound, resets
        case _:
            yield str(position)


def _grid(position: Position) -> _Grid:
    return tuple(tuple((cell.seat, cell.level) for cell in row) for row in position.board().rows)


def _mirrored(grid: _Grid) -> _Grid:
    return tuple(row[::-1] for row in grid)
