"""A seat for a bot that connects: its port, the bot that has the seat, and the client that may be started for it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.common.names import cleaned
from arena.match.endings import counts
from arena.match.series import Loser
from arena.match.state import LogEvent, SeatSetup
from arena.play import meaning
from arena.play.any_token import AnyToken
from arena.play.bout import Bout
from arena.play.entrance import Entrance
from arena.play.line import WireMessage
from arena.play.loop import Alarm, Loop
from arena.play.seated import SeatedBot
from arena.play.sockets import PolledSocket
from arena.play.spec import SocketSeat
from arena.play.start import keeper, start
from arena.protocols import adapter as wire
from arena.protocols import protocol
from arena.transports.process import ChildTransport
from arena.transports.programs import check, environment

if TYPE_CHECKING:
    from arena.transports import Transport

STDERR = 2
# Why a port is without a bot, if there is no other reason.
NOBODY = "nobody"


class SocketBot(SeatedBot):
    """One connection. It says its own name, and has the seat of its port while it is connected."""

    def __init__(self, port: MatchPort, loop: Loop, connection: socket.socket, keep_wire: bool) -> None:
        adapter = protocol(port.seat.protocol)
        setup = SeatSetup(adapter.slug, "bot", protocol=adapter.slug, **meaning.policies(adapter))
        super().__init__(loop, adapter, setup, keep_wire)
        self.connected = True
        self._rounds_played = 0
        self._port = port
        PolledSocket(loop, connection, self._receive)
        self._expect_handshake()
        self.line.pump()

    def _receive(self, transport: Transport) -> AnyToken:
        self.line.connect(transport)
        return AnyToken(transport, self.line)

    def _close(self) -> None:
        if self.line.transport is not None:
            self.line.transport.close()

    @property
    def left(self) -> str:
        """How it ended its connection, "" if it did not."""
        return "" if self.connected or self._lost == "closed" else self._lost

    def loss(self) -> meaning.Loss:
        return meaning.Loss("disconnect", f"the connection is gone: {self._lost}")

    # -- as the listener of its line -----------------------------------------------------------------------------------

    def lost(self, reason: str) -> None:
        self._leave(reason)
        super().lost(self._lost)

    def _leave(self, reason: str) -> None:
        """Give up the seat. Answers sent ahead still play the running match."""
        if self.connected:
            self.connected, self._lost = False, reason
            self._settle(False)
            self._port.lost(self)

    def _closed(self, _: wire.Closed) -> None:
        """It has closed its side: take that up behind all it did before, of which it is still told."""
        self._loop.call_later(0, self._part)

    def _part(self) -> None:
        if not self.adapter.is_parting:
            self._close()
        self._leave("closed by the bot")
        if self.playing:
            self._lose_connection()

    def _hello(self, hello: wire.Hello) -> None:
        self.setup = self.setup._replace(name=cleaned(hello.name) or self.adapter.slug)
        super()._hello(hello)

    def _seek(self, wish: wire.Wish) -> None:
        if not self._port.is_for(self):
            self.adapter.send(wire.Refused("channel_is_full", "This seat is taken."))
            return
        if self.adapter.joins:
            self.adapter.send(wire.Company(self._port.has_opponent))
        self.adapter.send(wire.Joined(wish.code if isinstance(wish, wire.Join) else ""))
        self._is_ready(wire.Ready())

    def _is_ready(self, _: wire.Ready) -> None:
        if not self._port.is_for(self):
            self._close()
        elif self.connected and not self.ready:
            self._settle(True)
            self._port.taken_by(self)

    def _not_ready(self) -> None:
        """End a connection whose handshake was not complete in time; it costs nobody a match."""
        self.line.tick("ready")
        if not self.ready:
            self._settle(False)
            self._close()

    # -- as a player ---------------------------------------------------------------------------------------------------

    def _end_match(self, event: LogEvent) -> None:
        self._rounds_played += counts(event.data["termination"])
        super()._end_match(event)

    def has_rounds_left(self) -> bool:
        """Whether its protocol allows further rounds on this connection."""
        rounds = self.adapter.rounds
        return rounds is None or self._rounds_played < rounds

    def as_loser(self) -> Loser:
        return Loser("bot", self.connected, self.adapter.fault_ends_series)

    def end(self) -> None:
        """Dismiss the bot, unless it still owes an answer, which it gives within the adapter's deadline."""
        if self.connected and not self.adapter.wants_close:
            self.line.say(wire.Bye())
        if self.adapter.deadline is None:
            self._close()

    def abort(self) -> None:
        """Cut the connection."""
        if self.line.transport is not None:
            self.line.transport.abort()


