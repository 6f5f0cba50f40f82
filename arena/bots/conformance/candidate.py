"""One start of the bot under test: its process, adapter and events. Stands in for session and referee, for any order of
positions and steps.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from arena.bots.conformance.observed import Failed, Observed
from arena.bots.conformance.tap import Tap
from arena.bots.failure.answers import unasked
from arena.bots.failure.diagnosis import card
from arena.bots.failure.evidence import answer_with, as_written
from arena.match.decide import one_of
from arena.play.line import Line
from arena.play.loop import Loop
from arena.play.meaning import Looks
from arena.protocols.adapter import (
    Adapter,
    Admitted,
    BotFault,
    BotMove,
    BotResigns,
    Closed,
    FromBot,
    Hello,
    Join,
    Joined,
    Ready,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.framing import LineEnd, shown
from arena.protocols.steps import QUIET_S
from arena.transports.process import ChildTransport
from games import IllegalMove, InvalidMove, Position

# Seconds that a process may take to exit after its connection has ended.
EXIT_S = 1.0
NAME, OPPONENT, MATCH = "you", "opponent", "check"


class Candidate:
    """`answer_s` is how long an answer may take, `startup_s` the extra time for the first. `replies` are the seconds of
    the bot's answers, without the first, which includes the start of the process. `token` is what its greeting shows.
    """

    def __init__(self, loop: Loop, adapter: Adapter, tap: Tap, answer_s: float, startup_s: float) -> None:
        self.adapter = adapter
        self.tap = tap
        self.seen = Observed(adapter, tap, answer_s, startup_s)
        self.name = self.token = ""
        self.replies: list[float] = []
        self.variant = ""
        self.settings: dict[str, Any] = {}
        self.joins_refused = False
        self._answer_s, self._startup_s = answer_s, startup_s
        self._heard: deque[FromBot] = deque()
        self._broken = False
        self._asked: int | None = None
        self._loop = loop
        self._line = tap.receiver = Line(loop, adapter, self, keep=False)
        self._line.connect(tap)
        loop.call_later(0.0, self._line.pump)

    # -- as the listener of its line -----------------------------------------------------------------------------------

    def heard(self, event: FromBot) -> None:
        self._heard.append(event)

    def wrote(self, data: bytes) -> None:
        """Nothing to do: the tap records it."""

    def flooded(self) -> None:
        self.seen.flooded = True

    def broke(self) -> None:
        self._broken = True

    def lost(self, reason: str) -> None:
        self.seen.gone = reason

    # -- what a step does with it --------------------------------------------------------------------------------------

    @property
    def process(self) -> ChildTransport | None:
        return self.seen.process

    @property
    def gone(self) -> bool:
        """Whether the connection is over, and with it a process that speaks by itself."""
        return self.seen.gone is not None

    def ready(self, within_s: float | None = None) -> None:
        """Wait until it has sent its protocol's opening messages. Raises Failed, and TimeoutError after `within_s`."""
        with self._loop.timeout(within_s):
            if self._says_no_name():
                self._line.tick("ready")
            while not self._is_ready(self._next(self.adapter.ready_s, "stall")):
                pass

    def _is_ready(self, said: FromBot) -> bool:
        match said:
            case Hello(name=name, token=token):
                self.name, self.token = name, token
                self.tell(Admitted())
            case Join(code=code):
                self.tell(Refused("channel_is_full", "The room is full.") if self.joins_refused else Joined(code))
            case BotFault() as fault:
                raise self.seen.failed(fault.code, fault)
        return isinstance(said, Ready)

    def _says_no_name(self) -> bool:
        """Whether it waits for input instead of saying an optional name; False once it is known to do otherwise."""
        looks = Looks()
        while self.process is not None and self.adapter.listens and self.process.exit_status is None:
            self._loop.sleep(looks.pause_s)
            if looks.waits(self.process.waits_for_input() and self.adapter.listens):
                return True
        return False

    def seated(
        self, seat: int, position: Position, round: int = 1, rounds: int = 1, opponent: str = OPPONENT
    ) -> list[ToBot]:
        """The events that begin a match, to be sent together with the next ones."""
        self.seen.moves = []
        clock = f"move:{self._answer_s:g}s"
        return [
            Seated(seat, self.name or NAME, opponent, clock, MATCH),
            Started(position, round, rounds, self.variant, self.settings),
        ]

    def tell(self, *events: ToBot) -> None:
        """Send all events in one write."""
        for event in events:
            self.adapter.send(event)
        self._line.pump()

    def ask(self, position: Position, *before: ToBot, late_s: float = 0.0) -> str:
        """Ask for a legal move; `before` goes in the same write, the answer is read `late_s` later. Raises Failed."""
        self._begin_question(position)
        began = time.monotonic()
        self.tell(*before, Turn(position, round(self._answer_s * 1000), round(self._answer_s * 1000)))
        if late_s:
            self.tap.pause_reading()
            self._loop.sleep(late_s)
            self.tap.resume_reading()
        move = self._answer(position)
        if not (late_s or self.seen.starting):
            self.replies.append(time.monotonic() - began)
        self.seen.starting = False
        self.seen.moves.append(move)
        return move

    def said(self) -> str:
        """The last line after the last request, as the bot wrote it."""
        return shown(self._came().strip().rpartition(b"\n")[2])

    def ask_again(self, position: Position, within_s: float | None = None) -> str:
        """Repeat the request, as after an illegal answer. Raises Failed, and TimeoutError after `within_s`."""
        self._begin_question(position)
        self.tell(Refused("illegal_move", "Asked again."))
        with self._loop.timeout(within_s):
            return self._answer(position)

    def leave_time(self, seconds: float) -> None:
        """Keep listening for this long."""
        self._loop.sleep(seconds)

    def _begin_question(self, position: Position) -> None:
        self._asked = len(self.tap.passed)
        self.seen.position, self.seen.said_before = position, self.seen.stderr()
        self._line.asked()

    def _unanswering(self) -> bytes:
        """The bytes since the last request that do not answer it."""
        return unasked(self.adapter.slug, self._came(), first=self._asked is None)

    def _came(self) -> bytes:
        return self.tap.since(self._asked or 0)

    def _answer(self, position: Position) -> str:
        seconds = self._answer_s + (self._startup_s if self.seen.starting else 0)
        while True:
            match self._next(seconds, "timeout"):
                case BotMove(text=move):
                    why = _why_not(position, move)
                    if why is None:
                        return move
                    self._refuse(position, move, why)
                case BotResigns():
                    raise self.seen.failed("resign")
                case BotFault() as fault:
                    raise self.seen.failed(fault.code, fault)

    def _refuse(self, position: Position, move: str, why: ValueError) -> None:
        code = "illegal_move" if isinstance(why, IllegalMove) else "bad_output"
        if self.adapter.on_illegal == "lose":
            received = answer_with(self.adapter.slug, move, self._came(), self.tap.since(0))
            expected = as_written(self.adapter, position, one_of(position))
            raise self.seen.failed(code, BotFault(code, received, expected, move), reason=str(why))
        self._asked = len(self.tap.passed)
        self.tell(Refused("illegal_move" if code == "illegal_move" else "invalid_move", str(why)))

    def answers_tick(self, name: str, word: bytes) -> bool:
        """Whether it sends this word after this deadline of the adapter has passed."""
        begin = len(self.tap.passed)
        self._line.tick(name)
        self._loop.wait(lambda: word in self.tap.since(begin) or self.gone, self._answer_s)
        return word in self.tap.since(begin)

    def quiet(self, code: str, seconds: float = QUIET_S, starts: bool = False) -> None:
        """Check that it sends nothing while it is not asked. Raises Failed with the card of this code.

        If it `starts`, the time begins after its start.
        """
        begin = len(self.tap.passed)
        before = self._unanswering()
        if starts:
            self._started(begin)
        self._loop.sleep(seconds)
        said = before + self._said_since(begin) or b"\n".join(self.adapter.ahead)
        if said:
            known = self.seen.evidence("out_of_turn", received=shown(said.rstrip(b"\n")))
            raise Failed(card(code, known), self.seen.wire())

    def _said_since(self, begin: int) -> bytes:
        """What it has sent since, without a line end that its last answer did not need."""
        said, all_said = self.tap.since(begin), self.tap.since(0)
        if self.adapter.line_end is None:
            return said.strip()
        ends_in_cr = self.adapter.line_end == LineEnd.ANY and all_said.removesuffix(said).endswith(b"\r")
        return said.removeprefix(b"\n") if ends_in_cr else said

    def _started(self, begin: int) -> None:
        """Wait until its program waits for input or has spoken; one that does neither has the time of a start."""
        looks, until = Looks(), time.monotonic() + self._startup_s
        while self.process is not None and not (self.seen.on_socket or self.gone or self.tap.since(begin)):
            if looks.waits(self.process.waits_for_input()) or time.monotonic() > until:
                return
            self._loop.sleep(looks.pause_s)

    def until_acknowledged(self) -> None:
        """Wait until it has acknowledged everything. Raises Failed."""
        if not self._loop.wait(lambda: self.gone or not self._owes(), self._answer_s):
            raise self.seen.failed("stall", expected='"OK"')
        for event in self._heard:
            if isinstance(event, BotFault):
                raise self.seen.failed(event.code, event)

    def _owes(self) -> bool:
        deadline = self.adapter.deadline
        return deadline is not None and deadline.name == "ack" and not any(isinstance(e, BotFault) for e in self._heard)

    def over(self) -> None:
        """Wait until its connection is released."""
        self._loop.run(lambda: self.gone)

    def exits(self, seconds: float) -> bool:
        """Whether its process exits by itself within this time."""
        process = self.process
        return process is None or self._loop.wait(lambda: process.exit_status is not None, seconds)

    def _next(self, seconds: float, late: str) -> FromBot:
        """Its next event. Raises Failed if none comes in time, or none can come any more."""
        if not self._loop.wait(lambda: bool(self._heard) or self.gone, seconds):
            raise self.seen.late(late)
        if self._broken:
            raise RuntimeError(f"the adapter of {self.adapter.slug} failed; its log says why")
        if self._heard and not isinstance(self._heard[0], Closed):
            return self._heard.popleft()
        self.exits(EXIT_S)
        raise self.seen.dead()


def _why_not(position: Position, move: str) -> ValueError | None:
    try:
        position.play(move)
    except (InvalidMove, IllegalMove) as why:
        return why
    return None
