"""Registered bots that came and were gone again before a match of theirs began: why, as long as they are not back.

No match ends by that and no log keeps it, so it is told where somebody waits: on the bot's page, and in the room that
is kept for it.
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
    """When the bot was gone, and why."""

    at: datetime
    card: Card


def card_of(session: Connected) -> Card:
    """Why the connection of this bot was over before a match began."""
    card = diagnose(from_connection(session.adapter.slug, session.why_gone, session.connection.wire.last_messages()))
    assert card is not None, "one cause holds always"
    return card


def left(session: Connected) -> None:
    """The connection of this bot is over. What was played on it tells by itself how it ended."""
    player = session.setup.player
    if player is None or session.connection.wire.seated:
        return
    _last.pop(player, None)
    _last[player] = Departure(datetime.now(UTC), card_of(session))
    if len(_last) > MOST:
        _last.popitem(last=False)


def came(player: int) -> None:
    """This bot is back."""
    _last.pop(player, None)


def of(player: int) -> Departure | None:
    """How this bot went the last time, None where it is here, has played since, or never came."""
    return _last.get(player)
