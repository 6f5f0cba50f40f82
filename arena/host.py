"""The host: the one process of a database that referees. It holds ledger, hub, referee, lobby, players and doors.

Pages and sockets of this process find them through `here()`.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import IO

from django.conf import settings

from arena.bots import quarantine
from arena.bots.builtin import Builtin
from arena.bots.commands import Commands
from arena.bots.doors import Door, Networks
from arena.bots.failure import keep_failures
from arena.bots.personal import PersonalPorts
from arena.bots.places import Places
from arena.bots.thinkers import Thinkers
from arena.bots.wire_store import WireStore
from arena.hub import Hub, Live
from arena.ledger import DatabaseStore, Ledger
from arena.lobby import Lobby
from arena.metrics import Ended
from arena.protocols import protocol
from arena.referee import Referee
from arena.restart import restore
from arena.tournaments.calling import open_room
from arena.tournaments.director import Director

log = logging.getLogger("arena.host")

# The door that no port leads to: websockets of bots come in there.
SOCKET = "native (websocket)"

_here: list[Host] = []


class NotTheHost(Exception):
    """Another process is the host of this database. The message says what to do."""


class NoHost(LookupError):
    """This process is not the host."""


@dataclass(slots=True)
class Host:
    """Everything that runs beside the pages in this process."""

    hub: Hub
    ledger: Ledger
    referee: Referee
    lobby: Lobby
    thinkers: Thinkers
    wires: WireStore
    doors: dict[str, Door]
    places: Places
    commands: Commands
    lock: IO[str] | None
    ended: Ended
    stopped: bool = False
    director: Director | None = None
    personal: PersonalPorts | None = None

    async def open_doors(self, bots_host: str, ports: Mapping[str, int], trusted: Networks) -> dict[str, int]:
        """Open the doors. Returns the real ports. Raises OSError naming a port that is taken."""
        for slug, port in ports.items():
            self.doors[slug] = Door(self.places, protocol(slug), trusted)
            await self.doors[slug].open(bots_host, port)
        return {slug: door.port for slug, door in self.doors.items()}

    async def open_seats(self, bots_host: str, trusted: Networks) -> None:
        """Listen for bots that have an address of their own: seats that wait, and registered bots with a port."""
        await self.places.open(bots_host)
        self.personal = PersonalPorts(self.places, trusted)
        await self.personal.open(bots_host)

    def socket_door(self) -> Door:
        """Where bots come in that speak `native` over a websocket."""
        if SOCKET not in self.doors:
            trusted = networks(settings.ARENA_TRUSTED_NETS)
            self.doors[SOCKET] = Door(self.places, protocol("native"), trusted)
        return self.doors[SOCKET]

    def count_ended(self, live: Live) -> None:
        """For `/metrics`."""
        seats = live.state.setup.seats
        moves = (event for event in live.events if event.kind == "move")
        times = ((seats[event.seat or 0].kind, event.elapsed_ms or 0) for event in moves)
        self.ended.add(live.state.termination or "", times)

    async def stop(self) -> None:
        """Tournaments and doors first, then what is on its way to the log, then the rest. May be called twice."""
        if self.stopped:
            return
        self.stopped = True
        if self.director is not None:
            await self.director.stop()
        for door in self.doors.values():
            await door.close()
        if self.personal is not None:
            await self.personal.close()
        await self.places.close()
        await self.commands.close()
        await self.lobby.close()
        self.referee.close()
        await self.thinkers.close()
        await self.ledger.close()
        await quarantine.settled()
        await self.wires.close()
        if self in _here:
            _here.remove(self)
        if self.lock is not None:
            self.lock.close()


def here() -> Host:
    """The host in this process. Raises NoHost where there is none."""
    if not _here:
        raise NoHost("this process serves no matches: start it with manage.py serve")
    return _here[-1]


async def start(lock: IO[str] | None, on_death: Callable[[BaseException], None]) -> Host:
    """Become the host, and go on with the matches that were running when the last one stopped."""
    hub = Hub()
    ledger = Ledger(DatabaseStore(), on_death)
    referee = Referee(ledger, hub)
    thinkers = Thinkers()
    commands = Commands(referee, settings.ARENA_SANDBOX_MIN, settings.ARENA_BOTS)
    lobby = Lobby(referee, lambda level: Builtin(referee, thinkers, level), commands.make)
    places = Places(lobby, settings.ARENA_SEAT_PORTS)
    keep_failures(referee, hub)
    quarantine.watch(hub)
    host = Host(hub, ledger, referee, lobby, thinkers, WireStore(hub), {}, places, commands, lock, Ended())
    hub.on_end.append(host.count_ended)
    _here.append(host)
    try:
        restored = await restore(lobby)
    except BaseException:
        await host.stop()
        raise
    host.director = Director(lobby, thinkers, partial(open_room, places))
    await host.director.looked()
    if restored:
        log.warning("going on with %d matches that were running", restored)
    return host


def take_lock(data: Path) -> IO[str]:
    """The lock of the data folder, held until the file is closed or the process dies. Raises NotTheHost."""
    lock = open(data / "host.lock", "a+", encoding="utf-8")  # noqa: SIM115 - it must outlive this function
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise NotTheHost(
            f"another server (process {holder}) already uses the data in {data}: stop it, or set ARENA_DATA elsewhere"
        ) from None
    lock.seek(0)
    lock.truncate()
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def networks(texts: list[str]) -> Networks:
    return [ip_network(text) for text in texts]
