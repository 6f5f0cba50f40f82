"""Processes that each play one match after the other, whatever they are given: for events whose next match follows from
the results so far.

They are forks that know no more than what they are told, in lines of JSON. Who makes a crew has no threads, and what it
opens afterwards is not theirs.
"""

from __future__ import annotations

import json
import os
import select
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from arena.play.driver import Log, play
from arena.play.pool import PoolBroke, PoolWorker, Teller
from arena.play.spec import Spec
from arena.play.start import keeper

GONE = "a process that plays matches has ended, and its match with it"


class Done(NamedTuple):
    """What `key` was given for is over: its log, or None and why it could not be played."""

    key: int
    log: Log | None
    why: str = ""


class Crew:
    """`size` processes. `playing` are the keys of what they have been given and not done.

    Whoever makes one calls `stop`, however it ends.
    """

    def __init__(self, size: int) -> None:
        keeper.begin()
        self._hands: list[_Hand] = []
        try:
            for _ in range(size):
                self._hands.append(_Hand())
        except BaseException:
            self.stop()
            raise

    @property
    def playing(self) -> frozenset[int]:
        return frozenset(hand.key for hand in self._hands if hand.key is not None)

    @property
    def free(self) -> int:
        """How many have nothing to do."""
        return sum(hand.key is None for hand in self._hands)

    def give(self, key: int, spec: Spec) -> None:
        """Have one that is free play this spec, which has one round. Raises PoolBroke."""
        next(hand for hand in self._hands if hand.key is None).give(key, spec)

    def wait(self, seconds: float) -> list[Done]:
        """What is over, as soon as something is; nothing after so long.

        Raises PoolBroke where a process has died and nobody else has anything to tell.
        """
        poll, by_fd = select.poll(), {hand.lines: hand for hand in self._hands}
        for fd in by_fd:
            poll.register(fd, select.POLLIN)
        told = [(by_fd[fd], by_fd[fd].read()) for fd, _ in poll.poll(seconds * 1000)]
        found = [done for hand, lines in told for done in hand.understood(lines or [])]
        if not found and any(lines is None for _, lines in told):
            raise PoolBroke(GONE)
        return found

    def stop(self) -> list[Done]:
        """End all of them, and return when nothing of them is left. What was over by then is told."""
        for hand in self._hands:
            hand.stop()
        found: list[Done] = []
        while self._hands:
            found += self._hands.pop().end()
        keeper.close()
        return found


class _Hand(PoolWorker):
    """One process; `key` is what it has been given, None when it has nothing to do."""

    def __init__(self) -> None:
        theirs, self._jobs = os.pipe()
        self.key: int | None = None
        try:
            super().__init__(partial(_play_jobs, theirs, self._jobs))
        finally:
            os.close(theirs)

    def give(self, key: int, spec: Spec) -> None:
        data = memoryview(json.dumps(spec.to_data()).encode() + b"\n")
        self.key = key
        try:
            while data:
                data = data[os.write(self._jobs, data) :]
        except BrokenPipeError:
            raise PoolBroke(GONE) from None

    def end(self) -> Iterator[Done]:
        """Wait for its end, and tell what it has told until then."""
        self.reap()
        os.close(self._jobs)
        return self.understood(self.unread)

    def understood(self, lines: list[dict[str, Any]]) -> Iterator[Done]:
        """What its lines say; it has nothing to do then."""
        for line in lines:
            key, self.key = self.key, None
            assert key is not None, "it tells of what it was given"
            match line:
                case {"ended": log}:
                    yield Done(key, Log.from_data(log))
                case {"unplayable": why}:
                    yield Done(key, None, why)


# -- in a process of the crew ------------------------------------------------------------------------------------------


def _play_jobs(jobs: int, ours: int, teller: Teller) -> None:
    """Play what comes, until nobody is there who could give more."""
    os.close(ours)
    # Closed by the end of the process: told to stop just here, Python would complain of a file that nobody has closed.
    with open(jobs, "rb", closefd=False) as lines:
        for line in lines:
            try:
                (log,) = play(Spec.from_data(json.loads(line)))
            except (LookupError, OSError, TypeError, ValueError) as why:
                teller.tell(unplayable=f"{type(why).__name__}: {why}")
            else:
                teller.ended(log)
