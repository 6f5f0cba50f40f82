"""Matches that wait for their people, as rows have them: which may be left there, and which have waited too long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from arena.models import Event, Match, Seat

# After so long without anybody a match leaves the memory.
QUIET = timedelta(minutes=10)
MOST_AT_ONCE = 200


async def parked() -> set[str]:
    """Running matches that may wait, and in which nothing has happened for a while."""
    return {match async for match in _quiet_since(datetime.now(UTC) - QUIET).values_list("id", flat=True)}


async def abandoned(after: timedelta) -> list[str]:
    """Those in which nothing has happened for so long, a portion of them."""
    before = datetime.now(UTC) - after
    quiet = _quiet_since(before).filter(opened__lt=before).order_by("opened")
    return [match async for match in quiet.values_list("id", flat=True)[:MOST_AT_ONCE]]


def _quiet_since(before: datetime) -> QuerySet[Match]:
    """As `Setup.may_wait` says it of one."""
    seats, events = Seat.objects.filter(match=OuterRef("pk")), Event.objects.filter(match=OuterRef("pk"))
    person, bot, builtin = (Exists(seats.filter(kind=kind)) for kind in (Seat.Kind.HUMAN, Seat.Kind.BOT, "builtin"))
    running = Match.objects.filter(ended=None, started__isnull=False, pairing=None)
    waiting = running.filter(person, ~bot, Q(clock="none") | builtin)
    last = Subquery(events.order_by("-seq").values("at")[:1])
    return waiting.annotate(last=last).filter(last__lt=before)
