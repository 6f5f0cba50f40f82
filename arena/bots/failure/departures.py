"""Why registered bots left before a match of theirs began, kept until they are back. No log keeps that, so the bot's
page shows it, and the room reserved for it.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from typing import NamedTuple

from arena.bots.failure.cards import Card
from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import from_connection
from arena.bots.session.finding import Connected

MOST = 500
_last: OrderedDict[int, Departure] = OrderedDict()


class Departure(NamedTuple):
    """When and why a bot left."""

    at: datetime
    card: Card


def card_of(session: Connected) -> Card:
    """Why this bot's connection ended before a match began."""
    card = diagnose(from_connection(session.adapter.slug, session.why_gone, session.connection.wire.last_messages()))
    assert card is not None, "one cause holds always"
    return card


def left(session: Connected) -> None:
    """Record the end of a bot's connection, unless it has played: then the match tells how it ended."""
    player = session.setup.player
    if player is None or session.connection.wire.seated:
        return
    _last.pop(player, None)
    _last[player] = Departure(datetime.now(UTC), card_of(session))
    if len(_last) > MOST:
        _last.popitem(last=False)


def came(player: int) -> None:
    """Forget the departure of a bot that is back."""
    _last.pop(player, None)


def everybody() -> list[tuple[int, Departure]]:
    """All last departures, with the bots' numbers."""
    return list(_last.items())


def of(player: int) -> Departure | None:
    """The bot's last departure; None if it is here, has played since, or never came."""
    return _last.get(player)