class MatchPort:
    """The seat behind a port: a bot that connects takes it, and a new connection replaces one that has ended.

    It has the interface of a player. `absent` is the reason once nobody will play here. If the `opponent` also comes to
    a port, `changed` is called when a bot comes or goes.
    """

    failed = ""

    def __init__(
        self, loop: Loop, seat: SocketSeat, cwd: str, keep_wire: bool = False, other: MatchPort | None = None
    ) -> None:
        """Listen, unless the `other` seat has the same port. Raises OSError if the port is taken."""
        self.seat = seat
        self.absent = ""
        self.opponent: MatchPort | None = None
        self.changed: Callable[[], None] = _nothing
        self._loop, self._cwd, self._keep_wire = loop, cwd, keep_wire
        self._entrance: Entrance = (
            other._entrance if other is not None and other.seat.port == seat.port else Entrance(loop, seat)
        )
        self._bot: SocketBot | None = None
        self._sits: SocketBot | None = None
        self._came: SocketBot | None = None  # the last that connected
        self._connected: set[SocketBot] = set()
        self._waiting: Alarm | None = None
        self._client: Client | None = None
        self._closing = False
        self._entrance.add(self)

    # -- who has the seat ----------------------------------------------------------------------------------------------

    @property
    def is_taken(self) -> bool:
        """Whether a bot that can play is connected."""
        return self._bot is not None and self._bot.ready

    @property
    def is_occupied(self) -> bool:
        """Whether somebody is connected who plays here or may yet get ready to."""
        return any(bot.connected and (bot.ready or not bot.settled) for bot in self._connected)

    @property
    def has_opponent(self) -> bool:
        """Whether the opponent can play."""
        return self.opponent is None or self.opponent.is_taken

    @property
    def settled(self) -> bool:
        return self.is_taken or self.absent != ""

    def is_for(self, bot: SocketBot) -> bool:
        """Whether this bot has the seat or may take it."""
        return not self._closing and (self._bot is bot or self._bot is None or not self._bot.ready)

    def taken_by(self, bot: SocketBot) -> None:
        """Give the seat to this bot, which is ready to play."""
        self._bot = bot
        self.changed()

    def lost(self, bot: SocketBot) -> None:
        """Free the seat for the next connection."""
        if self._bot is bot:
            self._bot = None
        self.changed()

    def tell(self, there: bool) -> None:
        """Tell the bot whether the other side is taken."""
        bot = self._bot
        if bot is not None and bot.connected and bot.adapter.joins:
            bot.line.say(wire.Company(there))

    def expect(self, seconds: float) -> None:
        """Wait up to `seconds` for a bot, and start its client if there is one, again for further rounds. The wait ends
        if that exits without having played.
        """
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self._loop.call_later(seconds, lambda: self.give_up(""))
        if self._client is None and self.seat.argv and not self.is_taken:
            self._start_client()

    def _start_client(self) -> None:
        self._client = Client(self._loop, self, self._cwd)
        self._entrance.start(self._client)

    def give_up(self, why: str) -> None:
        """Record that nobody will come, because of `why` or the time limit."""
        if self.is_taken or self._entrance.keeps_waiting(self._client):
            return
        if not why and self._came is not None:
            how = (
                f"its connection was over before its match: {left}" if (left := self._came.left) else "never got ready"
            )
            why = f"a bot connected to {self.seat.protocol} on port {self.seat.port}, and {how}"
        self.absent = why or NOBODY

    def client_ended(self, played: bool, why: str) -> None:
        """The client started for this port has exited, or could not be started."""
        ended, self._client = self._client, None
        if ended is not None:
            self._entrance.ended(ended)
        if self._closing or self.is_taken:
            return
        if played:
            self._start_client()
        else:
            self.give_up(why)

    def accepted(self, connection: socket.socket) -> None:
        if self._closing:
            connection.close()
            return
        self._connected = {bot for bot in self._connected if not bot.over}
        self._came = SocketBot(self, self._loop, connection, self._keep_wire)
        self._connected.add(self._came)

    # -- as a player ---------------------------------------------------------------------------------------------------

    @property
    def setup(self) -> SeatSetup:
        return SeatSetup("nobody", "bot", protocol=self.seat.protocol) if self._bot is None else self._bot.setup

    @property
    def passed(self) -> tuple[tuple[str, bytes], ...]:
        bot = self._sits or self._came
        return () if bot is None else bot.passed

    @property
    def reads_input(self) -> bool | None:
        return None

    @property
    def over(self) -> bool:
        gone = not self._entrance.leads_to(self) and all(bot.over for bot in self._connected)
        return gone and self._client is None

    def waits_for_input(self) -> bool | None:
        return None

    def take_wire(self, opened: float) -> list[WireMessage]:
        return [] if self._sits is None else self._sits.take_wire(opened)

    def take_seat(self, bout: Bout, seat: int, is_last: Callable[[str], bool]) -> None:
        """`is_last` says whether the series ends with this match; the connection may end earlier."""
        bot = self._sits = self._bot
        if self._waiting is not None:
            self._waiting.cancel()
        assert bot is not None, "a round begins when everybody is there"
        bot.take_seat(bout, seat, lambda ending: is_last(ending) or not bot.has_rounds_left())
        if self._client is not None:
            self._client.played = True

    def stays(self, keep: bool) -> bool:
        """It always waits for the next round."""
        return True

    def go_on(self) -> None:
        """Connected bots just play on."""

    def as_loser(self) -> Loser:
        assert self._sits is not None, "nobody else has played"
        return self._sits.as_loser()

    def end(self) -> None:
        """Let every connection send its last output; then stop listening, and end the client."""
        self._begin_to_end()
        for bot in self._connected:
            bot.end()
        self._end_rest()

    def abort(self) -> None:
        """Cut all connections."""
        self._begin_to_end()
        self._entrance.leave(self)
        for bot in self._connected:
            bot.abort()
        if self._client is not None:
            self._client.abort()

    def _begin_to_end(self) -> None:
        self._closing = True
        if self._waiting is not None:
            self._waiting.cancel()

    def _end_rest(self) -> None:
        """Wait for the end of all connections: the client has received everything by then, and a bridge that was closed
        has seen at this port that we had not died."""
        if not all(bot.over for bot in self._connected):
            self._loop.call_later(meaning.SOON_S, self._end_rest)
            return
        self._entrance.leave(self)
        if self._client is not None:
            self._client.abort()


