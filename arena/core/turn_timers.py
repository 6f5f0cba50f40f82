"""When a turn begins, and when its time is over: one timer for each live match, and one for a move that came too fast.

The referee tells of each turn here once its event is in the log. A deadline that passes becomes a `Flag` in the mailbox
like any other command: whether the time is really over is decided there. Times are those of `time.monotonic`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Protocol

from arena.core.hub import Hub, LiveMatch, TurnSignal
from arena.core.lost_time import TICK_S, LostTime
from arena.match.commands import Command, Flag, Refusal
from arena.match.state import TURN_GOES_ON, LogEvent

# A timer fires so long after its deadline, which is then certain to have passed.
AFTER_DEADLINE_S = 0.001


class Judge(Protocol):
    """Takes the flag of a turn that is over; nothing is judged while storage fails."""

    @property
    def stands(self) -> bool: ...

    def post(self, live: LiveMatch, command: Command, reply: Callable[[Refusal | None], None]) -> None: ...


class TurnTimers:
    """The turns of all live matches. All methods are for the loop's thread."""

    def __init__(self, hub: Hub, judge: Judge) -> None:
        self._hub = hub
        self._judge = judge
        self._loop = asyncio.get_running_loop()
        self._lost_time = LostTime(self.lose, self._is_any_timed)

    def close(self) -> None:
        """No timer fires any more."""
        self._lost_time.close()
        for live in self._hub.lives.values():
            self.stop(live)

    def stop(self, live: LiveMatch) -> None:
        """This match is over."""
        for timer in (live.timer, live.paced):
            if timer is not None:
                timer.cancel()
        live.timer = live.paced = live.turn.deadline = None

    # -- a turn begins -------------------------------------------------------------------------------------------------

    def follow(self, live: LiveMatch, events: tuple[LogEvent, ...], tell: Callable[[TurnSignal | None], None]) -> None:
        """`tell` of these events with the turn that they begin, then begin it: nobody pays for our work. A paced turn
        begins later.
        """
        state = live.state
        mover = state.to_move
        begins = not TURN_GOES_ON.issuperset([event.kind for event in events])
        wait = self._pace(live) if begins and mover is not None and state.setup.pace_ms else 0.0
        if begins and live.paced is not None:
            live.paced.cancel()
            live.paced = None
        turn = TurnSignal(state.seq, mover, state.left_ms) if mover is not None and begins and not wait else None
        tell(turn)
        if live.over:
            self.stop(live)
        elif turn is not None:
            self._begin(live, time.monotonic())
        elif wait:
            live.turn.end()
            live.paced = self._loop.call_later(wait, self.begin, live)
        else:
            self._arm(live)

    def _pace(self, live: LiveMatch) -> float:
        """Seconds until the next turn may begin. A move that came before its turn had begun shortens no other turn."""
        pace_ms = live.state.setup.pace_ms
        since = live.turn.since if live.paced is None else live.paced.when()
        return max(0.0, since + pace_ms / 1000 - time.monotonic()) if since is not None else 0.0

    def begin(self, live: LiveMatch) -> None:
        """The turn that was paced begins, or that of a match that has waited in its log."""
        live.paced = None
        if (seat := live.state.to_move) is not None:
            self._hub.tell(live, TurnSignal(live.state.seq, seat, live.state.left_ms))
            self._begin(live, time.monotonic())

    def _begin(self, live: LiveMatch, now: float) -> None:
        live.turn.begin(now)
        self.stop_or_go(live, now)

    def stop_or_go(self, live: LiveMatch, now: float) -> None:
        """Somebody is away or back, or a turn begins: its clock stands or runs."""
        live.stop_or_go(now)
        self._arm(live)

    # -- its time is over ----------------------------------------------------------------------------------------------

    def _arm(self, live: LiveMatch) -> None:
        """One timer a match: it is moved only when the deadline comes nearer, else it finds out when it fires."""
        allowed, turn = live.state.allowed_ms, live.turn
        if allowed is None or turn.since is None or turn.stands_since is not None:
            turn.deadline = None
            return
        deadline = turn.since + allowed / 1000
        if turn.lost:
            deadline += turn.lost_s(math.inf)
        turn.deadline = deadline
        self._lost_time.go_on()
        if live.timer is None or live.timer.when() > deadline + AFTER_DEADLINE_S:
            self._set_timer(live, deadline)

    def _set_timer(self, live: LiveMatch, deadline: float) -> None:
        if live.timer is not None:
            live.timer.cancel()
        wait = max(0.0, deadline - time.monotonic()) + AFTER_DEADLINE_S
        live.timer = self._loop.call_later(wait, self._fire, live)

    def _fire(self, live: LiveMatch) -> None:
        """The deadline may have moved on, or time may have been given back: then wait for the new one."""
        live.timer = None
        self.look()
        deadline = live.turn.deadline
        if deadline is None or self._judge.stands:
            return
        if time.monotonic() <= deadline:
            self._set_timer(live, deadline)
            return
        self._judge.post(live, Flag(live.state.seq), lambda refusal: self._flagged(live))

    def _flagged(self, live: LiveMatch) -> None:
        """The flag came to nothing while the turn goes on: the mailbox was full, or nearly all of it was given back."""
        if live.turn.deadline is not None and live.timer is None and not live.over:
            live.timer = self._loop.call_later(TICK_S, self._fire, live)

    # -- time that is our fault ----------------------------------------------------------------------------------------

    def look(self) -> None:
        """Find out now whether the loop has stalled."""
        self._lost_time.look()

    def _is_any_timed(self) -> bool:
        return any(live.turn.is_timed for live in self._hub.lives.values() if not live.over)

    def lose(self, began: float, now: float) -> None:
        """Every running turn lost this time through our fault: its clock stood, as the event that ends it will say."""
        for live in self._hub.running():
            if live.turn.is_timed:
                live.turn.give_back(began, now)
                self._arm(live)

    def go_on(self, live: LiveMatch) -> None:
        """Nothing was judged for a while: a deadline may have passed meanwhile."""
        if live.timer is None and (deadline := live.turn.deadline) is not None:
            self._set_timer(live, deadline)
