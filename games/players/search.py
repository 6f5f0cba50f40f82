"""Alpha-beta with a table and iterative deepening: the search that every built-in player uses.

A game defines its own `Search`: what a node is, when its value is known, what it is estimated at otherwise, and its
children, most promising first. Values are for the player to move: `WIN - n` for a win that ends the match at ply n (so
the quickest win and the longest resistance rank first), the negative for a loss, 0 for a draw, and estimates far below
`PROVEN` for everything undecided.

The clock is the caller's: `out_of_time` is called every 256 nodes, and on True the best move so far stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Generic, TypeVar

WIN = 1_000_000
PROVEN = WIN - 100_000
EXACT = 10_000  # the depth stored with values that rest on no estimate
OutOfTime = Callable[[], bool]
Node = TypeVar("Node")

_POLL = 256  # nodes between two looks at the clock: 1 to 5 ms
_TABLE_LIMIT = 400_000  # entries, about 150 MB at worst; one second fills a quarter of it


class Search(ABC, Generic[Node]):
    """One search. Use a new one for each choice of a move, so that the same input gives the same move."""

    def __init__(self, out_of_time: OutOfTime) -> None:
        self._out_of_time = out_of_time
        self._nodes = 0
        self._cut = False
        self._table: dict[Hashable, tuple[Hashable, int, int, int, Node | None]] = {}

    @property
    def visited(self) -> int:
        """The number of nodes evaluated so far."""
        return self._nodes

    def look(self, node: Node, depth: int) -> tuple[int, bool]:
        """The node's value `depth` plies ahead, and whether it rests on an estimate. Raises TimeoutError."""
        self._cut = False
        return self.value(node, depth, -WIN, WIN), self._cut

    @abstractmethod
    def key(self, node: Node) -> Hashable:
        """A key that is equal for nodes of equal value."""

    def slot(self, key: Hashable) -> Hashable:
        """The table slot of this key; of two keys in one slot the later is kept. By default each key has its own."""
        return key

    @abstractmethod
    def settled(self, node: Node) -> int | None:
        """The node's exact value if it is known without looking further, else None."""

    @abstractmethod
    def estimate(self, node: Node) -> int:
        """The estimated value of a node that is not settled."""

    @abstractmethod
    def children(self, node: Node) -> Iterable[Node]:
        """The nodes after each move worth trying, most promising first; generate them lazily if they are costly."""

    def hopeless(self, node: Node) -> int:
        """The value of an unsettled node without children, where every move loses at once."""
        raise NotImplementedError(f"an unsettled node has no children: {node}")

    def rank(self, nodes: Mapping[str, Node], ply: int, deepest: int) -> list[str]:
        """The moves that lead from a position at `ply` to `nodes`, best first, searched at most `deepest` plies ahead.

        The second is the move that the best one displaced, which needs no search of its own.
        """
        order = list(nodes)
        if len(order) == 1:
            return order
        with suppress(TimeoutError):
            for depth in range(1, deepest + 1):
                self._cut = False
                value = self._improve(order, nodes, depth)
                # A table entry may know of a distant win before a nearer one is found: search as deep as that win.
                if not self._cut or (abs(value) > PROVEN and WIN - abs(value) - ply <= depth):
                    break
        return order

    def _improve(self, order: list[str], nodes: Mapping[str, Node], depth: int) -> int:
        """Bring the best move at this depth to the front of `order`, even when time runs out on the way."""
        best = -WIN
        for move in tuple(order):
            value = -self.value(nodes[move], depth - 1, -WIN, -best)
            if value > best:
                best = value
                order.remove(move)
                order.insert(0, move)
        return best

    def value(self, node: Node, depth: int, alpha: int, beta: int) -> int:
        """The node's value `depth` plies ahead: exact between `alpha` and `beta`, else a bound beyond them.

        Raises TimeoutError when the caller is out of time.
        """
        self._nodes += 1
        if not self._nodes % _POLL and self._out_of_time():
            raise TimeoutError
        settled = self.settled(node)
        if settled is not None:
            return settled
        if depth <= 0:
            self._cut = True
            return self.estimate(node)
        key = self.key(node)
        slot = self.slot(key)
        kept, known, low, high, first = self._table.get(slot, (key, 0, -WIN, WIN, None))
        if kept != key:
            known, first = 0, None
        if known >= depth and (low >= beta or high <= alpha or low == high):
            self._cut |= known < EXACT
            return high if high <= alpha else low
        cut_before, self._cut = self._cut, False
        best, choice = self._best_child(node, first, depth, alpha, beta)
        if len(self._table) >= _TABLE_LIMIT:
            self._table.clear()
        bounds = (best if best > alpha else -WIN, best if best < beta else WIN)
        self._table[slot] = (key, depth if self._cut else EXACT, *bounds, choice)
        self._cut |= cut_before
        return best

    def _best_child(self, node: Node, first: Node | None, depth: int, alpha: int, beta: int) -> tuple[int, Node | None]:
        best, choice = -WIN, None
        for child in self._first_of_all(first, node):
            value = -self.value(child, depth - 1, -beta, -alpha)
            if value > best:
                best, choice = value, child
                alpha = max(alpha, value)
                if value >= beta:
                    break
        return (best, choice) if choice is not None else (self.hopeless(node), None)

    def _first_of_all(self, first: Node | None, node: Node) -> Iterable[Node]:
        """The children, with the previously best one first. It comes again later, which costs one table look-up."""
        return self.children(node) if first is None else chain((first,), self.children(node))
