"""Tournaments that begin by themselves: at a set time, or as soon as everyone is here."""

from __future__ import annotations

import math
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from functools import reduce

from django.db.models import Min, Q
from django.utils import timezone

from arena.cluster.lease import Fence, for_holder, let_failed_go
from arena.match.commands import Refusal
from arena.models import Tournament
from arena.tournaments.actions import WHEN_HERE, start
from arena.tournaments.players import is_here
from arena.tournaments.transactions import locked, update

# Somebody may set the clock, so nobody relies on it for longer than this.
LONGEST_S = 60.0

_waiting = Q(state=Tournament.State.WAITING)


def begin(here: Collection[int] = (), *fences: Fence | None) -> None:
    """Begin what is due by now, and what no longer waits for anybody; `here` are the players of connected bots. A
    tournament that cannot begin says why, and is not tried again by itself. Nothing is due if a lease was lost.
    """
    let_failed_go()
    due = Q(starts__lte=timezone.now()) | Q(**{f"settings__{WHEN_HERE}": True})
    for tournament in reduce(for_holder, fences, Tournament.objects.filter(due, _waiting)):
        if tournament.starts is None or tournament.starts > timezone.now():
            entries = tournament.entries.filter(withdrawn=None).select_related("player__bot")
            if not all(is_here(entry, here) for entry in entries):
                continue
        try:
            start(tournament, "the clock")
        except Refusal as refusal:
            with suppress(Refusal):  # it was deleted in the meantime
                _give_up(tournament, f"It could not begin by itself. {refusal.sentence}")


def _give_up(tournament: Tournament, why: str) -> None:
    """It does not begin by itself any more, and says why; unless somebody has started it in the meantime."""
    with locked(tournament, "", "") as sheet:
        if sheet.tournament.state == Tournament.State.WAITING:
            settings = {**sheet.tournament.settings, WHEN_HERE: False}
            update(sheet, starts=None, settings=settings, why=why[:200])


def next_s() -> float:
    """Seconds until something begins by the clock; infinite if nothing will."""
    first: datetime | None = Tournament.objects.filter(_waiting).aggregate(first=Min("starts"))["first"]
    return math.inf if first is None else min((first - timezone.now()).total_seconds(), LONGEST_S)
