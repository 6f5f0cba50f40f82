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
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from arena.play.driver import Log, play
from arena.play.pool import MOST_DEATHS, PoolBroke, PoolWorker, Teller
from arena.play.spec import Spec
from arena.play.start import keeper

GONE = "a process that plays matches has ended, and its match with it"


class Done(NamedTuple):
    """What `key` was given for is over: its log, or None and why it could not be played. `lost`: its process has died,
    so that another one may be able to.
    """

    key: int
    log: Log | None
    why: str = ""
    lost: bool = False


class Crew:
    """`size` processes. `playing` are the keys of what they have been given and not done.

    Whoever makes one calls `stop`, however it ends.
    """

    def __init__(self, size: int) -> None:
        keeper.begin()
        self._deaths = 0
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
        """Have one that is free play this spec, which has one round."""
        next(hand for hand in self._hands if hand.key is None).give(key, spec)

    def wait(self, seconds: float) -> list[Done]:
        """What is over, as soon as something is; nothing after so long. A process that has died is replaced.

        Raises PoolBroke where they die again and again.
        """
        poll, by_fd = select.poll(), {hand.lines: hand for hand in self._hands}
        for fd in by_fd:
            poll.register(fd, select.POLLIN)
        found: list[Done] = []
        for fd, _ in poll.poll(seconds * 1000):
            lines = by_fd[fd].read()
            if lines is None:
                found += self._replace(by_fd[fd])
            else:
                found += by_fd[fd].understood(lines)
        self._deaths = 0 if any(done.log is not None for done in found) else self._deaths
        return found

    def _replace(self, hand: _Hand) -> Iterator[Done]:
        """Another one for one that has died."""
        self._hands.remove(hand)
        key = hand.key
        yield from hand.end()
        if hand.key is not None and key is not None:
            yield Done(key, None, GONE, lost=True)
        self._deaths += 1
        if self._deaths >= MOST_DEATHS * (len(self._hands) + 1):
            raise PoolBroke(GONE)
        self._hands.append(_Hand())

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
            super().__init__(partial(_play_jobs, theirs), (theirs,))
        finally:
            os.close(theirs)

    def give(self, key: int, spec: Spec) -> None:
        data = memoryview(json.dumps(spec.to_data()).encode() + b"\n")
        self.key = key
        with suppress(BrokenPipeError):  # it has died, which `wait` finds out
            while data:
                data = data[os.write(self._jobs, data) :]

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


def _play_jobs(jobs: int, teller: Teller) -> None:
    """Play what comes, until nobody is there who could give more."""
    # Closed by the end of the process: told to stop just here, Python would complain of a file that nobody has closed.
    with open(jobs, "rb", closefd=False) as lines:
        for line in lines:
            try:
                (log,) = play(Spec.from_data(json.loads(line)))
            except (LookupError, OSError, TypeError, ValueError) as why:
                teller.tell(unplayable=f"{type(why).__name__}: {why}")
            else:
                teller.ended(log)
