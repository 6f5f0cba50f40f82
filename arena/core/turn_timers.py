"""The starts and deadlines of turns: one timer for each live match, and one for a move that came before its pace.

The referee reports each turn here once its event is logged. A deadline that passes becomes a `Flag` in the mailbox like
any other command, and deciding it checks whether the time is really over. Times are those of `time.monotonic`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from arena.core.hub import Hub, LiveMatch, TurnSignal
from arena.core.viewers import NOBODY, lag_ms
from arena.match.commands import Command, Flag, Refusal
from arena.match.state import TURN_GOES_ON, LogEvent
from arena.play.lost_time import TICK_S, LostTime

# A timer fires this much after its deadline, which has then certainly passed.
AFTER_DEADLINE_S = 0.001


class Judge(Protocol):
    """Takes the flag of a turn whose time is over; nothing is judged while storage fails."""

    @property
    def stands(self) -> bool: ...

    def post(self, live: LiveMatch, command: Command, reply: Callable[[Refusal | None], None]) -> None: ...


class TurnTimers:
    """The turns of all live matches. Call all methods from the loop's thread."""

    def __init__(self, hub: Hub, judge: Judge) -> None:
        self._hub = hub
        self._judge = judge
        self._loop = asyncio.get_running_loop()
        self._lost_time = LostTime(self._loop, self.lose, self._is_any_timed)

    def close(self) -> None:
        """Stop all timers."""
        self._lost_time.close()
        for live in self._hub.lives.values():
            self.stop(live)

    def stop(self, live: LiveMatch) -> None:
        for timer in (live.timer, live.paced):
            if timer is not None:
                timer.cancel()
        live.timer = live.paced = live.turn.deadline = None

    # -- a turn begins -------------------------------------------------------------------------------------------------

    def follow(self, live: LiveMatch, events: tuple[LogEvent, ...], tell: Callable[[TurnSignal | None], None]) -> None:
        """`tell` of these events with the turn that they begin, then begin it, so that nobody is charged for the
        telling. A turn that must be paced begins later.
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
        """Seconds until the next turn may begin. A move made before its turn began shortens no other turn."""
        pace_ms = live.state.setup.pace_ms
        since = live.turn.since if live.paced is None else live.paced.when()
        return max(0.0, since + pace_ms / 1000 - time.monotonic()) if since is not None else 0.0

    def begin(self, live: LiveMatch) -> None:
        """Begin a turn that was paced, or that of a match that continues from its log."""
        live.paced = None
        if (seat := live.state.to_move) is not None:
            self._hub.tell(live, TurnSignal(live.state.seq, seat, live.state.left_ms))
            self._begin(live, time.monotonic())

    def _begin(self, live: LiveMatch, now: float) -> None:
        live.turn.begin(now)
        if live.viewers is not NOBODY:
            self._give_back_lag(live)
        self.stop_or_go(live, now)

    def _give_back_lag(self, live: LiveMatch) -> None:
        seat = live.state.to_move
        if seat is not None and live.state.left_ms[seat] is not None:
            live.turn.give_back_lag(lag_ms(live.viewers, seat))

    def stop_or_go(self, live: LiveMatch, now: float) -> None:
        """Stop or start the clock of the running turn, after somebody left or came back or a turn began."""
        live.stop_or_go(now)
        self._arm(live)

    # -- its time is over ----------------------------------------------------------------------------------------------

    def _arm(self, live: LiveMatch) -> None:
        """Set the match's one timer. It is only moved to an earlier deadline; a later one is noticed when it fires."""
        live.turn.allow(live.state.allowed_ms)
        deadline = live.turn.deadline
        if deadline is None:
            return
        self._lost_time.go_on()
        if live.timer is None or live.timer.when() > deadline + AFTER_DEADLINE_S:
            self._set_timer(live, deadline)

    def _set_timer(self, live: LiveMatch, deadline: float) -> None:
        if live.timer is not None:
            live.timer.cancel()
        wait = max(0.0, deadline - time.monotonic()) + AFTER_DEADLINE_S
        live.timer = self._loop.call_later(wait, self._fire, live)

    def _fire(self, live: LiveMatch) -> None:
        """Flag the turn, or wait again if the deadline has moved or time was given back."""
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
        """Try again soon if the flag had no effect: the mailbox was full, or nearly all the time was given back."""
        if live.turn.deadline is not None and live.timer is None and not live.over:
            live.timer = self._loop.call_later(TICK_S, self._fire, live)

    # -- time that is our fault ----------------------------------------------------------------------------------------

    def look(self) -> None:
        """Check now whether the loop has stalled."""
        self._lost_time.look()

    def _is_any_timed(self) -> bool:
        return any(live.turn.is_timed for live in self._hub.lives.values() if not live.over)

    def lose(self, began: float, now: float) -> None:
        """Give back this time, lost through the server's fault, to every running turn; its last event logs it."""
        for live in self._hub.running():
            if live.turn.is_timed:
                live.turn.give_back(began, now)
                self._arm(live)

    def go_on(self, live: LiveMatch) -> None:
        """Set the timer again after judging was suspended: a deadline may have passed meanwhile."""
        if live.timer is None and (deadline := live.turn.deadline) is not None:
            self._set_timer(live, deadline)
