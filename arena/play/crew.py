"""Processes that play one match after another as they are given, for events: forks that only know what they are told,
in lines of JSON. Create a crew before any threads; files opened later are not shared.
"""

from __future__ import annotations

import json
import os
import select
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from arena.match.ids import LANES, Ids
from arena.play.driver import Log, play
from arena.play.pool import MOST_DEATHS, PoolBroke, PoolWorker, Teller
from arena.play.spec import Spec
from arena.play.start import keeper

GONE = "a process that plays matches has ended, and its match with it"


class Done(NamedTuple):
    """The job `key` is over: its log, or None and why not. `lost`: its process died, so another may succeed."""

    key: int
    log: Log | None
    why: str = ""
    lost: bool = False


class Crew:
    """`size` processes. `playing` are the keys of jobs not yet done. Its creator must call `stop`."""

    def __init__(self, size: int) -> None:
        keeper.begin()
        self._deaths = 0
        self._hands: list[_Hand] = []
        try:
            for lane in range(size):
                self._hands.append(_Hand(lane % LANES))
        except BaseException:
            self.stop()
            raise

    @property
    def playing(self) -> frozenset[int]:
        return frozenset(hand.key for hand in self._hands if hand.key is not None)

    @property
    def free(self) -> int:
        """The number of idle processes."""
        return sum(hand.key is None for hand in self._hands)

    def give(self, key: int, spec: Spec) -> None:
        """Give this spec, which must have one round, to an idle process."""
        next(hand for hand in self._hands if hand.key is None).give(key, spec)

    def wait(self, seconds: float) -> list[Done]:
        """Jobs that are over, as soon as there are any; none after `seconds`. Raises PoolBroke if processes die."""
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
        """Replace a process that died."""
        self._hands.remove(hand)
        key = hand.key
        yield from hand.end()
        if hand.key is not None and key is not None:
            yield Done(key, None, GONE, lost=True)
        self._deaths += 1
        if self._deaths >= MOST_DEATHS * (len(self._hands) + 1):
            raise PoolBroke(GONE)
        self._hands.append(_Hand(hand.lane))

    def stop(self) -> list[Done]:
        """End all processes and wait until nothing of them is left. Returns the jobs that were over by then."""
        for hand in self._hands:
            hand.stop()
        found: list[Done] = []
        while self._hands:
            found += self._hands.pop().end()
        keeper.close()
        return found


class _Hand(PoolWorker):
    """One process; `key` is its job, None when it is idle, and `lane` that of its ids."""

    def __init__(self, lane: int) -> None:
        theirs, self._jobs = os.pipe()
        self.lane = lane
        self.key: int | None = None
        try:
            super().__init__(partial(_play_jobs, theirs, lane), (theirs,))
        finally:
            os.close(theirs)

    def give(self, key: int, spec: Spec) -> None:
        data = memoryview(json.dumps(spec.to_data()).encode() + b"\n")
        self.key = key
        with suppress(BrokenPipeError):  # it has died, which `wait` detects
            while data:
                data = data[os.write(self._jobs, data) :]

    def end(self) -> Iterator[Done]:
        """Wait until the process ends, and return the jobs that it finished before."""
        self.reap()
        os.close(self._jobs)
        return self.understood(self.unread)

    def understood(self, lines: list[dict[str, Any]]) -> Iterator[Done]:
        """The jobs that its lines report as over; it is then idle."""
        for line in lines:
            key, self.key = self.key, None
            assert key is not None, "it tells of what it was given"
            match line:
                case {"ended": log}:
                    yield Done(key, Log.from_data(log))
                case {"unplayable": why}:
                    yield Done(key, None, why)


# -- in a process of the crew ------------------------------------------------------------------------------------------


def _play_jobs(jobs: int, lane: int, teller: Teller) -> None:
    """Play the jobs that arrive, until no process can send more."""
    ids = Ids(lane)
    # The end of the process closes this file. If it were stopped here, Python would warn of an unclosed file.
    with open(jobs, "rb", closefd=False) as lines:
        for line in lines:
            try:
                (log,) = play(Spec.from_data(json.loads(line)), ids=ids)
            except (LookupError, OSError, TypeError, ValueError) as why:
                teller.tell(unplayable=f"{type(why).__name__}: {why}")
            else:
                teller.ended(log)
