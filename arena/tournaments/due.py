"""Tournaments that begin by themselves: at a set time, or as soon as everyone is here."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from functools import reduce

from asgiref.sync import sync_to_async
from django.db.models import Min, Q
from django.utils import timezone

from arena.bots.process import starting
from arena.cluster.lease import Fence, for_holder, let_failed_go
from arena.match.commands import Refusal
from arena.models import Bot, Entry, Tournament
from arena.tournaments.actions import WHEN_HERE, start
from arena.tournaments.players import is_here, run_here
from arena.tournaments.transactions import locked, update

# Somebody may set the clock, so nobody relies on it for longer than this.
LONGEST_S = 60.0
# How soon to look again at bots that cannot be started: nobody tells us of their files.
AGAIN_S, NEVER_S = 2.0, math.inf
# Other events wait for no more than that.
MOST_S = 2.0

_waiting = Q(state=Tournament.State.WAITING)
_when_here = Q(**{f"settings__{WHEN_HERE}": True})


async def look() -> float:
    """Find out whether this server can start the bots that it runs for what begins as soon as everyone is here. Returns
    how long that holds.
    """
    entries = await sync_to_async(_run_here)()
    bots = [bot for entry in entries if (bot := run_here(entry)) is not None]
    return await asyncio.to_thread(_try, bots) if bots else NEVER_S


def _try(bots: Collection[Bot]) -> float:
    if not starting.look_for(MOST_S, bots):
        return 0.0
    return AGAIN_S if any(starting.lacks(bot) for bot in bots) else NEVER_S


def _run_here() -> list[Entry]:
    waiting = Tournament.objects.filter(_waiting, _when_here)
    found = Entry.objects.filter(tournament__in=waiting, withdrawn=None, player__bot__command__isnull=False)
    return list(found.select_related("player__bot"))


def begin(here: Collection[int] = (), *fences: Fence | None) -> None:
    """Begin what is due by now, and what no longer waits for anybody; `here` are the players of connected bots. A
    tournament that cannot begin says why, and is not tried again by itself. Nothing is due if a lease was lost.
    """
    let_failed_go()
    due = Q(starts__lte=timezone.now()) | _when_here
    for tournament in reduce(for_holder, fences, Tournament.objects.filter(due, _waiting)):
        if tournament.starts is None or tournament.starts > timezone.now():
            entries = tournament.entries.filter(withdrawn=None).select_related("player__bot")
            if not all(_is_ready(entry, here) for entry in entries):
                continue
        try:
            start(tournament, "the clock")
        except Refusal as refusal:
            with suppress(Refusal):  # it was deleted in the meantime
                _give_up(tournament, f"It could not begin by itself. {refusal.sentence}")


def _is_ready(entry: Entry, here: Collection[int]) -> bool:
    """Whether it is here, and is known to start if this server runs it."""
    bot = run_here(entry)
    return is_here(entry, here) and (bot is None or (starting.is_tried(bot) and not starting.lacks(bot)))


def _give_up(tournament: Tournament, why: str) -> None:
    """It does not begin by itself any more, and says why; unless somebody has started it in the meantime."""
    with locked(tournament, "", "") as sheet:
        if sheet.tournament.state == Tournament.State.WAITING:
            settings = {**sheet.tournament.settings, WHEN_HERE: False}
            update(sheet, starts=None, settings=settings, why=why[:200])


def next_s() -> float:
    """Seconds until something begins by the clock; infinite if nothing will."""
    first: datetime | None = Tournament.objects.filter(_waiting).aggregate(first=Min("starts"))["first"]
    return NEVER_S if first is None else min((first - timezone.now()).total_seconds(), LONGEST_S)
