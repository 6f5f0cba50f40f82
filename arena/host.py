"""The host, found through `here()`: the one process of a database that referees. It holds ledger, hub, referee, lobby,
players and doors.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from ipaddress import ip_network

from asgiref.sync import sync_to_async
from django.conf import settings

from arena import paths
from arena.analysis.provers import Provers
from arena.bots.builtin.builtin import Builtin
from arena.bots.builtin.exhibition import Exhibitions
from arena.bots.builtin.thinkers import Thinkers
from arena.bots.failure import quarantine
from arena.bots.failure.failure import keep_failures
from arena.bots.process.commands import Commands
from arena.bots.seats.doors import Door
from arena.bots.seats.personal import PersonalPorts
from arena.bots.seats.room_maker import RoomMaker
from arena.bots.seats.seat_ports import SeatPorts
from arena.bots.seats.unseated import Networks
from arena.bots.session.wire_store import WireStore
from arena.cluster.lease import Fence
from arena.common.detached import begin
from arena.common.limits import Shares
from arena.common.metrics import EndedMatches
from arena.core.hub import Hub, LiveMatch
from arena.core.ledger import Ledger
from arena.core.log_store import DatabaseStore
from arena.core.packing import Packer
from arena.core.played import Inbox
from arena.core.referee import Referee
from arena.core.storage_trouble import AWAY
from arena.core.storage_watch import Watch
from arena.figures import Figures
from arena.protocols import protocol
from arena.rooms.adjudicator import Adjudicator
from arena.rooms.draining import Draining
from arena.rooms.lobby import Lobby
from arena.rooms.parking import Parking
from arena.rooms.restart import restore
from arena.rooms.room_quota import RoomQuota
from arena.rooms.sweeping import Sweeper
from arena.tournaments.calling import open_room
from arena.tournaments.director import Director
from arena.tournaments.relaying import RelayedMatches
from arena.tournaments.slots import Slots
from arena.work import analyses
from arena.work.desk import Desk
from arena.work.engine import LocalEngine
from arena.work.prover_process import ProverProcess
from arena.work.rows import WorkRun
from arena.work.workers.lending import lend

log = logging.getLogger("arena.host")

# What a door is called besides its protocol that no port leads to: websockets of bots come in there.
WEBSOCKET = " (websocket)"

_here: list[Host] = []


def socket_path(slug: str) -> str:
    """The path on this site at which bots open a websocket to speak this protocol."""
    return f"/ws/{slug}/"


class NoHost(LookupError):
    """This process is not the host."""


@dataclass(slots=True, eq=False)
class Host:
    """Everything that runs beside the pages in this process."""

    hub: Hub
    ledger: Ledger
    referee: Referee
    lobby: Lobby
    thinkers: Thinkers
    wires: WireStore
    doors: dict[str, Door]
    room_maker: RoomMaker
    commands: Commands
    ended: EndedMatches
    storage: Watch
    figures: Figures
    parking: Parking
    adjudicator: Adjudicator
    exhibitions: Exhibitions
    stopped: bool = False
    director: Director | None = None
    inbox: Inbox | None = None
    personal: PersonalPorts | None = None
    desk: Desk | None = None

    @property
    def seat_ports(self) -> SeatPorts:
        return self.room_maker.ports

    @property
    def has_begun(self) -> bool:
        """Whether it has gone on with the matches of the last host."""
        return self.inbox is not None

    @property
    def fence(self) -> Fence | None:
        return self.ledger.store.fence

    async def begin(self, lends: bool | None = None) -> None:
        """Go on with the matches that were running when the last host stopped, and with its tournaments. `lends`:
        workers elsewhere do what they can, None if the settings say whether.
        """
        lends = bool(settings.ARENA_ENGINE) if lends is None else lends
        relayed = RelayedMatches(self.referee)
        restored = await restore(self.lobby, elsewhere=await relayed.restore())
        await self.lobby.challenges.restore()
        slots = (
            Slots(settings.ARENA_PLAY_SLOTS, self.fence, self._played, relayed, lends)
            if settings.ARENA_PLAY_SLOTS or lends
            else None
        )
        self.director = Director(self.lobby, self.thinkers, partial(open_room, self.room_maker), slots=slots)
        await self.director.looked()
        self.inbox = Inbox(self.ledger)
        self.figures.start()
        await self.figures.draining.start()
        if settings.ARENA_WORK_SLOTS or lends:
            self.desk = self._desk(lends)
        if restored:
            log.warning("going on with %d matches that were running", restored)

    async def open_doors(self, bots_host: str, ports: Mapping[str, int], trusted: Networks) -> dict[str, int]:
        """Open the doors. Returns the real ports. Raises OSError naming a port that is taken."""
        await self.bind_doors(bots_host, ports, trusted)
        return await self.attend_doors()

    async def bind_doors(self, bots_host: str, ports: Mapping[str, int], trusted: Networks) -> None:
        """Have the ports: who connects waits until somebody attends. Raises OSError naming a port that is taken."""
        for slug, port in ports.items():
            self.doors[slug] = Door(self.seat_ports, protocol(slug), trusted)
            await self.doors[slug].bind(bots_host, port)

    async def attend_doors(self) -> dict[str, int]:
        """Let in who waits at the doors, and who comes. Returns the real ports."""
        for door in self.doors.values():
            await door.attend()
        return {slug: door.port for slug, door in self.doors.items()}

    async def open_seats(self, bots_host: str, trusted: Networks) -> None:
        """Listen for bots that have an address of their own: seats that wait, and registered bots with a port."""
        await self.seat_ports.open(bots_host)
        self.personal = PersonalPorts(self.seat_ports, trusted)
        await self.personal.open(bots_host)

    def socket_door(self, slug: str) -> Door:
        """The door for bots that speak this protocol over a websocket. Raises NoHost when doors are being closed."""
        if self.lobby.held:
            raise NoHost("this host is stopping")
        name = f"{slug}{WEBSOCKET}"
        if name not in self.doors:
            trusted = networks(settings.ARENA_TRUSTED_NETS)
            self.doors[name] = Door(self.seat_ports, protocol(slug), trusted)
        return self.doors[name]

    def count_ended(self, live: LiveMatch) -> None:
        """Count the ending for `/metrics`."""
        seats = live.state.setup.seats
        moves = (event for event in live.events if event.kind == "move")
        times = ((seats[event.seat or 0].kind, event.elapsed_ms or 0) for event in moves)
        self.ended.add(live.state.termination or "", times)

    def _desk(self, lends: bool) -> Desk:
        """Nothing is computed in the background while a rated match is played."""
        engine, kinds = (
            LocalEngine(settings.ARENA_WORK_SLOTS, settings.ARENA_WORK_NICE),
            {analyses.KIND: analyses.ANALYSE},
        )
        desk = Desk(engine, kinds, self.fence, self._is_quiet, self._computed)
        if lends:
            lend(desk, kinds, self.fence, self._computed)
        self.hub.on_end.append(lambda live: desk.call())
        return desk

    def _played(self) -> None:
        """A match that was given away has been stored, and may be analysed."""
        if self.desk is not None:
            self.desk.call()

    def _is_quiet(self) -> bool:
        return not any(live.state.setup.rated and not live.turn.elsewhere for live in self.hub.running())

    def _computed(self, run: WorkRun) -> None:
        """Readers of the match are shown what was found."""
        live = self.hub.get(run.spec.get("match", ""))
        if live is not None and live.over:
            begin(self._show(live))

    async def _show(self, live: LiveMatch) -> None:
        live.facts.analysis = await sync_to_async(analyses.read)(live.id, live.events)
        self.hub.changed(live)

    def cut_off(self, is_cut_off: bool) -> None:
        """The database does not answer, or does so again. Nobody on a front can move meanwhile, so no clock runs."""
        if is_cut_off:
            self.storage.suspect(AWAY)
        self.ledger.cut_off(is_cut_off)

    async def cease(self) -> None:
        """The lease is another's: nothing of any match is said any more, bots are let go, and this host ends."""
        self.ledger.fence_off()
        await self._close_doors()
        self.referee.close()  # everybody who waits for an act hears that it was not done, and so nothing waits forever
        await self.stop()

    async def stop(self) -> None:
        """Tournaments and doors first, then what is on its way to the log, then the rest. May be called twice."""
        if self.stopped:
            return
        self.stopped = True
        await self.figures.stop()
        await self.figures.draining.stop()
        if self.desk is not None:
            await self.desk.close()
        if self.inbox is not None:
            await self.inbox.close()
        if self.director is not None:
            await self.director.stop()
        await self.adjudicator.close()
        await self._close_doors()
        await self.commands.close()
        await self.parking.close()
        await self.lobby.close()
        self.referee.close()
        await self.exhibitions.close()
        await self.thinkers.close()
        await self.ledger.close()
        await quarantine.settled()
        await self.wires.close()
        await self.storage.close()
        if self in _here:
            _here.remove(self)

    async def _close_doors(self) -> None:
        """All at once: each may wait for bots that do not close."""
        self.lobby.hold()
        closing = [door.close() for door in self.doors.values()]
        if self.personal is not None:
            closing.append(self.personal.close())
        await asyncio.gather(*closing, self.seat_ports.close())


