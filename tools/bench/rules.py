"""Speed of the rules: random Connect Four matches, ours against OpenSpiel and PettingZoo, all called from Python.

All play uniformly random legal moves, drawn in the same way, from the first position to the end. They take turns; the
rate of each is the median of its turns, by processor time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from statistics import median

import games
from games.players.connect_four_search import size
from tools.bench.figures import Figure

COLUMNS, ROWS = 7, 6

# Plays this many matches and returns the number of their moves.
Player = Callable[[int, random.Random], int]


def run(turns: int = 9, matches: int = 1500) -> Iterator[Figure]:
    rates: dict[str, list[float]] = {name: [] for name in PLAYERS}
    for turn in range(turns):
        for name, (play, slower) in PLAYERS.items():
            rates[name].append(_moves_a_second(play, max(1, matches // slower), turn))
    typical = {name: median(some) for name, some in rates.items()}
    yield _figure("legal_moves and play / OpenSpiel", typical, "rules", "openspiel", 0.5)
    yield _figure("bitboards of the players / OpenSpiel", typical, "bitboards", "openspiel", 1.0)
    yield _figure("legal_moves and play / PettingZoo", typical, "rules", "pettingzoo", 20)


def _figure(title: str, rate: dict[str, float], ours: str, theirs: str, goal: float) -> Figure:
    return Figure(title, rate[ours] / rate[theirs], goal, f"{rate[ours]:,.0f} and {rate[theirs]:,.0f} moves/s")


def _moves_a_second(play: Player, matches: int, seed: int) -> float:
    rng = random.Random(seed)
    begin = time.process_time()
    moves = play(matches, rng)
    return moves / (time.process_time() - begin)


def by_the_rules(matches: int, rng: random.Random) -> int:
    start, draw, plies = games.variant(f"connect-four-{COLUMNS}x{ROWS}").start(), rng.random, 0
    for _ in range(matches):
        position = start
        while legal := position.legal_moves():
            position = position.play(legal[int(draw() * len(legal))])
        plies += position.ply
    return plies


def on_bitboards(matches: int, rng: random.Random) -> int:
    """On those of the built-in players' search. A column is drawn until one is open, which is as random."""
    board, draw, plies = size(COLUMNS, ROWS), rng.random, 0
    bottom, full, files = board.bottom, board.full, board.files
    (rising, rising_2, _), (along, along_2, _), (falling, falling_2, _) = board.lines
    for _ in range(matches):
        mover = other = 0
        while playable := ((mover | other) + bottom) & full:
            while not (move := playable & files[int(draw() * COLUMNS)]):
                pass
            mover |= move
            plies += 1
            up, right = mover & (mover >> 1), mover & (mover >> along)
            one, two = mover & (mover >> rising), mover & (mover >> falling)
            if up & (up >> 2) or right & (right >> along_2) or one & (one >> rising_2) or two & (two >> falling_2):
                break
            mover, other = other, mover
    return plies


def with_openspiel(matches: int, rng: random.Random) -> int:
    import pyspiel  # here, because it is not installed for the tests

    game, draw, plies = pyspiel.load_game("connect_four"), rng.random, 0
    for _ in range(matches):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            plies += 1
    return plies


def with_pettingzoo(matches: int, rng: random.Random) -> int:
    from pettingzoo.classic.connect_four.connect_four import raw_env

    env, draw, plies = raw_env(), rng.random, 0
    for _ in range(matches):
        env.reset()
        while True:
            observation, _, over, _, _ = env.last()
            if over:
                break
            legal = [column for column, free in enumerate(observation["action_mask"]) if free]
            env.step(legal[int(draw() * len(legal))])
            plies += 1
    return plies


# How each plays, and by which factor it gets fewer matches for its turn.
PLAYERS: dict[str, tuple[Player, int]] = {
    "rules": (by_the_rules, 1),
    "bitboards": (on_bitboards, 1),
    "openspiel": (with_openspiel, 1),
    "pettingzoo": (with_pettingzoo, 30),
}
