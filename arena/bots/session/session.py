"""A bot that plays over one connection: it listens to that connection, occupies a seat in a room and follows a match,
and carries events between them. It knows no protocol and judges no move.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from arena.bots.session import absence, staying
from arena.bots.session.admission import Admission
from arena.bots.session.connection import Connection
from arena.bots.session.finding import Connected, Finder, Prove, connection_closed
from arena.bots.session.identity import proven, unproven
from arena.bots.session.seeking import Seeking
from arena.bots.session.session_state import SessionEvent
from arena.bots.session.telling import Telling
from arena.bots.session.tokens import Identity
from arena.bots.session.wire import join_match
from arena.common.light_event import LightEvent
from arena.common.logs import about
from arena.common.names import cleaned
from arena.core.hub import LiveMatch, Presence
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Abort, Fault
from arena.match.series import Loser
from arena.match.state import SeatSetup
from arena.play import meaning
from arena.play.meaning import Loss
from arena.protocols import adapter as wire
from arena.protocols.adapter import Adapter
from arena.protocols.seat_line import why_not
from arena.rooms.reservation import bare
from arena.transports import Transport

log = logging.getLogger("arena.bots")


_SLOTS = (
    *("_handshake", "_referee", "admission", "exit_s", "finder", "keeps_name", "released", "seeking", "settled"),
    "telling",
)


class Session(Connected):
    """`grace_s` is how long a dropped connection may return before its match is lost, `exit_s` how long a process may
    take to exit after its output has ended; `why_lost(reason)` gives the termination of a lost connection.

    With `prove` it comes from the network and may show a token.
    """

    __slots__ = _SLOTS

    def __init__(
        self,
        adapter: Adapter,
        transport: Transport,
        referee: Referee,
        finder: Finder[Session],
        prove: Prove[Session] | None = None,
    ) -> None:
        super().__init__()
        self.admission: Admission[Session] | None = Admission(self, prove) if prove is not None else None
        self.connection = Connection(adapter, transport, self, self.admission.on_line if self.admission else None)
        self.setup = SeatSetup(name=adapter.slug, kind="bot", protocol=adapter.slug, **meaning.policies(adapter))
        self.finder = finder
        self.exit_s = 0.0
        self.keeps_name = False
        self.settled = LightEvent()
        self.released = LightEvent()
        self.rounds = adapter.rounds
        self.why_lost: Callable[[str], Loss] = connection_closed
        self._referee = referee
        self.telling = Telling(self, referee)
        self.seeking = Seeking(self)
        loop = asyncio.get_running_loop()
        self._handshake: asyncio.TimerHandle | None = loop.call_later(adapter.ready_s, self._not_ready)
        self.connection.on_close = partial(self._gone, "closed")
        self.name(adapter.slug)

    def name(self, name: str) -> None:
        """Set the name that others see: a proven name stays, and a process keeps the name it was started with."""
        if not (self.setup.verified or self.keeps_name):
            name = cleaned(name) or self.adapter.slug
            self.setup = self.setup._replace(name=unproven(name) if self.admission else name)

    def identify(self, who: Identity) -> None:
        """The bot has proven its identity."""
        self.setup = proven(self.setup, who)

    def admitted(self) -> None:
        if self.ready:
            self.finder.ready(self)
        self.connection.say(wire.Admitted())

    def send_away(self, code: str, sentence: str) -> None:
        """Dismiss this bot at once, in words. A running match may wait for its return."""
        self.connection.part_with(code, sentence)
        self._gone(f"{code}: {sentence}")

    def part(self) -> None:
        """End the connection because the server stops; the match stays as the log has it. A bridge returns to it."""
        bridged = self.admission is not None and self.admission.bridged
        if self.adapter.goodbye_ends_match and not bridged and self.is_playing:
            self.broke("the server was stopped")
        self._leave_match()
        if not bridged:
            self.connection.say(wire.Bye())
        self.transport.close()

    # -- as the listener of its connection ----------------------------------------------------------------------------

    def heard(self, event: wire.FromBot) -> None:
        _TAKE[type(event)](self, event)

    def flooded(self) -> None:
        loss = meaning.flooded(self.setup.name)
        if self.is_playing:
            self._lose(loss.code, loss.reason)
        self.why_lost = lambda reason: loss
        if self.admission is not None:  # a process is ended instead, and its page says why
            self.send_away("flood", loss.reason)

    def broke(self, why: str = "") -> None:
        """End only this connection and its match after a bug of ours."""
        if self.live is not None:
            why = why or f"the server could not speak for {self.setup.name}"
            retry(self._referee, self.live, Abort("server_abort", why))

    def lost(self, reason: str) -> None:
        self.released.set()
        self._gone(reason)

    def _gone(self, reason: str) -> None:
        if self.connected:
            self.happens(SessionEvent.LOSE)
            self.why_gone = reason
            self._settle()
            self.seeking.cancel()
            if self.admission is not None:
                self.admission.cancel()
            self.finder.lost(self)
            absence.begin(self, self._referee)

    # -- what the bot meant --------------------------------------------------------------------------------------------

    def _hello(self, hello: wire.Hello) -> None:
        self.name(hello.name)
        self.setup = self.setup._replace(**meaning.policies(self.adapter))  # it has said whether it answers offers
        if hello.token and (self.admission is None or not self.admission.shown(hello.token, self.send_away)):
            self.connection.say(wire.Admitted())

    def _wish(self, wish: wire.Wish) -> None:
        self.seeking.begin(wish)

    def seated(self, code: str) -> None:
        """A seat has been found, in the room with this code."""
        self.connection.say(wire.Joined(code))
        if self.ready:
            self.finder.ready(self)
        self._is_ready(wire.Ready())

    def _is_ready(self, _: wire.Ready) -> None:
        if self.connected and not self.ready:
            self.happens(SessionEvent.READY)
            self._settle()
            self.finder.ready(self)

    def _settle(self) -> None:
        """It is now known whether this bot can play."""
        self._no_handshake()
        self.settled.set()

    def _no_handshake(self) -> None:
        """Cancel the handshake's timer and drop it, because a session may last for hours."""
        if self._handshake is not None:
            self._handshake.cancel()
            self._handshake = None

    def _fault(self, fault: wire.BotFault) -> None:
        reason = meaning.reason_of(fault, self.setup.name)
        if self.is_playing:
            self._lose(fault.code, reason, fault.received, fault.expected, fault.move, stamp=self.connection.stamp)
        elif self.live is None:
            self.why_lost = lambda _: Loss(fault.code, reason, fault.received, fault.expected)
            if self.admission is not None and not self.adapter.wants_close:
                self.connection.part_with(*why_not(fault))
            self.transport.close()
            self._gone(reason)

    def _closed(self, _: wire.Closed) -> None:
        """The bot has closed its side: close the connection behind our last words, as nothing more will come."""
        if not self.connected:
            absence.begin(self, self._referee)
        elif self.exit_s:
            asyncio.get_running_loop().call_later(self.exit_s, self.transport.close)
        elif self.telling.posting.has_unjudged:
            self.telling.posting.leaves = True
        elif not self.adapter.is_parting:  # who parts is there until our last words are sent, also when we are stopped
            self.transport.close()
            self._gone("closed by the bot")

    def _lose(self, code: str, reason: str, *said: str, stamp: float | None = None) -> None:
        """`said`: what was received, what was expected, the intended move."""
        assert self.live is not None, "only a seated bot can lose"
        self.telling.posting.insist(self.live, Fault(self.seat, code, reason, *said), stamp)

    def _not_ready(self) -> None:
        """The handshake was not complete in time: dismiss the bot, unless it waits for us."""
        if self.seeking.is_running:
            self._handshake = asyncio.get_running_loop().call_later(self.adapter.ready_s, self._not_ready)
            return
        self.connection.tick("ready")
        if not self.ready:
            self.why_lost = lambda _: Loss("stall", meaning.not_ready(self.setup.name, self.adapter.ready_s))
            self._settle()
            self.transport.close()

    # -- the connection is gone in the middle of a match ---------------------------------------------------------------

    @property
    def is_playing(self) -> bool:
        return self.live is not None and not self.live.over

    def succeeded_by(self, session: Session) -> None:
        """The same bot is back on `session`, which continues the match if the protocol can. If not, the round is lost
        now: reconnecting must not save a lost game.
        """
        live = self.live
        if live is None or live.over:
            return
        if not self.adapter.resumes:
            absence.end(self)
            why = f"{self.setup.name} lost its connection, and a round of this protocol cannot go on"
            self._lose("disconnect", why)
            return
        self._leave_match()
        session.take_seat(live, self.seat)
        self._referee.signal(live, self.seat, Presence())

    def _leave_match(self) -> None:
        absence.end(self)
        self.seeking.cancel()
        if self.live is not None:
            self._referee.hub.unfollow(self.live, self.telling.follow)
        self.live = None

    # -- as an occupant of a room --------------------------------------------------------------------------------------

    def as_loser(self) -> Loser:
        return Loser("bot", self.connected, self.adapter.fault_ends_series)

    async def prepare(self) -> None:
        """Nothing to prepare for a connected bot."""

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        self.live, self.seat = live, seat
        self.happens(SessionEvent.SIT)
        self.telling.posting.forget()
        peer, said = self.transport.peer, about(live.id, seat, self.adapter.slug)
        log.debug("%s sits in match %s as %s", peer, live.id, self.setup.name, extra=said)
        self.connection.wire = join_match(self.connection.wire, live, seat)
        self._referee.hub.follow(live, self.telling.follow)
        state = live.state
        opponent = bare(state.setup.seats[1 - seat].name)
        self.adapter.send(wire.Seated(seat, bare(self.setup.name), opponent, state.setup.clock, live.id))
        if state.phase in ("running", "paused"):
            self.telling.tell_started(live, None, live.state.position)
        if state.to_move == seat and live.turn.since is not None:
            left_ms = live.left_ms(asyncio.get_running_loop().time())
            self.telling.ask(left_ms)  # it may be back in the middle of its turn
        self.connection.pump()
        if not (self.connected and self.ready):
            absence.begin(self, self._referee)

    def met(self, there: bool) -> None:
        if self.adapter.joins and self.connected:
            self.connection.say(wire.Company(there))

    def dismiss(self) -> None:
        """No more rounds: say goodbye, unless the end of the match has already closed the connection."""
        if staying.keep(self):
            return
        self.happens(SessionEvent.DISMISS)
        self._no_handshake()
        if self.connected and not self.adapter.wants_close:
            self.connection.say(wire.Bye())


_TAKE: dict[type, Callable[[Session, Any], None]] = {
    wire.Hello: Session._hello,
    wire.Join: Session._wish,
    wire.Queue: Session._wish,
    wire.Challenge: Session._wish,
    wire.Ready: Session._is_ready,
    wire.BotMove: lambda session, said: session.telling.posting.play(said),
    wire.BotResigns: lambda session, _: session.telling.posting.resign(),
    **dict.fromkeys(
        (wire.BotOffers, wire.BotAnswers, wire.BotWithdraws),
        lambda session, said: session.telling.posting.about_offer(said),
    ),
    wire.BotFault: Session._fault,
    wire.Closed: Session._closed,
}
