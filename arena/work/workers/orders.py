"""Orders about work and workers: cancel, run again, drain. Rows that desk, lender and workers obey."""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet

from arena.models import Machine, Work
from arena.work import rows

OVER = (Work.State.FAILED, Work.State.CANCELLED)


def cancel(works: QuerySet[Work]) -> int:
    """Cancel these: waiting rows are not begun, and runs end with their next heartbeat. Returns how many."""
    keys = list(works.filter(rows.Open).values_list("pk", flat=True))
    count = rows.cancel(works, "cancelled by staff")
    if settings.ARENA_ENGINE and keys:
        from arena.work.workers import jobs  # what it needs is not installed everywhere

        jobs.forget(keys)
    return count


def may_wait_again(work: Work) -> bool:
    """Whether it failed or was cancelled, and somebody still waits for it: a match of an event that nobody could play
    was handed to its organiser, who has it played again as another one.
    """
    return work.state in OVER and "pairing" not in work.spec


def again(works: QuerySet[Work]) -> int:
    """Let those that `may_wait_again` wait once more, with all their tries. Returns how many."""
    these = works.filter(state__in=OVER).exclude(spec__has_key="pairing")
    return these.update(state=Work.State.WAITING, faults=0, why="", **rows.UNLENT)


def drain(machines: QuerySet[Machine], on: bool) -> int:
    """Let these workers finish and take nothing new, or take work again. Returns how many changed."""
    return machines.filter(draining=not on).update(draining=on)


def trust(machines: QuerySet[Machine]) -> int:
    """Accept the answers of these workers again. Returns how many had not been trusted."""
    return machines.exclude(distrusted="").update(distrusted="")
