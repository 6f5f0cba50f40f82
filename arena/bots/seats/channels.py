"""Channels: the words with which bots name their rooms.

A channel that can be the code of a room is that code. Any other channel is the title of a room, which has a separate
code for its address. Channels are compared by `key_of`, never by titles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.common.names import printable
from arena.match.commands import Refusal
from arena.models import Room
from arena.rooms.lobby import Lobby
from arena.rooms.room import LiveRoom
from arena.rooms.room_codes import CODE, is_code, key_of

TITLE_LENGTH = 512


async def find(lobby: Lobby, channel: str, address: str) -> LiveRoom | None:
    """The room of this channel, None if there is none. Raises Refusal if it cannot be reopened."""
    key = key_of(channel)
    code = key if is_code(key) else await _code_of(key)
    return None if code is None else await lobby.find(code, address)


async def find_or_open(lobby: Lobby, channel: str, fields: Mapping[str, Any], address: str) -> LiveRoom:
    """Like `find`; if there is none, a room is opened with these `fields` of its row. Raises Refusal."""
    room = await find(lobby, channel, address)
    if room is not None:
        return room
    key = key_of(channel)
    title = "" if CODE.fullmatch(channel) and is_code(key) else (printable(channel) or ascii(channel))[:TITLE_LENGTH]
    if is_code(key):
        return await lobby.open(channel if not title else key, {**fields, "title": title}, address=address)
    try:
        return await lobby.open_new({**fields, "channel": _stored(key), "title": title}, address=address)
    except Refusal:
        room = await find(lobby, channel, address)  # it may have been opened at the same moment
        if room is None:
            raise
        return room


def title_of(channel: str) -> str:
    """The channel for use in a sentence."""
    shown = printable(channel)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


async def _code_of(key: str) -> str | None:
    codes = Room.objects.filter(channel=_stored(key)).values_list("code", flat=True)
    return await codes.afirst()


def _stored(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")
