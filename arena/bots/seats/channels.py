"""Channels: the words that bots name their rooms with, and the rooms that they mean.

A channel that can be the code of a room is that code. Any other one is a room all the same: with a code of its own for
its address, and the channel as its title. Channels are compared by `key_of`, never by their titles.
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
    """The room of this channel, None where there is none. Raises Refusal where it cannot be opened again."""
    key = key_of(channel)
    code = key if is_code(key) else await _code_of(key)
    return None if code is None else await lobby.find(code, address)


async def find_or_open(lobby: Lobby, channel: str, fields: Mapping[str, Any], address: str) -> LiveRoom:
    """The same; where there is none it is opened with these `fields` of its row. Raises Refusal."""
    room = await find(lobby, channel, address)
    if room is not None:
        return room
    key = key_of(channel)
    title = "" if CODE.fullmatch(channel) and is_code(key) else (printable(channel) or repr(channel))[:TITLE_LENGTH]
    if is_code(key):
        return await lobby.open(channel if not title else key, {**fields, "title": title}, address=address)
    try:
        return await lobby.open_new({**fields, "channel": _stored(key), "title": title}, address=address)
    except Refusal:
        room = await find(lobby, channel, address)  # somebody may have opened it in the same moment
        if room is None:
            raise
        return room


def title_of(channel: str) -> str:
    """The channel in a sentence."""
    shown = printable(channel)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


async def _code_of(key: str) -> str | None:
    codes = Room.objects.filter(channel=_stored(key)).values_list("code", flat=True)
    return await codes.afirst()


def _stored(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")
