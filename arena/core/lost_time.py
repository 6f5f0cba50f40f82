"""Finds the time that the server itself takes from running turns: while its loop stalls, and while storage fails.

Nobody pays for it, and no moment of it is given back twice, however many reasons it has.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from arena.core.hub import LiveMatch
from arena.core.ledger import Ledger
from arena.match.commands import Play

TICK_S = 0.02
STALL_S = 0.05

# From when to when, of `time.monotonic`.
GiveBack = Callable[[float, float], None]


class LostTime:
    """Tells of each stretch once, when it is over. All methods are for the loop's thread."""

    def __init__(self, ledger: Ledger, stalled: GiveBack, storage_failed: GiveBack) -> None:
        self._ledger, self._stalled, self._storage_failed = ledger, stalled, storage_failed
        self._loop = asyncio.get_running_loop()
        self._last_tick = time.monotonic()
        self._given_until = 0.0  # what lies before was given back already
        self._stalled_since: float | None = None  # where the loop stalled while storage fails
        self._timer = self._loop.call_later(TICK_S, self._tick)
        ledger.on_restored = self._restored

    def close(self) -> None:
        self._timer.cancel()

    def look(self) -> None:
        """Find out now whether the loop has stalled.

        While storage fails everything is given back at its end, so a stall only adds what lies before it.
        """
        now = time.monotonic()
        began = self._last_tick + TICK_S
        self._last_tick = now
        if now - began <= STALL_S:
            return
        if not self._ledger.failing:
            self._give(self._stalled, began, now)
        elif self._stalled_since is None:
            self._stalled_since = began

    def _tick(self) -> None:
        self.look()
        self._timer = self._loop.call_later(TICK_S, self._tick)

    def _restored(self, seconds: float) -> None:
        now = self._last_tick = time.monotonic()
        began = min(now - seconds, self._stalled_since or now)
        self._stalled_since = None
        self._give(self._storage_failed, began, now)

    def _give(self, back: GiveBack, began: float, now: float) -> None:
        began, self._given_until = max(began, self._given_until), now
        back(began, now)


def lost_ms(live: LiveMatch, ms: int, until: float) -> int:
    """How much of the running turn fell into the `ms` before `until`; a move that waits ended its turn at its stamp."""
    if live.turn_since is None:
        return 0
    seat = live.state.to_move
    moves: list[float] = [act.stamp for act in live.mailbox if type(act.command) is Play and act.command.seat == seat]
    begin = max(live.turn_since, until - ms / 1000)
    return max(0, round((min([until, *moves]) - begin) * 1000))
