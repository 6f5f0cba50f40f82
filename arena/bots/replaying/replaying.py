"""Replays a recorded match: the bytes of its bots pass through the current adapters, rules and clocks.

The log gives the order of events and the duration of each turn; a bot's acts are taken from its wire alone. People,
built-in players, staff and incidents of the machine have no wire, so their acts are taken from the log. So is the loss
of a connection. Remaining times and lateness are computed again from the time that passed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from arena.bots.replaying.recorded_bot import RecordedBot
from arena.bots.session.wire import FULL, visible
from arena.match import judge
from arena.match.black_box import BlackBox, Spoken
from arena.match.commands import Command, Fault, Play, Refusal, Resign
from arena.match.decide import decide
from arena.match.endings import Termination
from arena.match.evolve import evolve
from arena.match.judge import WrongEvent
from arena.match.state import OFFERS, TURN_GOES_ON, LogEvent, Setup
from arena.play import meaning
from arena.protocols import adapter as wire
from arena.protocols import protocols
from arena.rooms.reservation import bare
from games import variant

# Endings that the blamed bot's bytes must contain.
SAID = frozenset({Termination.BAD_OUTPUT, Termination.ILLEGAL_MOVE, Termination.OUT_OF_TURN, Termination.RESIGN})
MAY_BE_SAID = SAID | {Termination.STALL, Termination.AGREEMENT}
_DONE_BY_SEAT = frozenset({"move", *OFFERS})


class Replayed(NamedTuple):
    """`difference` names the first event that is not reproduced, "" if the log is the same. `notes` are differences
    that do not change the log, as in what is written to a bot, or say why the log may not be the same.
    """

    difference: str
    events: int
    notes: tuple[str, ...] = ()


def replayed(box: BlackBox) -> Replayed:
    table = _Table(box)
    try:
        table.play()
    except (WrongEvent, Refusal, ValueError, KeyError) as why:
        return Replayed(f"event {table.done + 1}: {why}", table.done, table.notes())
    return Replayed("", table.done, table.notes())


class _Table:
    """The match as far as it has been reproduced: `done` of its events."""

    def __init__(self, box: BlackBox) -> None:
        self._box, self._log, self.done = box, box.record.events, 0
        self._commands = deque[tuple[int, Command]]()
        self._bots: dict[int, RecordedBot] = {}
        self._said_before = list[str]()

    def play(self) -> None:
        state, first = judge.beginning(self._log)
        self._state, self.done = state._replace(setup=_in_order(state.setup)), len(first)
        for seat, setup in enumerate(self._state.setup.seats):
            if setup.kind == "bot" and (messages := self._box.wires[seat]):
                self._bots[seat] = self._bot(seat, messages)
        last = max(self._bots.values(), key=lambda bot: bot.came_at, default=None)
        for seat, bot in self._bots.items():
            bot.came_last = bot is last and bot.adapter.joins
            bot.sit(seat, 0.0, self._seated(seat))
        while self.done < len(self._log):
            made = self._next(self._log[self.done])
            recorded = tuple(self._log[self.done : self.done + len(made)])
            if recorded != made:
                raise WrongEvent(f"now it is {judge.said(made)}, the log says {judge.said(recorded)}")
            for event in made:
                self._state = evolve(self._state, event)
            self.done += len(made)
            for bot in self._bots.values():
                self._tell(bot, made)
                if bot.defect:
                    raise WrongEvent(f"the adapter of {bot.name} failed: {bot.defect}")

    def notes(self) -> tuple[str, ...]:
        """Differences between the recorded and the current output to bots."""
        written = (_difference(bot, *bot.differs) for bot in self._bots.values() if bot.differs is not None)
        return (*self._said_before, *self._lost(), *written)

    def _lost(self) -> Iterator[str]:
        """A server that is killed loses the seconds of the wires that it has not stored, and of the log nothing."""
        back = (event for event in self._log[self.done :] if event.kind == "resumed" and event.data.get("afresh"))
        for event in back:
            yield f"the server was back at event {event.seq}: if it had been killed, the wires lack the seconds before"

    # -- the bots ------------------------------------------------------------------------------------------------------

    def _bot(self, seat: int, messages: Sequence[Spoken]) -> RecordedBot:
        setup = self._state.setup.seats[seat]
        if setup.protocol not in protocols():
            raise WrongEvent(f"{setup.name} speaks {setup.protocol!r}, which this release does not know")
        if any(said.data == FULL for said in messages):
            raise WrongEvent(
                f"the wire of {setup.name} is longer than what is kept of one, so it cannot be played again"
            )
        return RecordedBot(setup.protocol, setup.name, self._box.room, messages, lambda event: self._hear(seat, event))

    def _seated(self, seat: int) -> wire.Seated:
        first, second = (bare(setup.name) for setup in self._state.setup.seats)
        you, opponent = (first, second) if seat == 0 else (second, first)
        return wire.Seated(seat, you, opponent, self._state.setup.clock, self._box.record.match)

    def _come_back(self, bot: RecordedBot, until: float) -> bool:
        """Tell a bot on a new connection the position, and ask it if it is its turn. Returns whether there was one."""
        was_back = False
        while (at := bot.came_back(until)) is not None:
            was_back = True
            bot.sit(bot.seat, at)
            bot.hold(self._seated(bot.seat), meaning.started(self._state.setup, self._state.position))
            if self._state.to_move == bot.seat:
                self._ask(bot)
            bot.tell()
        return was_back

    def _hear(self, seat: int, event: Any) -> None:
        """Queue what a bot does until the log says that somebody did something."""
        bot = self._bots[seat]
        match event:
            case wire.BotMove(text):
                self._commands.append((seat, Play(seat, bot.asked_ply, text)))
            case wire.BotResigns():
                self._commands.append((seat, Resign(seat)))
            case wire.BotOffers() | wire.BotAnswers() | wire.BotWithdraws():
                self._commands.append((seat, meaning.about_offer(event, seat, self._state.position.ply)))
            case wire.BotFault(code, received, expected, move):
                reason = meaning.reason_of(event, bot.name)
                self._commands.append((seat, Fault(seat, code, reason, received, expected, move)))
            case meaning.Loss(code, reason):
                self._commands.append((seat, Fault(seat, code, reason)))

    # -- what happens next ---------------------------------------------------------------------------------------------

    def _next(self, event: LogEvent) -> tuple[LogEvent, ...]:
        """The next events, where the log has this event."""
        at = (event.at - self._log[0].at).total_seconds()
        who = self._who_did(event)
        must = who is not None and (event.kind != "ended" or event.data["termination"] in SAID)
        for bot in self._bots.values():
            self._come_back(bot, at)
        while True:
            while self._commands:
                if made := self._done(*self._commands.popleft(), event):
                    return made
            if who is None or not (who.goes_on(at) or (must and self._ends_or_is_back(who))):
                break
        if must:
            assert who is not None, "somebody must have said it"
            if event.kind == "ended" and who.only_spoke_before:
                self._said_before.append(f"{who.name}: it said what ended this match before it, on an earlier wire")
                return judge.required(self._state, event)
            raise WrongEvent(f"the log says {judge.said([event])}, but nothing of that is in what {who.name} said")
        return judge.required(self._state, event)

    def _who_did(self, event: LogEvent) -> RecordedBot | None:
        """The bot whose bytes must contain this event, None if there is none."""
        seat = event.seat
        if event.kind == "takeback" and seat is not None:
            seat = 1 - seat  # the seat that agrees to it
        said = event.kind in _DONE_BY_SEAT or (event.kind == "ended" and event.data["termination"] in MAY_BE_SAID)
        return self._bots.get(seat) if said and seat is not None else None

    def _ends_or_is_back(self, bot: RecordedBot) -> bool:
        """End the bot's connection, and if that completed no last command, go on with its next one. Returns whether
        there was anything.
        """
        bot.end()
        return bool(self._commands) or self._come_back(bot, inf)

    def _done(self, seat: int, command: Command, event: LogEvent) -> tuple[LogEvent, ...]:
        """The events of this command; none if it is refused, which the bot is told."""
        if isinstance(command, Play):
            command = command._replace(given_back_ms=event.data.get("given_back_ms", 0))
        try:
            made = decide(self._state, command, event.at, event.elapsed_ms or 0)
        except Refusal as refusal:
            about_a_move = isinstance(command, Play | Resign | Fault)
            told = wire.Refused if about_a_move else wire.OfferRefused
            if not isinstance(command, Fault):
                self._bots[seat].tell(told(refusal.code, refusal.sentence))
            return ()
        return tuple(one._replace(actor="") for one in made)

    # -- what the bots are told of it ----------------------------------------------------------------------------------

    def _tell(self, bot: RecordedBot, events: Sequence[LogEvent]) -> None:
        state = self._state
        told: list[wire.ToBot] = []
        for event in events:
            if event.kind == "started":
                told.append(meaning.started(state.setup, state.position))
            elif event.kind == "move":
                assert event.ply is not None, "a move has a number"
                bot.said_before(event.ply)
                bot.ply = event.ply
                told.append(meaning.moved(event, state.position))
            elif event.kind == "takeback":
                bot.ply = state.position.ply
            if event.kind in OFFERS and bot.adapter.hears_offers:
                told.append(meaning.of_offer(event, state.position))
            elif event.kind == "ended":
                bot.hold(*told)
                told = [bot.told_as(*(meaning.ended(event, state.position, last) for last in (True, False)))]
        begins = any(event.kind not in TURN_GOES_ON for event in events)
        bot.hold(*told)
        if begins and state.to_move == bot.seat:
            self._ask(bot)
        bot.tell()

    def _ask(self, bot: RecordedBot) -> None:
        """Ask for a move, unless the bot's answer is already queued."""
        state = self._state
        asked = (Play(bot.seat, state.position.ply + 1, ""), bot.seat)
        if not any(
            isinstance(command, Play) and (command._replace(text=""), seat) == asked for seat, command in self._commands
        ):
            bot.ask(wire.Turn(state.position, state.left_ms[bot.seat], state.left_ms[1 - bot.seat]))


def _in_order(setup: Setup) -> Setup:
    """The setup with its settings in the order in which bots read them; a record sorts them by name."""
    known = [setting.name for setting in variant(setup.variant).settings]
    return setup._replace(settings={name: setup.settings[name] for name in known if name in setup.settings})


def _difference(bot: RecordedBot, said: Spoken | None, now: bytes) -> str:
    sent = said and f"after {said.t:.3f} s it was sent {visible(said.data[:80])!r} here"
    then = sent or "nothing more was sent to it"
    return f"{bot.name}: {then}, today it would be {visible(now[:80])!r}"
