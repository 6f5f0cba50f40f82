"""The one credential of bots: a token, of a bot (until it is replaced) or of a seat (until its room is done).

Only its SHA-256 is kept. It is shown once, never logged, and masked in the record of the wire. `rotate`, `revoke` and
`disable` end at once what was connected with it, in this process; in a process that hosts nothing there is nothing to
end.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple, Protocol

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction

from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot, Place

TOKEN = re.compile(r"arn_[a-z2-7]{26}")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"

PORTS_OF_ONE = 3

UNKNOWN = "No bot and no seat has this token. It was mistyped, replaced, revoked, or its room is done"


class Identity(NamedTuple):
    """A registered bot that has proven who it is. `holder` is the SHA-256 of its token, "" where a port proved it."""

    player: int
    name: str
    protocol: str
    owner: int | None
    holder: str


class TokenHolder(Protocol):
    """Whatever showed a token."""

    def send_away(self, code: str, sentence: str) -> None: ...


def new_token() -> str:
    """`arn_` and 26 characters: 130 bits."""
    return "arn_" + "".join(secrets.choice(_ALPHABET) for _ in range(26))


def sha256_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def find(token: str) -> Identity | Place:
    """Whose token it is. Raises Refusal for one that nobody has, of a bot that is disabled, of a seat that expired."""
    if not TOKEN.fullmatch(token):
        raise Refusal("unknown_token", "A token is arn_ and 26 letters and digits, as it was shown once.")
    sha = sha256_of(token)
    bot = await Bot.objects.select_related("player").filter(token_sha256=sha).afirst()
    if bot is not None:
        return identity_of(bot, sha)
    place = await Place.objects.filter(token_sha256=sha).afirst()
    if place is None:
        raise Refusal("unknown_token", f"{UNKNOWN}.")
    if place.expires is not None and place.expires <= datetime.now(UTC):
        raise Refusal("seat_expired", "This seat's address has expired. Open it again on the page of its room.")
    return place


def identity_of(bot: Bot, holder: str = "") -> Identity:
    """Who this bot is. Raises Refusal where it is disabled."""
    if not bot.enabled:
        name, why = bot.player.name, bot.why_disabled.rstrip(".")
        if why:
            words = said("{name} is disabled: {why}. Its page says how to enable it.", name=name, why=why)
        else:
            words = said("{name} is disabled. Its page says how to enable it.", name=name)
        raise Refusal("bot_disabled", words)
    return Identity(bot.pk, bot.player.name, bot.protocol, bot.owner_id, holder)


async def rotate(bot: Bot) -> str:
    """A new token, to be shown once. The one before ends at once, with what was connected by it."""
    token = new_token()
    await _replace(bot, sha256_of(token))
    end(bot.pk, "token_replaced", "The token of this bot was replaced: come back with the new one.")
    return token


async def revoke(bot: Bot) -> None:
    """No token any more. What was connected by it ends at once."""
    await _replace(bot, None)
    end(bot.pk, "token_revoked", "The token of this bot was revoked by its owner.")


async def _replace(bot: Bot, sha: str | None) -> None:
    bot.token_sha256 = sha
    await bot.asave(update_fields=["token_sha256"])


async def disable(bot: Bot, why: str) -> None:
    """The bot plays no more until it is enabled; `why` is told to everyone who asks. Its connections end at once."""
    bot.enabled, bot.why_disabled = False, why[:200]
    await bot.asave(update_fields=["enabled", "why_disabled"])
    end(bot.pk, "bot_disabled", f"This bot was disabled: {why.rstrip('.')}.")
    await _changed(bot)


async def enable(bot: Bot) -> None:
    """The bot may come in again."""
    bot.enabled, bot.why_disabled = True, ""
    await bot.asave(update_fields=["enabled", "why_disabled"])
    await _changed(bot)


async def give_port(bot: Bot, port: int | None) -> None:
    """The port of its own on which this bot is listened for, None for no port.

    Raises Refusal where it is taken, none of those that are kept for bots, or one too many for the bot's owner. The
    port that it has it may keep, also where the administrator keeps others by now.
    """
    before, bot.port = bot.port, port
    try:
        await _keep_port(bot, is_new=port not in (None, before))
        await _changed(bot)
    except IntegrityError:
        bot.port = before
        words = said("Port {port} belongs to another bot. Choose another one.", port=port)
        raise Refusal("port_taken", words) from None
    except Refusal:
        bot.port = before
        await bot.asave(update_fields=["port"])
        raise


@partial(database_sync_to_async, thread_sensitive=False)
def _keep_port(bot: Bot, is_new: bool) -> None:
    with transaction.atomic():
        if is_new:
            _check_range(bot.port or 0)
            _check_share(bot)
        bot.save(update_fields=["port"])


def _check_range(port: int) -> None:
    kept = settings.ARENA_BOT_PORTS
    if port not in kept:
        words = said(
            "Received port {port}, expected a number from {first} to {last}: those are kept for bots.",
            port=port,
            first=kept[0],
            last=kept[-1],
        )
        raise Refusal("invalid_port", words)


def _check_share(bot: Bot) -> None:
    """Two requests at once are counted one after the other, by a lock on the owner's row."""
    if bot.owner_id is None:
        return
    get_user_model().objects.select_for_update().filter(pk=bot.owner_id).first()
    others = Bot.objects.filter(owner=bot.owner_id, port__isnull=False).exclude(pk=bot.pk)
    have = [f"{name} on {port}" for name, port in others.order_by("port").values_list("player__name", "port")]
    if len(have) >= PORTS_OF_ONE:
        words = f"You have {len(have)} ports already: {', '.join(have)}. Take one back on that bot's page first."
        raise Refusal("too_many_ports", words)


async def _changed(bot: Bot) -> None:
    for listener in tuple(listeners):
        await listener(bot)


# -- who is connected --------------------------------------------------------------------------------------------------

# Told when a bot has another port, or was enabled or disabled. May raise Refusal.
listeners: set[Callable[[Bot], Awaitable[None]]] = set()

# Told the number of a registered bot that has come.
arrivals: set[Callable[[int], None]] = set()

# Told the number of a registered bot whose last connection is over.
leavings: set[Callable[[int], None]] = set()

# By the bot's number. A bot may have several connections: one for each room it plays in.
_connected: dict[int, list[TokenHolder]] = {}


def came(player: int, connection: TokenHolder) -> None:
    """This registered bot is here, on this connection."""
    _connected.setdefault(player, []).append(connection)
    for arrived in tuple(arrivals):
        arrived(player)


def went(player: int, connection: TokenHolder) -> None:
    """The connection is over."""
    left = [other for other in _connected.get(player, []) if other is not connection]
    if left:
        _connected[player] = left
    elif _connected.pop(player, None):
        for leaving in tuple(leavings):
            leaving(player)


def connections_of(player: int) -> list[TokenHolder]:
    """The connections on which this registered bot is here, the oldest first."""
    return list(_connected.get(player, ()))


def players() -> frozenset[int]:
    """The registered bots that are here now, by their player's number."""
    return frozenset(_connected)


def end(player: int, code: str, sentence: str) -> None:
    """Part from a registered bot on all its connections."""
    for connection in connections_of(player):
        connection.send_away(code, sentence)
