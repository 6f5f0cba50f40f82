"""Matches played in this process without a server: the same referee, a log in memory, seats from the command line."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.analysis.provers import Provers
from arena.bots.builtin.builtin import Builtin
from arena.bots.builtin.thinkers import Thinkers
from arena.bots.process.child import ChildBot
from arena.bots.session.connection import Connection
from arena.bots.session.session import Session
from arena.core.hub import Hub, LiveMatch
from arena.core.ledger import Ledger
from arena.core.log_store import MemoryStore
from arena.core.referee import Referee
from arena.match.commands import Abort, Refusal
from arena.match.series import side_of
from arena.match.state import SeatSetup, Setup
from arena.play.spec import BuiltinSeat, CommandSeat, SeatSpec, SocketSeat, Spec
from arena.protocols import protocol
from arena.protocols.adapter import Join, Wish
from arena.rooms.plan import Occupant, Plan
from arena.rooms.room import LiveRoom
from arena.transports import Transport, tcp
from tests.kit.listening import listen

log = logging.getLogger("arena.bots")

CONNECT_S = 60.0
STDERR = 2


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be played: `rounds` matches, seats swapped every round, `concurrency` of them at a time.

    `connect_s` is how long a socket seat may stay empty, `keep` whether a process plays match after match. Its output
    is a terminal, or without `pty` a pipe: a move costs a fifth less, and a bot that does not flush is silent.
    """

    variant: str
    seats: tuple[SeatSpec, SeatSpec]
    rounds: int = 1
    clock: str = "none"
    settings: dict[str, Any] = field(default_factory=dict)
    concurrency: int = 1
    seed: int | None = None
    cwd: Path = field(default_factory=Path.cwd)
    connect_s: float = CONNECT_S
    keep: bool = False
    pty: bool = True


class LocalMatches:
    """Plays an order. `on_start(round, live)` and `on_end(round, live)` are told; rounds may end out of order.
    `on_listening(seat)` is told of each port, as soon as it is open.
    """

    def __init__(
        self,
        order: Order,
        on_start: Callable[[int, LiveMatch], None],
        on_end: Callable[[int, LiveMatch], None],
        on_listening: Callable[[SocketSeat], None] = lambda seat: None,
    ) -> None:
        self.order = order
        self.on_listening = on_listening
        self.on_start = on_start
        self.on_end = on_end
        self._rounds = iter(range(1, order.rounds + 1))

    async def play(self) -> None:
        """Play everything. Raises OSError if a port is taken."""
        self._main = asyncio.current_task()
        self._ledger = Ledger(MemoryStore(), self._ledger_died)
        self._referee = Referee(self._ledger, Hub())
        self._thinkers = Thinkers(min(self.order.concurrency, os.cpu_count() or 1), prover=Provers)
        try:
            if any(isinstance(seat, SocketSeat) for seat in self.order.seats):
                await self._play_on_sockets()
            else:
                workers = min(self.order.concurrency, self.order.rounds)
                await asyncio.gather(*(self._play_one_by_one() for _ in range(workers)))
        finally:
            self._referee.close()
            await self._thinkers.close()
            await self._ledger.close()

    def _ledger_died(self, error: BaseException) -> None:
        if self._main is not None:
            self._main.cancel(f"the log cannot be written any more: {error!r}")

    def _room(self, first_round: int) -> LiveRoom:
        order = self.order
        plan = Plan(
            order.variant, order.settings, order.clock, rounds=order.rounds, first_round=first_round, break_s=0.0
        )
        room = LiveRoom(self._referee, plan)
        room.on_start = lambda live: self.on_start(live.state.setup.round, live)
        room.on_round = lambda live: self.on_end(live.state.setup.round, live)
        return room

    # -- seats of this process: each round has occupants of its own ----------------------------------------------------

    async def _play_one_by_one(self) -> None:
        kept: dict[int, ChildBot] = {}
        try:
            for round in self._rounds:
                await self._play_round(round, kept)
        finally:
            for bot in kept.values():
                await bot.close()

    async def _play_round(self, round: int, kept: dict[int, ChildBot]) -> None:
        """With `keep` the children of this round are in `kept`, for the next one."""
        room = self._room(round)
        ended = room.on_round

        def only_this_one(live: LiveMatch) -> None:
            ended(live)
            room.close()

        room.on_round = only_this_one
        for side in (0, 1):
            occupant = kept.get(side) or self._occupant(side, round)
            if self.order.keep and isinstance(occupant, ChildBot):
                kept[side], occupant.room = occupant, room
            room.sit(occupant)
        room.look()
        try:
            await self._until_over(room, None)
        finally:
            if not self.order.keep:
                await _end_processes(room)

    def _occupant(self, side: int, round: int) -> Occupant:
        seat = self.order.seats[side]
        if isinstance(seat, BuiltinSeat):
            seed = Spec(self.order.variant, self.order.seats, seed=self.order.seed).dice(side, round)
            return Builtin(self._referee, self._thinkers, seat.level, seed)
        assert isinstance(seat, CommandSeat), "socket seats are played on one room"
        name, order = self._name(side, seat), self.order
        return ChildBot(self._referee, protocol(seat.protocol), seat.argv, name, order.cwd, pty=order.pty)

    def _name(self, side: int, seat: CommandSeat) -> str:
        other = self.order.seats[1 - side]
        same = isinstance(other, CommandSeat) and other.name == seat.name
        return f"{seat.name}-{side + 1}" if same else seat.name

    async def _until_over(self, room: LiveRoom, wait_s: float | None) -> None:
        """Wait for the end. Raises TimeoutError when nothing changes for `wait_s` while no match is played."""
        changed = asyncio.Event()
        room.followers.add(changed.set)
        while not room.over:
            async with asyncio.timeout(None if room.playing else wait_s):
                await changed.wait()
            changed.clear()

    # -- with a socket seat: one room for all rounds, because the bot stays connected ----------------------------------

    async def _play_on_sockets(self) -> None:
        room, clients = self._room(1), list[asyncio.Task[None]]()
        ports = [
            _SeatPort(room, self._referee, side, seat)
            for side, seat in enumerate(self.order.seats)
            if isinstance(seat, SocketSeat)
        ]
        try:
            for port in ports:
                await port.open()
                self.on_listening(port.seat)
            clients = [asyncio.create_task(port.run_client(self.order.cwd)) for port in ports if port.seat.argv]
            for side, seat in enumerate(self.order.seats):
                if not isinstance(seat, SocketSeat):
                    room.sit(self._occupant(side, room.round), side)
            await self._until_over_with(room, clients)
        except ClientGone as why:
            await self._nobody_came(room, str(why))
        except TimeoutError:
            texts = " and ".join(f"{port.seat.protocol} on port {port.seat.port}" for port in ports if port.is_free)
            await self._nobody_came(room, f"nobody connected to {texts} within {self.order.connect_s:g} s")
        finally:
            room.close()
            for client in clients:
                client.cancel()
            await asyncio.gather(*clients, return_exceptions=True)
            for port in ports:
                await port.close()
            await _end_processes(room)

    async def _until_over_with(self, room: LiveRoom, clients: Sequence[asyncio.Task[None]]) -> None:
        """The same while clients of ours run. Raises ClientGone if one of them cannot play."""
        over = asyncio.create_task(self._until_over(room, self.order.connect_s))
        try:
            await asyncio.wait([over, *clients], return_when=asyncio.FIRST_COMPLETED)
            for task in (over, *clients):
                if task.done():
                    task.result()
            await over
        finally:
            over.cancel()

    async def _nobody_came(self, room: LiveRoom, reason: str) -> None:
        """The round has no start: it is logged like any other."""
        first, second = (_setup(occupant) for occupant in (room.sides[side_of(seat, room.round)] for seat in (0, 1)))
        order = self.order
        setup = Setup(
            order.variant, (first, second), order.settings, order.clock, round=room.round, rounds=order.rounds
        )
        live = await self._referee.open(setup)
        await self._referee.act(live, Abort("no_start", reason))
        self.on_end(room.round, live)


