"""The host's present state that several pages show: open doors, connected bots, players in running matches."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from arena.bots.failure import departures
from arena.bots.process import starting
from arena.bots.session import tokens
from arena.host import Host
from arena.web.elsewhere import of_the_host


class HostNow(NamedTuple):
    """`doors` are the ports by protocol and `bots_host` their address, `clocks` those that rooms of its bots have,
    `online` the numbers of the registered bots that are connected, `playing` of the players of running matches. `left`
    says when bots that are not connected were here last, if no match tells it, and `lacking` names those that the
    server is to run and cannot start.
    """

    doors: dict[str, int]
    bots_host: str
    clocks: dict[str, str]
    online: frozenset[int]
    playing: frozenset[int]
    left: dict[int, datetime]
    lacking: frozenset[int]


async def present(host: Host | None) -> HostNow:
    """The present state, in a front at most half a second old. Raises NoHost."""
    said = await _present(host)
    return HostNow(
        said["doors"],
        said.get("bots_host", ""),  # a host of an earlier release does not say it
        said["clocks"],
        frozenset(said["online"]),
        frozenset(said["playing"]),
        {player: datetime.fromisoformat(at) for player, at in said.get("left", ())},
        frozenset(said.get("lacking", ())),
    )


def bots_host(host: Host) -> str:
    """Where its doors are open, "" if there are none."""
    return next((door.host for door in host.doors.values() if door.host), "")


@of_the_host
async def _present(host: Host) -> dict[str, Any]:
    seats = (seat for live in host.hub.running() for seat in live.state.setup.seats)
    return {
        "doors": {slug: door.port for slug, door in host.doors.items()},
        "bots_host": bots_host(host),
        "clocks": dict(host.seat_ports.clocks),
        "online": list(tokens.players()),
        "lacking": list(await starting.all_lacking()),
        "left": [(player, gone.at.isoformat()) for player, gone in departures.everybody()],
        "playing": list({seat.player for seat in seats if seat.player is not None}),
    }


@of_the_host
async def why_not_started(host: Host, player: int) -> str:
    """Why this server cannot start a bot, for its owner; "" if it can."""
    return await starting.told_owner(player)
