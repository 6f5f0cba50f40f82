"""The use of workers' slots: matches that somebody waits for come first, and other work fills the rest."""

from __future__ import annotations

import time
from typing import NamedTuple

from django.db import connection
from django.db.models import Q

from arena.models import Work
from arena.work import rows

WAITING = Q(state=Work.State.WAITING)
LENT = Q(WAITING, lent__isnull=False) | Q(rows.Out) & ~Q(secret="")
# The same in SQL, for what the host asks with each match, and lent rows that no worker has begun with.
IS_UNCLAIMED = "state = 'waiting' AND lent IS NOT NULL"
IS_LENT = f"({IS_UNCLAIMED} OR state = 'out' AND secret <> '')"
# What may be lent.
IS_TO_LEND = f"(state = 'waiting' AND lent IS NULL AND match = '' AND needs <> '{Work.HOST}')"
# Work that nobody waits for, such as an analysis: a long one must not keep the matches of an event waiting.
IDLE = Q(priority__lt=0)
# How much of either workers still have to do, and how much of the first may be lent, up to the number of slots.
TAKEN = f"""
SELECT count(CASE WHEN priority >= 0 THEN 1 END), count(CASE WHEN priority < 0 THEN 1 END), (
    SELECT count(*) FROM (
        SELECT 1 FROM arena_work WHERE {IS_TO_LEND} AND priority >= 0 ORDER BY priority DESC LIMIT %s
    ) AS wanted
) FROM arena_work WHERE {IS_LENT} AND id NOT IN (SELECT work_id FROM arena_returned)
"""
# Between two matches of an event there is a moment without work: its slots stay free for this long.
KEPT_S = 10.0


class Free(NamedTuple):
    """How many rows of awaited work may be lent, and of the rest, of which `too_much` must give up their places."""

    wanted: int
    rest: int
    too_much: list[int]


class Places:
    """Used by a thread, not by the loop."""

    def __init__(self) -> None:
        self._needed, self._needed_at = 0, 0.0

    def free(self, slots: int) -> Free:
        """The free places of so many slots; twice as many rows are lent as can be computed, so that none idles."""
        with connection.cursor() as cursor:
            cursor.execute(TAKEN, [slots])
            lent, idle, wanted = cursor.fetchone()
        needed = self._needed_of(min(slots, lent + wanted))
        rest = (slots - needed if needed else 2 * slots) - idle
        return Free(max(0, 2 * slots - lent), max(0, rest), self._latest(-rest) if rest < 0 else [])

    def _latest(self, count: int) -> list[int]:
        """Rows of the rest that are lent: first those that no worker has begun."""
        lent = Work.objects.filter(LENT, IDLE).order_by("-state", "-id")
        return list(lent.values_list("pk", flat=True)[:count])

    def _needed_of(self, needed: int) -> int:
        """How many places work that somebody waits for needs, when it needs this many now."""
        now = time.monotonic()
        if needed >= self._needed or now - self._needed_at > KEPT_S:
            self._needed, self._needed_at = needed, now
        return self._needed
