"""Proves the moves of any position, by game: Connect Four 7x6 and Expanding Nim exactly; on 8x8 and in Santorini as far
ahead as a search may look, without its estimates. No other game has a solver.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.analysis.kernel import NoKernel, facts
from arena.analysis.provers import Provers
from games.connect_four import ConnectFourPosition
from games.expanding_nim import NimPosition
from games.game import Position
from games.players import connect_four, expanding_nim_exact, santorini
from games.players.player import Outlook, SearchingPlayer
from games.players.prover import NOTHING, Bounds
from games.players.search import PROVEN, WIN, OutOfTime, Search
from games.santorini import SantoriniPosition

SOLVED = ("connect-four", "expanding-nim", "santorini")

_DEEPEST = 200  # further than any match goes
_SEARCHED: dict[type[Position], SearchingPlayer[Any]] = {
    ConnectFourPosition: connect_four.PLAYER,
    SantoriniPosition: santorini.PLAYER,
}


class Proofs:
    """Keeps its results, so it is best to ask for the positions of a match from the last to the first."""

    def __init__(self, provers: Provers | None = None) -> None:
        self._provers = provers or Provers()

    def bounds(self, position: Position, out_of_time: Callable[[], OutOfTime]) -> dict[str, Bounds] | None:
        """What is proved about every legal move, for its player; None without a solver. `out_of_time` is called for
        each search and returns the function that ends it.
        """
        if isinstance(position, NimPosition):
            return expanding_nim_exact.values(position)
        if exact := self._provers.values(position, out_of_time()):
            return dict(exact)
        player = _SEARCHED.get(type(position))
        if player is None:
            return None
        told = out_of_time()
        search = self._provers.search(position, told) or player.search(position, told)
        return _proved(search, position, player.outlook(position))


def kernel_version() -> str:
    """The kernel in use: the first digits of its SHA-256, or `reference` where none can be run."""
    try:
        from arena.analysis.kernel import load

        load()
    except NoKernel:
        return "reference"
    return str(facts()["module"][:12])


def _proved(search: Search[object], position: Position, outlook: Outlook) -> dict[str, Bounds]:
    """Look one ply further each time until everything is proved or time is up."""
    found = {move: Bounds(value, value) for move, value in outlook.decided.items()}
    left = dict(outlook.open)
    try:
        for depth in range(1, _DEEPEST + 1):
            for move, node in tuple(left.items()):
                value, is_estimate = search.look(node, depth - 1)
                bounds = _bounds(-value, is_estimate, position.ply, depth)
                found[move] = bounds
                if bounds.exact:
                    del left[move]
            if not left:
                break
    except TimeoutError:
        pass
    return {move: found.get(move, NOTHING) for move in position.legal_moves()}


def _bounds(value: int, is_estimate: bool, ply: int, depth: int) -> Bounds:
    """The bounds proved by a value found `depth` plies ahead of `ply`: an end within these is the earliest, because all
    lines up to there were examined; before a later one, from the table, there may be another.
    """
    if not is_estimate:
        return Bounds(value, value)
    if abs(value) <= PROVEN:
        return NOTHING
    seen = WIN - abs(value) - ply <= depth
    if value > 0:
        return Bounds(value, value if seen else WIN - ply - 1)
    return Bounds(value if seen else ply + 1 - WIN, value)
