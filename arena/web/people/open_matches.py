"""A person's own unfinished matches, from committed rows: here they find those that wait for somebody."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import NamedTuple

from asgiref.sync import sync_to_async
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.common.logs import about
from arena.core.log_store import DatabaseStore
from arena.match.evolve import replay
from arena.models import Match, Seat
from arena.web.drawing import artist
from arena.web.words import ago, seat_name, title
from games import variant

log = logging.getLogger("arena.web")

ON_HOME, ON_PROFILE = 4, 50


class OpenMatch(NamedTuple):
    """`line` is the game and when something happened last; `yours`: whether the player is to move."""

    address: str
    picture: SafeString
    opponent: str
    line: str
    yours: bool
    at: datetime


class OpenMatches(NamedTuple):
    """The newest `shown` of `total`, first those in which the player is to move."""

    shown: list[OpenMatch]
    total: int


async def open_matches(player: int | None, most: int) -> OpenMatches:
    if player is None:
        return OpenMatches([], 0)
    return await sync_to_async(_read)(player, most)


def _read(player: int, most: int) -> OpenMatches:
    mine = Seat.objects.filter(player=player, kind=Seat.Kind.HUMAN, match__ended=None, match__started__isnull=False)
    mine = mine.exclude(match__kind=Match.Kind.SCREEN, seat=1)  # in a match at one screen both seats are theirs
    rows = list(mine.order_by("-id").values_list("match", "seat")[:most])
    store, now = DatabaseStore(), timezone.now()
    found = [match for number, seat in rows if (match := _open_match(store, number, seat, now)) is not None]
    found.sort(key=lambda match: (match.yours, match.at), reverse=True)
    return OpenMatches(found, len(rows) if len(rows) < most else mine.count())


def _open_match(store: DatabaseStore, number: str, seat: int, now: datetime) -> OpenMatch | None:
    try:
        events = store.read(number)
        state = replay(events)
    except (KeyError, ValueError):
        log.exception("match %s cannot be read and is not listed", number, extra=about(number))
        return None
    if state.phase == "ended":
        return None  # it has ended since its seat was read
    setup, kind, at = state.setup, variant(state.setup.variant), events[-1].at
    return OpenMatch(
        address=f"/m/{number}/",
        picture=artist(kind.game).mini(state.position),
        opponent=_("At one screen") if setup.at_one_screen else seat_name(setup.seats[1 - seat], 1 - seat),
        line=f"{title(kind)} · {ago(at, now)}",
        yours=setup.at_one_screen or state.position.to_move == seat,
        at=at,
    )