class Client:
    """A program that is started to connect to `port`. Its output goes to our standard error."""

    def __init__(self, loop: Loop, port: MatchPort, cwd: str) -> None:
        self.port = port
        self.played = False
        self._loop, self._cwd = loop, cwd
        self._child: ChildTransport | None = None

    def begin(self) -> None:
        argv, env = self.port.seat.argv, environment()
        try:
            check(argv[0], self._cwd, env)
            child = start(argv, self._cwd, env, pty=False)
        except OSError as why:
            self.port.client_ended(False, f"{argv[0]} cannot be started: {why.strerror}")
            return
        peer = f"{argv[0]} (pid {child.pid})"
        self._child = ChildTransport(self._loop, child, child.stdout, peer, lambda _: self, keeper.release)
        self._child.on_stderr = lambda data: self.data_received(data, 0.0)
        self._child.end_input()

    def abort(self) -> None:
        if self._child is not None:
            self._child.abort()
        else:  # not started yet, or interrupted in its start: the keeper ends it
            self.port.client_ended(False, "")

    def data_received(self, data: bytes, stamp: float) -> None:
        os.write(STDERR, data)

    def eof_received(self) -> None:
        """Nothing to do: it may still play."""

    def connection_lost(self, reason: str) -> None:
        assert self._child is not None, "it was started"
        program, how = self.port.seat.argv[0], meaning.stopped(self._child.exit_words)
        self.port.client_ended(self.played, f"{program} {how} before it played on port {self.port.seat.port}")


def _nothing() -> None:
    """The default for `changed`."""
