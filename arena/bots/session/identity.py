"""A bot's name on pages, in logs and in tables, and what is known of its identity."""

from __future__ import annotations

from django.utils.crypto import salted_hmac

from arena.bots.session.tokens import Identity
from arena.match.state import SeatSetup
from arena.rooms.reservation import UNVERIFIED


def unproven(name: str) -> str:
    """The name of a bot without proof. TEST only tries out a connection, so it cannot impersonate anybody."""
    return name if name.upper() == "TEST" else f"{name}{UNVERIFIED}"


def proven(setup: SeatSetup, who: Identity) -> SeatSetup:
    """`setup` for a registered bot: its own name wins over what it says."""
    return setup._replace(name=who.name, player=who.player, verified=True, holder=who.holder, owner=who.owner)


def showing(setup: SeatSetup, *shown: str) -> SeatSetup:
    """`setup` of a bot with a keyed hash of what it shows for its seat: showing the same again, it may return. A proven
    bot, or one with the token of a seat, shows that.
    """
    if setup.verified:
        return setup
    said = "\n".join((setup.protocol, setup.name.upper(), *shown))
    return setup._replace(holder=salted_hmac("arena.bots.session.identity", said, algorithm="sha256").hexdigest())