class ClientGone(Exception):
    """A client that was started for a seat has ended without a match. The message says how."""


class _SeatPort:
    """A port for one seat: a bot that connects has it, and a new connection has it when the old one is gone."""

    def __init__(self, room: LiveRoom, referee: Referee, side: int, seat: SocketSeat) -> None:
        self.seat = seat
        self._side = side
        self._room = room
        self._referee = referee
        self._sessions: set[Session] = set()
        self._server: tcp.Listener | None = None

    async def open(self) -> None:
        """Listen. Raises OSError if the port is taken."""
        try:
            self._server = await listen("127.0.0.1", self.seat.port, self._connected)
        except OSError as why:
            words = os.strerror(why.errno or 0)
            raise OSError(f"Cannot listen on 127.0.0.1:{self.seat.port} for {self.seat.protocol}: {words}.") from None

    def _connected(self, transport: Transport) -> Connection:
        session = Session(protocol(self.seat.protocol)(), transport, self._referee, self)
        session.room = self._room
        self._sessions.add(session)
        return session.connection

    async def seek(self, session: Session, wish: Wish) -> str:
        """Any room will do: there is one. Raises Refusal while somebody else has the seat."""
        if not self.is_free and self._room.sides[self._side] is not session:
            raise Refusal("channel_is_full", "This seat is taken.")
        session.met(self._room.sides[1 - self._side] is not None)
        return wish.code if isinstance(wish, Join) else ""

    def ready(self, session: Session) -> None:
        if not self.is_free:
            if self._room.sides[self._side] is not session:
                session.transport.close()
            return
        self._room.replace(self._side, session)
        self._room.look()

    @property
    def is_free(self) -> bool:
        """Whether nobody can play on this seat: a bot that lost its connection leaves it to the next one."""
        occupant = self._room.sides[self._side]
        return not self._room.over and (occupant is None or not occupant.ready)

    def lost(self, session: Session) -> None:
        """The seat waits for the next connection; a running match ends by the loss."""
        self._sessions.discard(session)

    async def run_client(self, cwd: Path) -> None:
        """Run the seat's own client, again for the rounds that are left once it has played some. What it prints goes to
        standard error. Raises ClientGone where it ends without having played.
        """
        program = self.seat.argv[0]
        while True:
            before = self._room.live
            try:
                client = await asyncio.create_subprocess_exec(
                    *self.seat.argv,
                    cwd=cwd,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=STDERR,
                    start_new_session=True,
                )
            except OSError as why:
                raise ClientGone(f"{program} cannot be started: {why.strerror}") from None
            try:
                code = await client.wait()
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(client.pid, signal.SIGKILL)
                await client.wait()
            if self._room.live is before:
                how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"stopped with exit code {code}"
                raise ClientGone(f"{program} {how} before it played on port {self.seat.port}")

    async def close(self) -> None:
        """Stop listening and let every connection deliver its last words."""
        if self._server is not None:
            self._server.close()
        for session in list(self._sessions):
            if session.adapter.deadline is None:  # else it still owes an answer, and ends by itself or by the deadline
                session.transport.close()
            await session.released.wait()


async def _end_processes(room: LiveRoom) -> None:
    for occupant in room.sides:
        if isinstance(occupant, ChildBot):
            await occupant.close()


def _setup(occupant: Occupant | None) -> SeatSetup:
    return occupant.setup if occupant else SeatSetup("nobody", "bot")
