"""The players' searches in the kernel: the same moves at the same depth, about twenty times as fast."""

from __future__ import annotations

from arena.analysis.kernel import Deepening, Meter, more
from games.players import connect_four_search, santorini_search
from games.players.search import OutOfTime

_FIRST_NODES = 1 << 16
_WORD = (1 << 64) - 1


class _Asking:
    """Asks the kernel until it answers or there is no time left."""

    def __init__(self, kernel: Deepening, out_of_time: OutOfTime) -> None:
        self._kernel = kernel
        self._meter = Meter(out_of_time)

    def value(self, position: tuple[int, ...], depth: int, alpha: int, beta: int) -> tuple[int, bool]:
        """See Deepening. Raises TimeoutError."""
        nodes = _FIRST_NODES
        while not self._meter.over:
            found = self._kernel.value(position, depth, alpha, beta, nodes)
            self._meter.count(self._kernel.visited)
            if found is not None:
                return found
            nodes = more(nodes)
        raise TimeoutError


class EightByEightSearch(connect_four_search.ConnectFourSearch):
    """Connect Four 8x8."""

    def __init__(self, kernel: Deepening, out_of_time: OutOfTime) -> None:
        super().__init__(connect_four_search.size(8, 8), out_of_time)
        self._asking = _Asking(kernel, out_of_time)

    def value(self, node: connect_four_search.Node, depth: int, alpha: int, beta: int) -> int:
        _, mover, mask, _, _ = node
        position = mover & _WORD, mover >> 64, mask & _WORD, mask >> 64
        found, is_cut = self._asking.value(position, depth, alpha, beta)
        self._cut |= is_cut
        return found


class SantoriniKernelSearch(santorini_search.SantoriniSearch):
    """Santorini 5x5 or 6x6."""

    def __init__(self, kernel: Deepening, size: int, out_of_time: OutOfTime) -> None:
        super().__init__(santorini_search.size(size), out_of_time)
        self._size = size
        self._asking = _Asking(kernel, out_of_time)

    def value(self, node: santorini_search.Node, depth: int, alpha: int, beta: int) -> int:
        ply, mine, theirs, levels = node
        found, is_cut = self._asking.value((self._size, ply, mine, theirs, *levels), depth, alpha, beta)
        self._cut |= is_cut
        return found