def here() -> Host:
    """The host in this process. Raises NoHost if there is none."""
    if (host := here_or_none()) is None:
        raise NoHost(f"this process serves no matches: start it with {paths.PROGRAM} serve")
    return host


def here_or_none() -> Host | None:
    """The host in this process, None if there is none. One that takes over is none before it has begun: a page would
    find a match in which nobody sits yet, and its player would be missed there.
    """
    return _here[-1] if _here and _here[-1].has_begun else None


def make(fence: Fence, on_death: Callable[[BaseException], None]) -> Host:
    """A host that holds the lease with this number, and has not begun."""
    hub = Hub()
    ledger = Ledger(DatabaseStore(fence), on_death)
    referee = Referee(ledger, hub)
    thinkers = Thinkers(prover=Provers)
    commands = Commands(referee, settings.ARENA_SANDBOX_MIN)
    trusted = settings.ARENA_TRUSTED_NETS
    quota = RoomQuota(settings.ARENA_LIMIT_NEW_ROOMS, trusted, settings.ARENA_LIMIT_NEW_MATCHES)
    lobby = Lobby(referee, lambda level: Builtin(referee, thinkers, level), commands.make, quota)
    ports = SeatPorts(lobby, settings.ARENA_SEAT_PORTS, Shares(*settings.ARENA_LIMIT_BOTS, trusted))
    keep_failures(referee, hub)
    quarantine.watch(hub)
    storage = Watch(hub.wake_all)
    wires, ended = WireStore(hub), EndedMatches()
    figures = Figures(hub, ledger, lobby, Draining(hub, lobby, fence))
    sweeper = Sweeper(lobby)
    sweeper.others.append(Packer().sweep)
    parking = Parking(lobby, sweeper, timedelta(days=settings.ARENA_WAITING_DAYS))
    adjudicator = Adjudicator(referee, ProverProcess())
    hub.on_add.append(adjudicator.begin)
    parts = (RoomMaker(ports), commands, ended, storage, figures, parking, adjudicator, Exhibitions())
    host = Host(hub, ledger, referee, lobby, thinkers, wires, {}, *parts)
    storage.start()
    sweeper.start()
    hub.on_end.append(host.count_ended)
    _here.append(host)
    return host


async def start(fence: Fence, on_death: Callable[[BaseException], None]) -> Host:
    """Become the host, and go on with the matches that were running when the last one stopped."""
    host = make(fence, on_death)
    try:
        await host.begin()
    except BaseException:
        await host.stop()
        raise
    return host


def networks(texts: list[str]) -> Networks:
    return [ip_network(text) for text in texts]
