"""The searches of the kernel beside those in plain Python, on random positions at fixed depths."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import games
from arena.analysis.kernel import Deepening
from games.connect_four import ConnectFourPosition
from games.players import connect_four_search, santorini_search
from games.players.search import WIN
from games.santorini import SantoriniPosition
from tests.kit.positions import never, wins_in_one

_WORD = (1 << 64) - 1


def quiet_positions(slug: str, least_plies: int, most_plies: int, count: int, seed: int) -> Iterator[games.Position]:
    """Unfinished positions after this many random moves that have no win in one."""
    rng = Random(seed)
    while count:
        position, plies = games.variant(slug).start(), rng.randint(least_plies, most_plies)
        while position.to_move is not None and position.ply < plies:
            position = position.play(rng.choice(position.legal_moves()))
        if position.to_move is not None and not wins_in_one(position):
            yield position
            count -= 1


def connect_four_differences(count: int, seed: int, deepest: int = 5) -> list[str]:
    """Where kernel and reference differ in the value, in whether it is an estimate, or in how many they visited."""
    kernel, board, rng = Deepening("connect_four_8x8"), connect_four_search.size(8, 8), Random(seed)
    reference, found = connect_four_search.ConnectFourSearch(board, never), []
    for position in quiet_positions("connect-four-8x8", 0, 60, count, seed):
        assert isinstance(position, ConnectFourPosition)
        mover, other = position.stones[position.ply % 2], position.stones[1 - position.ply % 2]
        depth, before, mask = rng.randint(1, deepest), reference.visited, mover | other
        expected = reference.look(board.node(mover, other), depth), reference.visited - before
        words = mover & _WORD, mover >> 64, mask & _WORD, mask >> 64
        said = kernel.value(words, depth, -WIN, WIN, 1 << 30), kernel.visited
        if said != expected:
            found.append(f"{position} at depth {depth}: {said}, expected {expected}")
    return found


def santorini_differences(size: int, count: int, seed: int, deepest: int = 3) -> list[str]:
    """The same for Santorini of this size."""
    kernel, rng = Deepening("santorini"), Random(seed)
    reference, found = santorini_search.SantoriniSearch(santorini_search.size(size), never), []
    for position in quiet_positions(f"santorini-{size}x{size}", 4, 50, count, seed):
        assert isinstance(position, SantoriniPosition)
        workers = [sum(1 << cell for cell in position.workers[seat::2]) for seat in (0, 1)]
        mine, theirs = workers[position.ply % 2], workers[1 - position.ply % 2]
        one, two, three, dome = (
            sum(1 << cell for cell, built in enumerate(position.heights) if built >= level) for level in (1, 2, 3, 4)
        )
        depth, before = rng.randint(1, deepest), reference.visited
        node = position.ply, mine, theirs, (one, two, three, dome)
        expected = reference.look(node, depth), reference.visited - before
        words = size, position.ply, mine, theirs, one, two, three, dome
        said = kernel.value(words, depth, -WIN, WIN, 1 << 30), kernel.visited
        if said != expected:
            found.append(f"{position} at depth {depth}: {said}, expected {expected}")
    return found
