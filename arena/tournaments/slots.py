"""The processes of this host that play the pairings its events give away, and the desk between them and the rows."""

from __future__ import annotations

from collections.abc import Callable

from arena.bots.process import guests
from arena.bots.process.programs import programs
from arena.bots.process.sandbox import known_level
from arena.cluster.lease import Fence
from arena.tournaments.encounters import KIND, Encounters, is_elsewhere
from arena.work.desk import Desk
from arena.work.engine import LocalEngine
from arena.work.rows import WorkRun
from arena.work.showing import Screen
from arena.work.stranded import NO_WORKER, Stranded
from arena.work.workers.lending import lend


def stranded_without_lender(machines: str) -> Stranded | None:
    """The same of an event whose matches go to no worker."""
    return NO_WORKER if is_elsewhere(machines) else None


def slot_environment() -> dict[str, str]:
    """For `guests` in a slot, which attacks the sandbox for itself as long as this process does not know its level."""
    level = known_level()
    return {guests.FOLDER: str(programs()), **({} if level is None else {guests.LEVEL: str(int(level))})}


class Slots:
    """This many slots. `stored()` is called when one has played, `on_over(event, pairing)` when a match of that
    event is over or nobody could play it. `screen` shows the matches of slots and workers while they are played.
    `lends`: workers play what need not be played here.
    """

    def __init__(
        self,
        slots: int,
        fence: Fence | None,
        stored: Callable[[], None] = lambda: None,
        screen: Screen | None = None,
        lends: bool = False,
    ) -> None:
        self._stored = stored
        self.on_over: Callable[[int, int], None] = lambda event, pairing: None
        self.engine = LocalEngine(slots, nice=0, env=slot_environment)
        kinds = {KIND: Encounters().kind}
        self._desk = Desk(self.engine, kinds, fence, lambda: True, self._done, screen)
        if lends:
            lend(self._desk, kinds, fence, self._done, screen)

    def call(self) -> None:
        """There is something new to play."""
        self._desk.call()

    def stranded(self, event: int, machines: str) -> Stranded | None:
        """What the event, which names this class of machines, has waited for in vain for a while."""
        if self._desk.lender is None:
            return stranded_without_lender(machines)
        return self._desk.lender.stranded.get(event)

    async def close(self) -> None:
        """Stop; the next host plays the unfinished matches."""
        await self._desk.close()

    def _done(self, run: WorkRun) -> None:
        if "event" in run.spec and "pairing" in run.spec:  # other releases, and people, may have written rows
            self.on_over(run.spec["event"], run.spec["pairing"])
        self._stored()
