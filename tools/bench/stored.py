"""What a returned match costs the host, which judges it again and stores it with its table and its consequences.

The answers of 132 matches are stored one at a time, as many at once as the host ever stores, and as they come: a desk
gives the matches to two slots that need 100 ms for each, and what its tray has gathered is stored together.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from arena.cluster.lease import Fence
from arena.play.driver import play
from arena.play.spec import CommandSeat, Spec
from arena.work.rows import Answered, Kind, WorkRun
from tools.bench.figures import Figure, repeated
from tools.bench.stdio import SAMPLE

T = TypeVar("T")
GOAL_MS = 0.5
# How many are stored in one transaction at most: arena.work.tray.
AT_ONCE = 60
SLOTS, PLAYED_S = 2, 0.1


def figures(repeats: int, returned: int) -> Iterator[Figure]:
    """The cost a match in each of these ways."""
    ways: dict[str, Callable[[], float]] = {
        "1 at once": lambda: _ms(returned, 1),
        f"{AT_ONCE} at once": lambda: _ms(returned, AT_ONCE),
        f"{AT_ONCE} at once, with wires": lambda: _ms(returned, AT_ONCE, wires=True),
        f"as they come, {SLOTS / PLAYED_S:.0f} a second, with wires": lambda: _ms_as_they_come(returned),
    }
    costs: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way, measured in ways.items():
            costs[way].append(measured())
    for way, each in costs.items():
        yield repeated(f"host, ms of its processor a match, {way}", each, GOAL_MS, f"{returned} matches", at_most=True)


@cache
def _wires() -> Any:
    """What the programs of a match said and were told."""
    seat = CommandSeat("fiar", (sys.executable, str(SAMPLE)))
    (log,) = play(Spec("connect-four-7x6", (seat, seat), clock="5s", wires=True))
    return log.to_data()["wires"]


def _answer(found: dict[str, Any], wires: bool) -> str:
    """The answer as the host gets it."""
    if wires:
        found["logs"][0]["wires"] = _wires()
    return json.dumps(found)


def _submitted(returned: int) -> Any:
    """The kind of work that matches are, of which so many wait."""
    from arena.tournaments import encounters
    from arena.tournaments.encounters import Encounters
    from tests.kit.tournaments import a_spec, begun, builtins, sheet

    found = sheet(begun(a_spec(entries=builtins(12, "random"), legs=2)).slug)
    for line in found.lines[:returned]:
        encounters.submit(found, line)
    return Encounters().kind


def _ms(returned: int, at_once: int, wires: bool = False) -> float:
    """The time to read, judge and store a match, with its consequences, and with the wires of two bots if wanted; all
    answers have arrived before the first is examined.
    """
    from arena.play.run import played
    from arena.work import rows
    from tests.kit.storage import held

    fence, kind = held(), _submitted(returned)
    runs = [run for _ in range(returned) if (run := rows.claim("bench", ("play",))) is not None]
    texts = [(run, _answer(played(kind.job(run)), wires)) for run in runs]
    began = time.process_time()
    stored: list[object] = []
    for first in range(0, len(texts), at_once):
        some = texts[first : first + at_once]
        stored += kind.store_all([(run, json.loads(text)) for run, text in some], fence)
    spent = time.process_time() - began
    assert all(each is True for each in stored) and stored, "every answer is stored"
    return 1000 * spent / len(stored)


def _ms_as_they_come(returned: int) -> float:
    """The same, from when an answer is read until it is stored, for what two slots return one after the other."""
    from arena.models import Work
    from arena.play.run import played
    from arena.work import rows
    from arena.work.desk import Desk
    from tests.kit.storage import held

    fence, kind = held(), _submitted(returned)
    till = _Till()
    waiting = [rows.run_of(row, 1, "") for row in Work.objects.filter(kind="play", state=Work.State.WAITING)]
    engine = _Paced({json.dumps(job := kind.job(run)): _answer(played(job), True) for run in waiting}, till)

    async def all_done() -> None:
        done = asyncio.Semaphore(0)
        desk = Desk(engine, {"play": till.of(kind)}, fence, lambda: True, lambda run: done.release())
        for _ in waiting:
            await done.acquire()
        await desk.close()

    asyncio.run(all_done())
    assert till.stored == len(waiting) > 0, "every answer is stored"
    return 1000 * till.spent / till.stored


class _Till:
    """The processor time of what is measured, in seconds, and how many answers are stored."""

    def __init__(self) -> None:
        self.spent, self.stored = 0.0, 0

    def timed(self, do: Callable[..., T], *arguments: Any) -> T:
        began = time.thread_time()
        try:
            return do(*arguments)
        finally:
            self.spent += time.thread_time() - began

    def of(self, kind: Kind) -> Kind:
        """The same kind, of which all storing is measured."""

        def store(run: WorkRun, found: Any, fence: Fence | None) -> bool:
            return store_all([(run, found)], fence)[0] is True

        def store_all(some: Sequence[Answered], fence: Fence | None) -> list[Any]:
            assert kind.store_all is not None, "this kind stores several at once"
            outcomes = self.timed(kind.store_all, some, fence)
            self.stored += sum(outcome is True for outcome in outcomes)
            return outcomes

        return kind._replace(store=store, store_all=store_all)


class _Paced:
    """An engine whose slots need as long for each match as bots would, and then return what was played before."""

    slots = SLOTS

    def __init__(self, answers: dict[str, str], till: _Till) -> None:
        self._answers, self._till = answers, till

    async def run(self, slot: int, function: str, job: Any, on_slice: Any = None) -> Any:
        await asyncio.sleep(PLAYED_S)
        return self._till.timed(json.loads, self._answers[json.dumps(job)])

    def end(self, slot: int) -> None: ...

    def stand_still(self) -> None: ...

    def go_on(self) -> None: ...

    def rest(self) -> None: ...

    async def close(self) -> None: ...
