"""The prover of positions, by game, which thinkers and analysis share.

Connect Four 7x6 is exact at every ply: the first plies come from a small table, up to ply 12 from a search in plain
Python that ends in the book, later ones from the kernel. Without the book the kernel searches alone, without the kernel
the reference does.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from arena.analysis.book import PLIES, Book, FirstPlies, NoBook
from arena.analysis.kernel import Deepening, Meter, NoKernel, SevenBySix, more
from arena.analysis.searches import EightByEightSearch, SantoriniKernelSearch
from games.connect_four import ConnectFourPosition
from games.game import Position
from games.players.connect_four_exact import HIGHEST, LOWEST, Reference, Solver, value
from games.players.prover import Bounds
from games.players.search import OutOfTime, Search
from games.santorini import SantoriniPosition

log = logging.getLogger("arena.analysis")

_SANTORINI_SIZES = (5, 6)
_FIRST_SLICE, _FIRST_SLICE_OF_REFERENCE = 1 << 16, 1 << 10


class SevenBySixProver:
    """Connect Four 7x6. Works without the book or the kernel; the log mentions each missing one once."""

    def __init__(self) -> None:
        self._first_slice = _FIRST_SLICE
        self._late: Solver
        try:
            self._late = SevenBySix()
        except NoKernel as why:
            log.warning("%s; the reference in plain Python plays", why)
            self._late, self._first_slice = Reference(), _FIRST_SLICE_OF_REFERENCE
        self._early: Solver = self._late
        try:
            self._first, self._book = FirstPlies(), Book()
            self._early = Reference(self._known)
        except NoBook as why:
            log.warning("%s; Connect Four 7x6 is searched without a book", why)

    def values(self, position: ConnectFourPosition, out_of_time: OutOfTime) -> dict[str, Bounds]:
        """What is proved of every legal move: first all results, then how soon. The book answers even when time is up,
        within a tenth of a second.
        """
        if self._early is not self._late and position.ply < PLIES:
            with suppress(_NotInBook):
                return _values(self._early, position, self._first_slice, Meter(lambda: False))
        return _values(self._late, position, self._first_slice, Meter(out_of_time))

    def forget(self) -> None:
        """Discard everything that was found."""
        self._early.forget()
        self._late.forget()

    def _known(self, mover: int, mask: int) -> int | None:
        """Raises _NotInBook, because a search of this solver beyond the book takes minutes."""
        if mask.bit_count() < PLIES:
            return self._first.score(mover, mask)
        if (score := self._book.score(mover, mask)) is None:
            raise _NotInBook
        return score


class _NotInBook(Exception):
    """No match gets to this position, though it looks as if one could: it was written by hand."""


class Provers:
    """One prover for every game; each game's is made when it is first asked for."""

    def __init__(self) -> None:
        self._seven_by_six: SevenBySixProver | None = None
        self._kernels: dict[str, Deepening] = {}
        self._missing = False

    def values(self, position: Position, out_of_time: OutOfTime) -> Mapping[str, Bounds] | None:
        if not isinstance(position, ConnectFourPosition) or (position.columns, position.rows) != (7, 6):
            return None
        self._seven_by_six = self._seven_by_six or SevenBySixProver()
        return self._seven_by_six.values(position, out_of_time)

    def search(self, position: Position, out_of_time: OutOfTime) -> Search[Any] | None:
        if isinstance(position, ConnectFourPosition) and (position.columns, position.rows) == (8, 8):
            kernel = self._kernel("connect_four_8x8")
            return EightByEightSearch(kernel, out_of_time) if kernel else None
        if isinstance(position, SantoriniPosition) and position.size in _SANTORINI_SIZES:
            kernel = self._kernel("santorini")
            return SantoriniKernelSearch(kernel, position.size, out_of_time) if kernel else None
        return None

    def forget(self) -> None:
        if self._seven_by_six is not None:
            self._seven_by_six.forget()
        for kernel in self._kernels.values():
            kernel.forget()

    def _kernel(self, name: str) -> Deepening | None:
        if name not in self._kernels and not self._missing:
            try:
                self._kernels[name] = Deepening(name)
            except NoKernel as why:
                self._missing = True
                log.warning("%s; the built-in players search in plain Python", why)
        return self._kernels.get(name)


def troubles() -> list[tuple[str, str]]:
    """Why the kernel or the book cannot be used here, and what to do."""
    found = []
    for needed in (SevenBySix, FirstPlies, Book):
        try:
            needed()
        except (NoKernel, NoBook) as why:
            words, _, todo = str(why).rpartition(": ")
            found.append((words, todo))
    return found


def _values(solver: Solver, position: ConnectFourPosition, first_slice: int, meter: Meter) -> dict[str, Bounds]:
    """What the solver proves of every legal move, until the meter says that time is over."""
    children = {move: position.play(move) for move in position.legal_moves()}
    bounds = {move: _over(child) for move, child in children.items()}
    for enough in (_result_known, _exact):
        for move, child in children.items():
            low, high = bounds[move]
            nodes = first_slice
            while not enough(low, high) and not meter.over:
                low, high = _narrow(solver, child, low, high, nodes, meter)
                nodes = more(nodes)
            bounds[move] = low, high
    return {move: _for_mover(children[move], *bounds[move]) for move in children}


def _narrow(
    solver: Solver, position: ConnectFourPosition, low: int, high: int, nodes: int, meter: Meter
) -> tuple[int, int]:
    mover = position.ply % 2
    mine, mask = position.stones[mover], position.stones[0] | position.stones[1]
    found = solver.narrow(mine, mask, low, high, nodes)
    meter.count(solver.visited)
    return found


def _result_known(low: int, high: int) -> bool:
    return low > 0 or high < 0 or low == high


def _exact(low: int, high: int) -> bool:
    return low == high


def _over(position: ConnectFourPosition) -> tuple[int, int]:
    """The initial bounds: the score if the match is over, otherwise the widest possible."""
    outcome = position.outcome()
    if outcome is None:
        return LOWEST, HIGHEST
    if outcome.winner is None:
        return 0, 0
    lost = (position.ply + 1) // 2 - 22
    return lost, lost


def _for_mover(position: ConnectFourPosition, low: int, high: int) -> Bounds:
    """The bounds of a position for the player whose move led to it."""
    return Bounds(-value(high, position.ply), -value(low, position.ply))
