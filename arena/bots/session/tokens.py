"""The one credential of bots: the token of a bot (until it is replaced) or of a seat (until its room is done).

Only its SHA-256 is stored. It is shown once, never logged, and masked in recorded wires. `rotate`, `revoke` and
`disable` end connections made with it at once, in this process; a process that does not host has none.
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

from arena.common.detached import detached
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot, Place

TOKEN = re.compile(r"arn_[a-z2-7]{26}")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"

PORTS_OF_ONE = 3

UNKNOWN = "No bot and no seat has this token. It was mistyped, replaced, revoked, or its room is closed"


class Identity(NamedTuple):
    """A registered bot that has proven its identity. `holder` is the SHA-256 of its token, "" if a port proved it."""

    player: int
    name: str
    protocol: str
    owner: int | None
    holder: str


class TokenHolder(Protocol):
    """A connection that has shown a token."""

    def send_away(self, code: str, sentence: str) -> None: ...


def new_token() -> str:
    """`arn_` and 26 characters: 130 bits."""
    return "arn_" + "".join(secrets.choice(_ALPHABET) for _ in range(26))


def sha256_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def find(token: str) -> Identity | Place:
    """The bot or seat with this token. Raises Refusal for an unknown token, a disabled bot, or an expired seat."""
    if not TOKEN.fullmatch(token):
        raise Refusal("unknown_token", "A token is arn_ and 26 letters and digits, as it was shown once.")
    while True:
        before, found = _ended.count, await _find(sha256_of(token))
        if _ended.count == before:
            return found
        # A token was replaced while the rows were read: who shows the old one is not among those who were dismissed.


async def _find(sha: str) -> Identity | Place:
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
    """The identity of this bot. Raises Refusal if it is disabled."""
    if not bot.enabled:
        name, why = bot.player.name, bot.why_disabled.rstrip(".")
        if why:
            words = said("{name} is disabled: {why}. Its page says how to enable it.", name=name, why=why)
        else:
            words = said("{name} is disabled. Its page says how to enable it.", name=name)
        raise Refusal("bot_disabled", words)
    return Identity(bot.pk, bot.player.name, bot.protocol, bot.owner_id, holder)


async def rotate(bot: Bot) -> str:
    """A new token, to be shown once. The previous one ends at once, with its connections."""
    token = new_token()
    bot.token_sha256 = sha256_of(token)
    words = "The token of this bot was replaced: come back with the new one."
    await _store_and_end(bot, ["token_sha256"], "token_replaced", words)
    return token


async def revoke(bot: Bot) -> None:
    """Remove the token, and end the connections made with it at once."""
    bot.token_sha256 = None
    await _store_and_end(
        bot, ["token_sha256"], "token_revoked", "The token of this bot was revoked: its owner can make a new one."
    )


async def _store_and_end(bot: Bot, fields: list[str], code: str, sentence: str) -> None:
    """Store these fields, then dismiss the bot; detached, because the page that asked may be gone by then."""

    async def store() -> None:
        await bot.asave(update_fields=fields)
        end(bot.pk, code, sentence)

    await detached(store())


async def disable(bot: Bot, why: str) -> None:
    """Keep the bot from playing until it is enabled; `why` is told on request. Its connections end at once."""
    bot.enabled, bot.why_disabled = False, why[:200]
    words = f"This bot was disabled: {why.rstrip('.')}."
    await _store_and_end(bot, ["enabled", "why_disabled"], "bot_disabled", words)
    await _changed(bot)


async def enable(bot: Bot) -> None:
    """Let the bot connect again."""
    bot.enabled, bot.why_disabled = True, ""
    await bot.asave(update_fields=["enabled", "why_disabled"])
    await _changed(bot)


async def give_port(bot: Bot, port: int | None) -> None:
    """Set the bot's own port, None for no port. Raises Refusal if it is taken, not reserved for bots, or one too many
    for the owner; a port that it already has stays.
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
    """Check the owner's limit. A lock on the owner's row makes concurrent requests count each other."""
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

# Called when a bot's port has changed, or it was enabled or disabled. May raise Refusal.
listeners: set[Callable[[Bot], Awaitable[None]]] = set()

# Called with the player number of a registered bot that has connected.
arrivals: set[Callable[[int], None]] = set()

# Called with the player number of a registered bot whose last connection is over.
leavings: set[Callable[[int], None]] = set()

# By player number. A bot may have several connections: one for each room it plays in.
_connected: dict[int, list[TokenHolder]] = {}


def came(player: int, connection: TokenHolder) -> None:
    """This registered bot is connected, on this connection."""
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
    """The connections of this registered bot, oldest first."""
    return list(_connected.get(player, ()))


def players() -> frozenset[int]:
    """The player numbers of the registered bots that are connected."""
    return frozenset(_connected)


class _Ended:
    """How often bots have been dismissed."""

    count = 0


_ended = _Ended()


def end(player: int, code: str, sentence: str) -> None:
    """Dismiss a registered bot on all its connections."""
    _ended.count += 1
    for connection in connections_of(player):
        connection.send_away(code, sentence)
