"""Guests: whoever plays without an account is a `Player` whose number stands in their session.

A guest is made by the first POST that needs a player, never by looking: a plain GET sets no session cookie.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from http.cookies import CookieError
from typing import NamedTuple

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import IntegrityError
from django.http import HttpRequest, parse_cookie

from arena.match.state import SeatSetup
from arena.models import Player

COLOURS = ("Amber", "Azure", "Coral", "Cyan", "Ebony", "Ivory", "Jade", "Lilac", "Mauve", "Olive", "Rose", "Teal")
ANIMALS = (
    "Badger",
    "Bison",
    "Crane",
    "Dingo",
    "Egret",
    "Falcon",
    "Gecko",
    "Hare",
    "Heron",
    "Ibis",
    "Koala",
    "Lynx",
    "Marten",
    "Newt",
    "Otter",
    "Puffin",
    "Raven",
    "Seal",
    "Tapir",
    "Wren",
)
PLAYER, NAME, ROOMS = "player", "name", "rooms"


class Visitor(NamedTuple):
    """Whoever sent a request: their player's number and name, None and "" before they have played.

    `rooms` are the codes of private rooms that they have opened the link of.
    """

    player: int | None = None
    name: str = ""
    rooms: tuple[str, ...] = ()


async def visitor_of(request: HttpRequest) -> Visitor:
    """Who this is, from the session alone."""
    session = request.session
    player, name = await session.aget(PLAYER), await session.aget(NAME, "")
    return Visitor(player, name, tuple(await session.aget(ROOMS, ())))


def visitor_of_headers(headers: Iterable[tuple[bytes, bytes]]) -> Visitor:
    """Who opened a websocket. Reads the session: for a thread, not for the loop."""
    session = SessionStore(_session_key(headers))
    return Visitor(session.get(PLAYER), session.get(NAME, ""), tuple(session.get(ROOMS, ())))


async def player_of(request: HttpRequest) -> Player:
    """The visitor's player, a new guest if they have none."""
    number = await request.session.aget(PLAYER)
    player = await Player.objects.filter(pk=number).afirst() if number else None
    if player is None:
        player = await _new_guest()
        await request.session.aset(PLAYER, player.pk)
        await request.session.aset(NAME, player.name)
        await request.session.asave()
    return player


async def keep_room(request: HttpRequest, code: str) -> None:
    """Remember that this visitor has the link of a private room."""
    rooms = await request.session.aget(ROOMS, [])
    if code not in rooms:
        await request.session.aset(ROOMS, [*rooms, code])


def seat_setup(request: HttpRequest, player: Player) -> SeatSetup:
    """The player as whoever sits on a seat, proven by this session."""
    key = request.session.session_key or ""
    holder = hashlib.sha256(key.encode()).hexdigest()
    verified = player.kind != Player.Kind.GUEST
    return SeatSetup(name=player.name, kind="human", player=player.pk, verified=verified, holder=holder)


async def _new_guest() -> Player:
    """Colour and animal, with a number when that name is taken; numbers grow longer the more there are."""
    most = 10
    name = _name()
    while True:
        try:
            return await Player.objects.acreate(kind=Player.Kind.GUEST, name=name, slug=Player.slug_of(name))
        except IntegrityError:
            name, most = f"{_name()} {random.randrange(2, most)}", most * 2


def _name() -> str:
    return f"{random.choice(COLOURS)} {random.choice(ANIMALS)}"


def _session_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    lines = [value.decode("latin1") for name, value in headers if name == b"cookie"]
    try:
        return parse_cookie("; ".join(lines)).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
