"""A built-in player on a seat of the driver. It thinks in the driver's own process and has no clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from random import Random

from arena.match.commands import Fault, Play
from arena.match.series import Loser
from arena.match.state import LogEvent
from arena.play.bout import Bout, BoutTurn
from arena.play.line import WireMessage
from arena.play.loop import Loop
from arena.play.thinking import BUDGET_S, Thought, builtin_on_seat, choose
from games.players.prover import Prover


class Thinker:
    """A built-in player, named `called` or by its level. With a `seed` it plays the same match every time.

    It has the interface of a `Program`, without a process.
    """

    settled = over = True
    failed = ""
    passed: tuple[tuple[str, bytes], ...] = ()
    reads_input: bool | None = None

    def __init__(self, loop: Loop, level: str, seed: int | None = None, called: str = "") -> None:
        setup = builtin_on_seat(level)
        self.setup = setup._replace(name=called) if called else setup
        self._level = level
        self._repeatable = seed is not None
        self._rng = Random(seed)
        self._loop = loop
        self._seat = 0

    def stays(self, keep: bool) -> bool:
        """Each match has a new player with its own random numbers."""
        return False

    def go_on(self) -> None:
        """Nothing to prepare."""

    def end(self) -> None:
        """Nothing to release between matches."""

    def as_loser(self) -> Loser:
        """The next round has a new player."""
        return Loser("builtin")

    def take_wire(self, opened: float) -> list[WireMessage]:
        """It has no connection."""
        return []

    def waits_for_input(self) -> bool | None:
        return None

    def take_seat(self, bout: Bout, seat: int, is_last: Callable[[str], bool]) -> None:
        self._seat = seat
        bout.followers.append(self)

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """Think after everybody has been told, because thinking takes time."""
        if turn is not None and turn.seat == self._seat:
            self._loop.call_later(0.0, lambda: self._think(bout))

    def _think(self, bout: Bout) -> None:
        if bout.over:
            return
        state = bout.state
        thought = Thought(
            state.setup.variant,
            str(state.position),
            self._level,
            self._rng.getrandbits(32),
            time.monotonic(),
            BUDGET_S,
            self._repeatable,
        )
        try:
            move = choose(thought, _prover())
        except Exception as why:
            import logging

            logging.getLogger("arena.play").exception("match %s: the built-in player failed", bout.id)
            bout.post(Fault(self._seat, "crash", f"the built-in player failed: {why}"))
        else:
            bout.post(Play(self._seat, state.position.ply + 1, move))


@cache
def _prover() -> Prover:
    """The prover of all players in this process, loaded when the first of them thinks."""
    from arena.analysis.provers import Provers

    return Provers()
