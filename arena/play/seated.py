"""A bot on a seat of the driver: the counterpart of a session on the server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from arena.match.commands import Abort, Fault, Play, Refusal, Resign
from arena.match.state import OFFERS, LogEvent, SeatSetup
from arena.play import meaning
from arena.play.bout import Bout, BoutTurn
from arena.play.line import Line, WireMessage
from arena.play.loop import Alarm, Loop
from arena.protocols import adapter as wire
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from arena.protocols.adapter import Adapter
    from games import Position


class SeatedBot(ABC):
    """`setup` is the player of the seat. `settled`: it is known whether it can play; `ready`: it can; `over`: nothing
    of it is left. `failed` is why it could not be started; `sent` is called with everything written to it in a
    match, `answered` with each move before it is judged.
    """

    def __init__(self, loop: Loop, adapter: type[Adapter], setup: SeatSetup, keep_wire: bool = False) -> None:
        self.setup = setup
        self.line = Line(loop, adapter(), self, keep_wire)
        self.failed = ""
        self.ready = self.settled = self.over = False
        self.sent: Callable[[Bout, int, bytes], None] | None = None
        self.answered: Callable[[Bout, int, wire.BotMove], None] | None = None
        self.reads_input: bool | None = None
        self.bout: Bout | None = None
        self.seat = 0
        self._loop = loop
        self._why_lost: meaning.Loss | None = None
        self._lost = ""
        self._asked_ply = 0
        self._is_last: Callable[[str], bool] = _always
        self._handshake: Alarm | None = None

    @property
    def adapter(self) -> Adapter:
        return self.line.adapter

    @property
    def passed(self) -> tuple[tuple[str, bytes], ...]:
        """The last messages on its connection."""
        return tuple(self.line.passed)

    @property
    def playing(self) -> bool:
        return self.bout is not None and not self.bout.over

    def take_wire(self, opened: float) -> list[WireMessage]:
        """All messages on its connection since the last call, if they are kept; their times count from `opened`."""
        return self.line.take_wire(opened)

    def waits_for_input(self) -> bool | None:
        """Whether it is blocked reading its input, None if that is unknown."""
        return None

    @abstractmethod
    def loss(self) -> meaning.Loss:
        """The effect of the loss of its connection."""

    def _expect_handshake(self) -> None:
        self._handshake = self._loop.call_later(self.adapter.ready_s, self._not_ready)

    # -- as the listener of its line -----------------------------------------------------------------------------------

    def heard(self, event: wire.FromBot) -> None:
        _TAKE[type(event)](self, event)

    def wrote(self, data: bytes) -> None:
        if self.sent is not None and self.bout is not None and not self.bout.over:
            self.sent(self.bout, self.seat, data)

    def lost(self, reason: str) -> None:
        self.over, self._lost = True, reason
        self._settle(False)
        if self.adapter.ahead:  # these still play; the end of its input may not have come
            self.line.step(self.adapter.receive_eof)
        elif self.playing and not self._may_still_answer():
            self._lose_connection()

    def _may_still_answer(self) -> bool:
        """Whether it plays on although it is gone: answers that it sent ahead still count."""
        return bool(self.adapter.ahead)

    def flooded(self) -> None:
        self._blame(meaning.flooded(self.setup.name))

    def broke(self) -> None:
        if self.bout is not None and not self.bout.over:
            self.bout.post(Abort("server_abort", f"the server could not speak for {self.setup.name}"))

    def _blame(self, loss: meaning.Loss, move: str = "", stamp: float | None = None) -> None:
        """Let it lose its match, or the next one if it has none yet."""
        if self.bout is None:
            self._why_lost = self._why_lost or loss
            self._settle(False)
            if self.line.transport is not None:
                self.line.transport.close()
        elif not self.bout.over:
            fault = Fault(self.seat, loss.code, loss.reason, loss.received, loss.expected, move)
            self.bout.post(fault, stamp=stamp)

    def _lose_connection(self) -> None:
        assert self.bout is not None, "it was lost in a match"
        loss = self._why_lost or self.loss()
        self.bout.post(Fault(self.seat, loss.code, loss.reason, loss.received, loss.expected))

    # -- what it means -------------------------------------------------------------------------------------------------

    def _hello(self, hello: wire.Hello) -> None:
        """Keep the name it was started with; no token is needed."""
        self.adapter.send(wire.Admitted())

    def _seek(self, wish: wire.Wish) -> None:
        """Grant any request for a seat: it was started for this one."""
        self.adapter.send(wire.Joined(wish.code if isinstance(wish, wire.Join) else ""))
        self._settle(True)

    def _is_ready(self, _: wire.Ready) -> None:
        self._settle(True)

    def _settle(self, ready: bool) -> None:
        if self._handshake is not None:
            self._handshake.cancel()
        self.ready, self.settled = ready and not self.over, True

    def _not_ready(self) -> None:
        """The handshake was not complete in time."""
        self.line.tick("ready")
        if not self.ready:
            self._blame(meaning.Loss("stall", meaning.not_ready(self.setup.name, self.adapter.ready_s)))

    def _play(self, play: wire.BotMove) -> None:
        if self.bout is not None:
            if self.answered is not None:
                self.answered(self.bout, self.seat, play)
            self.bout.post(Play(self.seat, self._asked_ply, play.text), self._refused, self.line.stamp)

    def _refused(self, refusal: Refusal) -> None:
        self.line.say(wire.Refused(refusal.code, refusal.sentence))

    def _resign(self, _: wire.BotResigns) -> None:
        if self.bout is not None and not self.bout.over:
            self.bout.post(Resign(self.seat))

    def _offer(self, said: wire.BotOffers | wire.BotAnswers | wire.BotWithdraws) -> None:
        if self.bout is not None:
            command = meaning.about_offer(said, self.seat, self.bout.state.position.ply)
            self.bout.post(command, self._offer_refused, self.line.stamp)

    def _offer_refused(self, refusal: Refusal) -> None:
        self.line.say(wire.OfferRefused(refusal.code, refusal.sentence))

    def _fault(self, fault: wire.BotFault) -> None:
        reason = meaning.reason_of(fault, self.setup.name)
        self._blame(meaning.Loss(fault.code, reason, fault.received, fault.expected), fault.move, self.line.stamp)

    @abstractmethod
    def _closed(self, _: wire.Closed) -> None:
        """It has closed its side of the connection."""

    # -- as a player of a match ----------------------------------------------------------------------------------------

    def take_seat(self, bout: Bout, seat: int, is_last: Callable[[str], bool]) -> None:
        """Play this match; `is_last(termination)` says whether this bot plays no further match."""
        self.bout, self.seat, self._is_last, self.line.ply = bout, seat, is_last, 0
        bout.followers.append(self)
        setup = bout.state.setup
        opponent = setup.seats[1 - seat].name
        self.line.say(wire.Seated(seat, self.setup.name, opponent, setup.clock, bout.id))
        if not self.failed and (self._why_lost is not None or (self.over and not self._may_still_answer())):
            self._lose_connection()

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """Send the bot the logged events, and the request for a move when its turn begins, in one write. A bot that is
        gone loses its match at the latest when it is asked.
        """
        position, line = bout.state.position, self.line
        adapter, asked = line.adapter, turn is not None and turn.seat == self.seat
        try:
            for event in events:
                if event.kind != "move":
                    self._tell(event, position)
                    continue
                line.ply = event.ply or 0
                if adapter.hears_moves:
                    adapter.send(meaning.moved(event, position))
            if turn is not None and asked:
                self._asked_ply = line.ply = position.ply + 1
                line.asked()
                adapter.send(wire.Turn(position, turn.left_ms[self.seat], turn.left_ms[1 - self.seat]))
        except Exception:
            line.broke()
        line.pump()
        if asked and self.over and self.playing and not self._may_still_answer():
            self._lose_connection()

    def _tell(self, event: LogEvent, position: Position) -> None:
        """Tell of an event that is not a move."""
        assert self.bout is not None, "it has a seat"
        if event.kind in OFFERS and self.adapter.hears_offers:
            self.adapter.send(meaning.of_offer(event, position))
        elif event.kind == "started":
            self.adapter.send(meaning.started(self.bout.state.setup, position))
        elif event.kind == "ended":
            self._end_match(event)

    def _end_match(self, event: LogEvent) -> None:
        assert self.bout is not None, "its match has ended"
        if event.data["termination"] in ("timeout", "stall"):
            self.reads_input = self.waits_for_input()
        last = self._is_last(event.data["termination"])
        self.ready = self.ready and not last
        self.bout.followers.remove(self)
        self.adapter.send(meaning.ended(event, self.bout.state.position, last))


def _always(termination: str) -> bool:
    return True


_TAKE: dict[type, Callable[[SeatedBot, Any], None]] = {
    # Looked up on the bot, because some kinds of bots override them.
    wire.Hello: lambda bot, event: bot._hello(event),
    wire.Join: lambda bot, event: bot._seek(event),
    wire.Queue: lambda bot, event: bot._seek(event),
    wire.Challenge: lambda bot, event: bot._seek(event),
    wire.Ready: lambda bot, event: bot._is_ready(event),
    wire.BotMove: SeatedBot._play,
    wire.BotResigns: SeatedBot._resign,
    **dict.fromkeys((wire.BotOffers, wire.BotAnswers, wire.BotWithdraws), SeatedBot._offer),
    wire.BotFault: SeatedBot._fault,
    wire.Closed: lambda bot, event: bot._closed(event),
}
