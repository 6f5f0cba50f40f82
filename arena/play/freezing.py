"""Suspends a program while it is not its turn, so that its opponent has the processor: a moment after its turn its
whole process group, or in a sandbox all its descendants. Not before its first move: it may be starting.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without its enumerations, which load slowly
import os

from arena.transports.process_tree import signal_all, stand_still, stop_family
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.match.state import LogEvent
    from arena.play.bout import Bout, BoutTurn
    from arena.play.loop import Alarm, Loop

# A program that has just answered still has work to do: the end of its line, the wait for the next one.
SOON_S = 0.002
# The longest time between two checks whether the program may be stopped.
SELDOM_S = 0.05


class Freezer:
    """Stops the process group `pid`. `may()` says whether it may be stopped now: it owes no answer and has read
    everything. `boxed`: the program runs in a group of its own below `pid`. It follows the matches of its program,
    which has this `seat`.
    """

    def __init__(self, loop: Loop, pid: int, may: Callable[[], bool], boxed: bool = False) -> None:
        self.frozen = False
        self.seat = 0
        self._boxed, self._stopped, self._known, self._forks = boxed, set[int](), set[int](), False
        self._loop, self._pid, self._may = loop, pid, may
        self._alarm: Alarm | None = None
        self._pause_s = SOON_S

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """Continue the program before it is asked to move, and stop it after its move."""
        if bout.over or (turn is not None and turn.seat == self.seat):
            self.thaw()
        elif any(event.kind == "move" and event.seat == self.seat and event.actor == "" for event in events):
            self.freeze_soon()

    def freeze_soon(self) -> None:
        """Stop the program soon, because its turn is over."""
        if not self.frozen and self._alarm is None:
            self._pause_s = SOON_S
            self._alarm = self._loop.call_later(SOON_S, self._freeze)

    def thaw(self) -> None:
        """Continue the program, because it is to move or nothing more is played."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.frozen:
            self.frozen = False
            if self._boxed:
                signal_all(self._stopped, signal.SIGCONT)
                self._stopped = set()
            else:
                self._signal_group(signal.SIGCONT)

    def _freeze(self) -> None:
        self._alarm = None
        self.frozen = self.frozen or self._may()
        if self.frozen and self._stop():
            return
        self._pause_s = min(2 * self._pause_s, SELDOM_S)
        self._alarm = self._loop.call_later(self._pause_s, self._freeze)

    def _stop(self) -> bool:
        """Stop it. Returns whether that is all: what forks while it is stopped may have a child that nobody has seen
        yet, and a program that does nothing but fork would go on computing under other numbers.
        """
        if not self._boxed:
            self._signal_group(signal.SIGSTOP)
            return True
        stood = stand_still(self._known)  # before their children are listed
        found = stop_family(self._pid)
        is_known = stood and found <= self._known
        self._forks = self._forks or bool(self._stopped and found - self._stopped)
        self._stopped, self._known = self._stopped | found, found
        return is_known and not self._forks

    def _signal_group(self, number: int) -> None:
        try:
            os.killpg(self._pid, number)
        except (ProcessLookupError, PermissionError):
            return  # it has ended
