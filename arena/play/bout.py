"""The referee of one match without a server: mailbox → decide → evolve → tell, as in `arena.core.referee`, with a log
in memory. Nothing waits for storage, so each act is judged and announced before the next.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

from arena.match.commands import Abort, Command, Flag, Play, Refusal
from arena.match.decide import decide, opened
from arena.match.evolve import evolve
from arena.match.state import TURN_GOES_ON, Left, LogEvent, Setup, first_state
from arena.match.turn import RunningTurn
from arena.play.loop import Alarm, Loop
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Protocol

    from arena.play.lost_time import LostTime

    class Follower(Protocol):
        """Is told of every logged event: both players, and the printer."""

        def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None: ...


# An alarm rings this much after its deadline, which has then certainly passed.
AFTER_DEADLINE_S = 0.001

Refused = Callable[[Refusal], None]


class BoutTurn(NamedTuple):
    """The turn of `seat` begins now."""

    seat: int
    left_ms: Left


class Bout:
    """One match: `id`, its log `events`, and the resulting `state`. Times are those of `time.monotonic`.

    Without a clock, `silent(bout, seat)` is called once a turn, after `silence_s`. Time that this process takes from a
    turn, because it is suspended or does something else, is given back if `gives_back`.
    """

    def __init__(
        self,
        loop: Loop,
        match: str,
        setup: Setup,
        silence_s: float,
        silent: Callable[[Bout, int], None],
        gives_back: bool = True,
    ) -> None:
        """Raises KeyError or ValueError for a setup that cannot be played."""
        self.id = match
        self.opened_at = time.monotonic()
        state = first_state(setup)
        self.events = list(opened(state, datetime.now(UTC)))
        for event in self.events[1:]:
            state = evolve(state, event)
        self.state = state
        self.over = False
        self.followers: list[Follower] = []
        self._loop = loop
        self._mailbox: deque[tuple[Command, float, Refused | None]] = deque()
        self._working = False
        self._turn = RunningTurn()
        self._deadline: float | None = None  # of the turn, or of the patience with a silent bot
        self._alarm: Alarm | None = None
        self._silence_s, self._silent = silence_s, silent
        self._lost_time: LostTime | None = None
        if gives_back and setup.clock != "none":
            from arena.play.lost_time import LostTime

            self._lost_time = LostTime(loop, self._give_back, lambda: self._turn.is_timed)

    def post(self, command: Command, refused: Refused | None = None, stamp: float | None = None) -> None:
        """Carry out `command`, now or after the current one; `refused` is called if it is."""
        if stamp is None:
            stamp = time.monotonic()
        if self._working:
            self._mailbox.append((command, stamp, refused))
            return
        self._working = True
        try:
            self._look()
            self._decide(command, stamp, refused)
            while self._mailbox:
                self._decide(*self._mailbox.popleft())
        finally:
            self._working = False

    def _decide(self, command: Command, stamp: float, refused: Refused | None) -> None:
        state = self.state
        elapsed_ms, given_back_ms = self._turn.elapsed_ms(stamp)
        if given_back_ms and isinstance(command, Play | Flag):
            command = command._replace(given_back_ms=given_back_ms)
        try:
            events = decide(state, command, datetime.now(UTC), elapsed_ms)
        except Refusal as refusal:
            if refused is not None:
                refused(refusal)
            return
        except Exception:
            self._our_fault(command)
            return
        if events:
            for event in events:
                state = evolve(state, event)
            self.state, self.over = state, state.phase == "ended"
            self.events += events
            self._tell(events)

    def _our_fault(self, command: Command) -> None:
        """End only this match after a bug of ours."""
        import logging

        logging.getLogger("arena.play").exception("match %s: deciding %r failed", self.id, command)
        if type(command) is not Abort:
            self.post(Abort("server_abort", "the server could not judge this match"))

    def _tell(self, events: tuple[LogEvent, ...]) -> None:
        """Tell everyone about the logged events, then begin the next turn: nobody pays for the telling."""
        mover = self.state.to_move
        goes_on = events[-1].kind in TURN_GOES_ON
        turn = None if mover is None or goes_on else BoutTurn(mover, self.state.left_ms)
        for follower in tuple(self.followers):
            follower.follow(self, events, turn)
        if self.over:
            self._end()
        elif turn is not None:
            self._turn.begin(time.monotonic())
            self._arm()

    def _end(self) -> None:
        """Stop all clocks."""
        self._turn.end()
        self._deadline = None
        if self._alarm is not None:
            self._alarm.cancel()
        if self._lost_time is not None:
            self._lost_time.close()

    def _arm(self) -> None:
        """Set the match's one alarm. It is only moved to an earlier deadline; a later one is noticed when it rings."""
        turn = self._turn
        assert turn.since is not None, "a turn has begun"
        turn.allow(self.state.allowed_ms)
        if turn.deadline is None:
            self._deadline = turn.since + self._silence_s
        else:
            self._deadline = turn.deadline
            if self._lost_time is not None:
                self._lost_time.go_on()
        if self._alarm is None or self._alarm.when > self._deadline + AFTER_DEADLINE_S:
            self._set_alarm()

    def _set_alarm(self) -> None:
        assert self._deadline is not None, "somebody has a deadline"
        if self._alarm is not None:
            self._alarm.cancel()
        wait_s = max(0.0, self._deadline - time.monotonic()) + AFTER_DEADLINE_S
        self._alarm = self._loop.call_later(wait_s, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._look()
        if self._deadline is None or self._alarm is not None:
            return
        if time.monotonic() <= self._deadline:
            self._set_alarm()
        elif self._turn.is_timed:
            self.post(Flag(self.state.seq))
        elif (seat := self.state.to_move) is not None:
            self._deadline = None
            self._silent(self, seat)

    # -- time that is our fault ----------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Check now whether this process has stalled."""
        if self._lost_time is not None:
            self._lost_time.look()

    def _give_back(self, began: float, now: float) -> None:
        """Do not charge the running turn for a stall."""
        if self._turn.is_timed:
            self._turn.give_back(began, now)
            self._arm()
