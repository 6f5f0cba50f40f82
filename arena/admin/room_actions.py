"""The staff action on a room: close it, so that nobody waits in it any more."""

from __future__ import annotations

from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest

from arena.admin.acting import Action, in_host
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Room
from arena.models.audit import CLOSED_BY_STAFF
from arena.rooms import closing, room_rows
from arena.web.match import staff


def _says(room: Room) -> str:
    return "Everybody who waits in it is told, with your reason, and its link no longer works. Its matches stay."


def _close(request: HttpRequest, room: Room, said: dict[str, Any], stood: str) -> str:
    record = sync_to_async(partial(staff.record, request.user, CLOSED_BY_STAFF, room, reason=said["reason"]))

    async def closed(host: Host) -> None:
        live = host.lobby.rooms.get(room.code)
        if live is not None and live.playing:
            raise Refusal("playing", "A match runs in it: decide or abort that first. Nothing was done.")
        if live is not None:
            await closing.close(host.lobby, live, record)
        else:
            await record()
            await room_rows.close(room.pk, host.fence)

    in_host(closed)
    return "it is closed."


ROOM_ACTIONS = (
    Action(
        *("close", "Close the room", "Close the room", _says, _close),
        why_not=lambda user, room: "It is already closed." if room.closed is not None else "",
    ),
)
