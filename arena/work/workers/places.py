"""The use of workers' slots: matches that somebody waits for come first, and other work fills the rest."""

from __future__ import annotations

import time
from typing import NamedTuple

from django.db.models import Q

from arena.models import Work
from arena.work import rows

WAITING = Q(state=Work.State.WAITING)
LENT = Q(WAITING, lent__isnull=False) | Q(rows.Out) & ~Q(secret="")
# Work that nobody waits for, such as an analysis: a long one must not keep the matches of an event waiting.
IDLE = Q(priority__lt=0)
# Between two matches of an event there is a moment without work: its slots stay free for this long.
KEPT_S = 10.0


class Free(NamedTuple):
    """How many rows may be lent of work that somebody waits for, and of the rest; `too_much` are rows of the rest whose
    places are needed.
    """

    wanted: int
    rest: int
    too_much: list[int]


class Places:
    """Used by a thread, not by the loop."""

    def __init__(self) -> None:
        self._needed, self._needed_at = 0, 0.0

    def free(self, slots: int) -> Free:
        """The free places with this many slots. Twice as many rows are lent as can be computed at once, so that no
        worker waits.
        """
        lent = Work.objects.filter(LENT)
        needed = self._needed_of(slots)
        rest = (slots - needed if needed else 2 * slots) - lent.filter(IDLE).count()
        # First those that no worker has begun.
        too_much = lent.filter(IDLE).order_by("-state", "-id").values_list("pk", flat=True)[: max(0, -rest)]
        return Free(max(0, 2 * slots - lent.exclude(IDLE).count()), max(0, rest), list(too_much))

    def _needed_of(self, slots: int) -> int:
        """How many of these places work that somebody waits for needs."""
        wanted = Work.objects.filter(WAITING | rows.Out).exclude(IDLE).exclude(needs=Work.HOST)
        now, needed = time.monotonic(), wanted.order_by()[:slots].count()
        if needed >= self._needed or now - self._needed_at > KEPT_S:
            self._needed, self._needed_at = needed, now
        return self._needed
