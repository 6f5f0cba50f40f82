"""Santorini without god cards: step with a worker, then build; stepping up to height 3 wins at once, without a build.

Source: the play-game protocol of the Northeastern course (6x6) and the printed game (5x5). Four workers are placed in
turn, one at a time, then seat 0 moves. A turn steps to a free neighbouring square at most one level higher (any drop is
allowed, a dome, height 4, is not) and builds one level on a free neighbouring square below height 4. As strict as the
course's rule checker: a build after reaching height 3 breaks the rule. A player without a legal turn loses.

Every turn except a winning step adds a level, so every match ends and the heights determine the ply. Squares: `a1` is
the south-west; a cell's index counts from the north-west. Moves: `"c3"` places, `"b2-c1+d2"` steps and builds,
`"c2-c3"` steps up and wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import zip_longest
from reprlib import repr as shortened

from games.game import Board, Cell, Game, IllegalMove, InvalidMove, Outcome, Position, Variant

_SQUARE = r"([a-z][1-9][0-9]?)"
_PLACING = re.compile(_SQUARE)
_TURN = re.compile(rf"{_SQUARE}-{_SQUARE}(?:\+{_SQUARE})?")
_WORKERS = 4
_TOP = 3
_DOME = 4
_SEAT_WORDS = ("first", "second")


class _Judged(Position):
    """Stores the seat to move, which is read a dozen times a move and costly to compute: it depends on all steps."""

    __slots__ = ("_to_move",)

    _to_move: int | None


@dataclass(frozen=True, slots=True, repr=False)
class SantoriniPosition(_Judged):
    """One state. `heights` (0 to 4) and the cells in `workers` are listed row by row from the north-west.

    `workers` are in the order of placing: number i belongs to seat `i % 2`, so a seat's first worker is `workers[seat]`
    and its second is `workers[seat + 2]`.
    """

    size: int
    heights: tuple[int, ...]
    workers: tuple[int, ...]
    ply: int = field()  # without `field()`, the contract's property would be taken for a default

    @property
    def to_move(self) -> int | None:
        try:
            return self._to_move
        except AttributeError:
            found = self.ply & 1 if self.outcome() is None else None
            object.__setattr__(self, "_to_move", found)
            return found

    @property
    def is_placing(self) -> bool:
        """Whether the four workers are not all placed yet."""
        return len(self.workers) < _WORKERS

    def legal_moves(self) -> tuple[str, ...]:
        if self._winner_on_top() is not None:
            return ()
        if len(self.workers) < _WORKERS:
            names = _grid(self.size).names
            return tuple(name for cell, name in enumerate(names) if cell not in self.workers)
        return tuple(self._turns())

    def play(self, move: str) -> SantoriniPosition:
        names = _squares(move)
        if (outcome := self.outcome()) is not None:
            raise IllegalMove("{move} was not played: the match is over ({reason})", move=move, reason=outcome.reason)
        cells = [self._cell_named(name) for name in names]
        if len(self.workers) < _WORKERS:
            return self._place(move, cells)
        if len(cells) == 1:
            raise IllegalMove("{move} places a worker, but all are placed: step and build, such as b2-c1+d2", move=move)
        return self._turn(names, *cells)

    def outcome(self) -> Outcome | None:
        winner = self._winner_on_top()
        if winner is not None:
            return Outcome(winner, "reached height 3")
        if len(self.workers) < _WORKERS or self._can_step():
            return None
        return Outcome(1 - (self.ply & 1), "no legal turn")

    def board(self) -> Board:
        cells = [self._board_cell(cell, name) for cell, name in enumerate(_grid(self.size).names)]
        rows = tuple(tuple(cells[i : i + self.size]) for i in range(0, len(cells), self.size))
        return Board(rows=rows, choices={move: tuple(re.split("[-+]", move)) for move in self.legal_moves()})

    def __str__(self) -> str:
        heights = "".join(map(str, self.heights))
        first, second = (self._squares_of(seat) for seat in (0, 1))
        return f"{self.size}x{self.size} {heights} {self.ply & 1} {first} {second}"

    def _squares_of(self, seat: int) -> str:
        names = _grid(self.size).names
        return ".".join(names[cell].upper() for cell in self.workers[seat::2]) or "-"

    def _board_cell(self, cell: int, name: str) -> Cell:
        label = f"{name}, height {self.heights[cell]}"
        if cell not in self.workers:
            return Cell(name, level=self.heights[cell], label=label)
        number, seat = divmod(self.workers.index(cell), 2)
        label += f", worker {number + 1} of {_SEAT_WORDS[seat]}"
        return Cell(name, seat=seat, text=str(number + 1), level=self.heights[cell], label=label)

    def _winner_on_top(self) -> int | None:
        """The winning seat, if any: no turn ever starts on height 3, so a worker there has just won."""
        for index, cell in enumerate(self.workers):
            if self.heights[cell] == _TOP:
                return index & 1
        return None

    def _steps(self) -> Iterator[tuple[int, int]]:
        """All (from, to) steps of the seat to move."""
        heights, neighbours = self.heights, _grid(self.size).neighbours
        for origin in self.workers[self.ply & 1 :: 2]:
            highest = min(heights[origin] + 1, _TOP)
            for target in neighbours[origin]:
                if heights[target] <= highest and target not in self.workers:
                    yield origin, target

    def _can_step(self) -> bool:
        """Whether any step is legal. Then a turn is too: one can always build on the square just left."""
        return next(self._steps(), None) is not None

    def _turns(self) -> Iterator[str]:
        grid, heights, workers = _grid(self.size), self.heights, self.workers
        for origin, target in self._steps():
            step = f"{grid.names[origin]}-{grid.names[target]}"
            if heights[target] == _TOP:
                yield step
                continue
            for site in grid.neighbours[target]:
                if heights[site] < _DOME and (site == origin or site not in workers):
                    yield step + grid.builds[site]

    def _cell_named(self, name: str) -> int:
        grid = _grid(self.size)
        if name not in grid.cells:
            last = grid.names[self.size - 1]
            raise IllegalMove("there is no square {name}; squares are a1 to {last}", name=name, last=last)
        return grid.cells[name]

    def _place(self, move: str, cells: list[int]) -> SantoriniPosition:
        if len(cells) > 1:
            raise IllegalMove(
                "{move} is a turn, but the workers are placed first: name one free square, such as c3", move=move
            )
        if cells[0] in self.workers:
            raise IllegalMove("{move} is taken: place the worker on a free square", move=move)
        return SantoriniPosition(self.size, self.heights, (*self.workers, cells[0]), self.ply + 1)

    def _turn(self, names: list[str], origin: int, target: int, site: int | None = None) -> SantoriniPosition:
        self._check_step(names, origin, target)
        heights = self.heights
        self._check_build(names, origin, target, site)
        if site is not None:
            heights = (*heights[:site], heights[site] + 1, *heights[site + 1 :])
        workers = tuple(target if cell == origin else cell for cell in self.workers)
        return SantoriniPosition(self.size, heights, workers, self.ply + 1)

    def _check_step(self, names: list[str], origin: int, target: int) -> None:
        start, end = names[:2]
        heights = self.heights
        if origin not in self.workers[self.ply & 1 :: 2]:
            first, second = (_grid(self.size).names[cell] for cell in self.workers[self.ply & 1 :: 2])
            raise IllegalMove(
                "no worker of yours stands on {start}: yours are on {first} and {second}",
                start=start,
                first=first,
                second=second,
            )
        if target not in _grid(self.size).neighbours[origin]:
            raise IllegalMove("{end} is not next to {start}: a worker steps one square", end=end, start=start)
        if target in self.workers:
            raise IllegalMove("{end} is taken by a worker: step to a free square", end=end)
        if heights[target] == _DOME:
            raise IllegalMove("{end} has a dome: nobody steps on it", end=end)
        if heights[target] > heights[origin] + 1:
            raise IllegalMove(
                "{end} is {high} high, {start} {low}: a step climbs one level at most",
                end=end,
                high=heights[target],
                start=start,
                low=heights[origin],
            )

    def _check_build(self, names: list[str], origin: int, target: int, site: int | None) -> None:
        start, end = names[:2]
        if self.heights[target] == _TOP:
            if site is not None:
                raise IllegalMove(
                    "the step to {end} reaches height 3 and wins: there is no build, play {start}-{end}",
                    end=end,
                    start=start,
                )
            return
        if site is None:
            raise IllegalMove(
                "{start}-{end} does not win, so it needs a build, such as {start}-{end}+{start}", end=end, start=start
            )
        name = names[2]
        if site not in _grid(self.size).neighbours[target]:
            raise IllegalMove("{name} is not next to {end}: the worker builds where it can reach", name=name, end=end)
        if site in self.workers and site != origin:
            raise IllegalMove("{name} is taken by a worker: build on a free square", name=name)
        if self.heights[site] == _DOME:
            raise IllegalMove("{name} has a dome: nothing is built on it", name=name)


class _Grid:
    """What positions of one size share: `cells` maps a name to its index, `builds` a cell to its build text."""

    def __init__(self, size: int) -> None:
        self.names = [f"{chr(97 + column)}{size - row}" for row in range(size) for column in range(size)]
        self.cells = {name: cell for cell, name in enumerate(self.names)}
        self.builds = [f"+{name}" for name in self.names]
        self.neighbours = [_neighbours(size, cell) for cell in range(size * size)]


_grid = cache(_Grid)


def _neighbours(size: int, cell: int) -> tuple[int, ...]:
    row, column = divmod(cell, size)
    rows = range(max(row - 1, 0), min(row + 2, size))
    columns = range(max(column - 1, 0), min(column + 2, size))
    return tuple(r * size + c for r in rows for c in columns if (r, c) != (row, column))


def _squares(move: str) -> list[str]:
    """The squares named in a move text: one for placing, two or three for a turn. Raises InvalidMove."""
    read = _PLACING.fullmatch(move) or _TURN.fullmatch(move)
    if read is None:
        raise InvalidMove(
            "received {what}: expected 'c3' to place, 'b2-c1+d2' to step and build, 'c2-c3' to win",
            what=shortened(move),
        )
    return [name for name in read.groups() if name is not None]


def _begin(size: int) -> SantoriniPosition:
    return SantoriniPosition(size, (0,) * (size * size), (), 0)


def _read(size: int, text: str) -> SantoriniPosition:
    """The position written as `text`. Raises ValueError for text that is malformed or unreachable in play."""
    squares = r"(-|[A-Z][1-9](?:\.[A-Z][1-9])?)"
    read = re.fullmatch(rf"{size}x{size} ([0-4]{{{size * size}}}) [01] {squares} {squares}", text)
    if read is None:
        raise ValueError(f"received {shortened(text)}: expected '{size}x{size} HEIGHTS SEAT A1.C3 B2.D4'")
    heights = tuple(map(int, read[1]))
    cells = _grid(size).cells
    first, second = ([] if part == "-" else part.lower().split(".") for part in read.groups()[1:])
    placed = [name for pair in zip_longest(first, second) for name in pair if name is not None]
    if not all(name in cells for name in placed):
        raise ValueError(f"received {shortened(text)}: a worker stands outside of the board")
    workers = tuple(cells[name] for name in placed)
    won = any(heights[cell] == _TOP for cell in workers)
    position = SantoriniPosition(size, heights, workers, len(workers) + sum(heights) + won)
    if not _is_reachable(position) or str(position) != text:
        raise ValueError(f"received {shortened(text)}: no match gets there")
    return position


def _is_reachable(position: SantoriniPosition) -> bool:
    """Whether workers, heights and the side to move are consistent with each other."""
    heights, workers = position.heights, position.workers
    if len(set(workers)) < len(workers):
        return False
    if len(workers) < _WORKERS:
        return not any(heights)
    standing = sorted(heights[cell] for cell in workers)
    winner = position._winner_on_top()
    return standing[-1] < _DOME and standing[-2] < _TOP and winner in (None, 1 - (position.ply & 1))


def _variant(size: int) -> Variant:
    return Variant(
        slug=f"santorini-{size}x{size}",
        title=f"Santorini {size}x{size}",
        game="santorini",
        begin=partial(_begin, size),
        read=partial(_read, size),
    )


SANTORINI = Game("santorini", "Santorini", (_variant(6), _variant(5)))
