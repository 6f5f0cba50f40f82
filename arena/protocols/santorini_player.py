"""What both protocols of Santorini 6×6 in JSON share: one value at a time, each answered before the next, and a series.

Known clients take one read for one value. So a second value never goes out before the answer to the first has come, or
where a protocol has no answers, before it has had time to be read; each ends with a newline, which a reader of values
skips and a reader of lines needs.

An answer begins with `[` or `"`. What begins otherwise breaks the rules with its first byte: a word or a number ends
with white space, which may never come. What comes before a request is kept in order and answers the next ones.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import ClassVar

from arena.protocols.adapter import (
    Adapter,
    BotFault,
    BotMove,
    BotResigns,
    Bye,
    Deadline,
    Ended,
    Ready,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.framing import shown
from arena.protocols.json_values import NESTING_CAP, VALUE_CAP, ValueBuffer, read_value, write_value
from arena.protocols.santorini_words import Names, name_of, other_than
from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition

ACK_S = 10.0
# What known clients read at once, and take for one value.
READ = 1024

# Values that are kept for requests to come, and their bytes.
MOST_AHEAD, MOST_BYTES_AHEAD = 64, 64 * 1024

BEGINNINGS = b'["'
# Terminations by the rules of the game; whoever loses in another way broke a rule.
WON = frozenset({"normal", "resign", "adjudicated", "max_plies"})
_WORKERS = 4


class Sent(Enum):
    """What the bot was sent last and has not answered, or not had time to read."""

    NOTHING = auto()
    NAME = auto()
    NEW_GAME = auto()
    PLACE = auto()
    TURN = auto()
    PAST = auto()  # a request whose match has ended meanwhile: any answer will do
    OVER = auto()
    FINISHED = auto()


REQUESTS = frozenset({Sent.PLACE, Sent.TURN})
# Whatever comes instead of these acknowledgements, or nothing: it changes no result any more.
LAST_WORDS = frozenset({Sent.PAST, Sent.OVER, Sent.FINISHED})


@dataclass(slots=True)
class JsonSantorini(Adapter):
    """One player. What it is sent and how it answers is the word of each protocol.

    `pause_s`: how long a value that has no answer lies before the next one; None where all are acknowledged with "OK".
    """

    pause_s: ClassVar[float | None] = None

    variants = ("santorini-6x6",)
    on_illegal = "lose"
    resumes = False
    fault_ends_series = True
    keeps_answers = True
    stays = True
    answer_lines = 32  # a turn with every bracket on a line of its own has 22
    ready_s = 20.0
    clock = "30s"
    arguments = ("my-bot", "{host}", "{port}")
    json = True

    _buffer: ValueBuffer = field(default_factory=lambda: ValueBuffer(BEGINNINGS), init=False, repr=False)
    _registered: bool = field(default=False, init=False)
    _deaf: bool = field(default=False, init=False)
    _sent: Sent = field(default=Sent.NOTHING, init=False)
    _next: deque[tuple[Sent, object]] = field(default_factory=deque, init=False, repr=False)
    _kept: deque[bytes] = field(default_factory=deque, init=False, repr=False)
    _closes_when_answered: bool = field(default=False, init=False)
    _name: str = field(default="", init=False)
    _names: Names = field(default=("player", "playerb"), init=False)
    _seat: int = field(default=0, init=False)
    _playing: bool = field(default=False, init=False)
    _between: bool = field(default=False, init=False)
    _position: SantoriniPosition | None = field(default=None, init=False)
    _results: list[object] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def behind_answer(cls, data: bytes) -> bytes:
        buffer = ValueBuffer()
        for end in range(1, len(data) + 1):
            if list(buffer.feed(data[end - 1 : end])):
                return data[end:].lstrip()
        return data

    @classmethod
    def on_the_wire(cls, move: str) -> str:
        """A turn names workers and directions, which depend on the board and the names."""
        return ""

    # -- the words of a protocol ---------------------------------------------------------------------------------------

    @abstractmethod
    def _register(self, value: object, data: bytes) -> None:
        """The first value of the bot, which came as `data`."""

    @abstractmethod
    def _new_game(self, opponent: str) -> object:
        """The value that begins a match."""

    @abstractmethod
    def _place(self, position: SantoriniPosition) -> object:
        """The request to place a worker."""

    @abstractmethod
    def _turn(self, position: SantoriniPosition) -> object:
        """The request to take a turn."""

    @abstractmethod
    def _read_place(self, value: object) -> str:
        """The move of an answer. Raises InvalidMove or IllegalMove, saying what was expected."""

    @abstractmethod
    def _read_turn(self, value: object, position: SantoriniPosition) -> str:
        """The move of an answer. Raises InvalidMove or IllegalMove, saying what was expected."""

    @abstractmethod
    def _over(self, winner: int, termination: str) -> None:
        """A match that the bot has been told of is over: note its result, and say it where the protocol does."""

    @abstractmethod
    def _finished(self) -> object:
        """The value that ends a series, of all results."""

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._is_deaf():
            return
        for value in self._buffer.feed(data):
            self._value(value)
            if self._is_deaf():
                return
        if self._buffer.overlong is not None:
            expected = f"a value of {VALUE_CAP} bytes and {NESTING_CAP} levels at most"
            self._blame("bad_output", self._buffer.overlong, expected)

    def tick(self, name: str) -> None:
        if self.deadline is None or self.deadline.name != name:
            return
        if name == "pause" or (name == "ack" and self._sent in LAST_WORDS):
            self._answered()
        elif name == "ack" and not self._deaf:
            self._blame("stall", b"", f'"OK" within {ACK_S:g} s')

    def _is_deaf(self) -> bool:
        return self._deaf or self.wants_close

    def _value(self, data: bytes) -> None:
        if data[0] not in BEGINNINGS:
            self._no_answer(data)
            return
        try:
            value = read_value(data)
        except ValueError as why:
            self._malformed(data, why)
            return
        if not self._registered:
            self._register(value, data)
        elif self._sent in LAST_WORDS:
            self._last_words(value)
        elif self._sent in REQUESTS:
            self._read_answer(value, data)
        elif self._sent is Sent.NOTHING or self.pause_s is not None:
            self._keep(data)
        elif value == "OK":
            self._acknowledged()
        else:
            self._blame("bad_output", data, '"OK"')

    def _keep(self, data: bytes) -> None:
        """Nothing waits for it yet. Between two matches it is too late for the one and too early for the other."""
        if self._between:
            return
        self._kept.append(data)
        if len(self._kept) > MOST_AHEAD or sum(map(len, self._kept)) > MOST_BYTES_AHEAD:
            expected = f"at most {MOST_AHEAD} values and {MOST_BYTES_AHEAD // 1024} KiB ahead of the next request"
            self._blame("bad_output", data, expected)

    @property
    def ahead(self) -> tuple[bytes, ...]:
        return tuple(self._kept)

    def _no_answer(self, data: bytes) -> None:
        """No answer begins like `data`, so nobody waits for its end."""
        too_late = self._sent in LAST_WORDS or (self._between and self._sent is Sent.NOTHING)
        if self._sent is Sent.PAST:
            self._answered()
        elif not too_late:
            self._blame("bad_output", data, 'a JSON array or text, beginning with [ or "')

    def _malformed(self, data: bytes, why: ValueError) -> None:
        if self._sent is Sent.PAST:
            self._answered()
        elif self._sent not in LAST_WORDS:
            self._blame("bad_output", data, f"a JSON value; {why}")

    def _be_ready(self) -> None:
        self._registered = True
        self._events.append(Ready())

    def _acknowledged(self) -> None:
        self._answered()

    def _last_words(self, value: object) -> None:
        if self._sent is Sent.PAST or (value == "OK" and self.pause_s is None):
            self._answered()

    def _read_answer(self, value: object, data: bytes) -> None:
        assert self._position is not None, "a request was sent for a position"
        if value == self._names[self._seat]:
            self._answered()
            self._events.append(BotResigns())
            return
        try:
            placing = self._sent is Sent.PLACE
            move = self._read_place(value) if placing else self._read_turn(value, self._position)
        except InvalidMove as why:
            self._blame("bad_output", data, str(why))
        except IllegalMove as why:
            self._blame("illegal_move", data, str(why))
        else:
            self._answered()
            self._events.append(BotMove(move))

    def _blame(self, code: str, received: bytes, expected: str) -> None:
        self._deaf = True
        self._buffer = ValueBuffer(BEGINNINGS)
        self._kept.clear()
        self._events.append(BotFault(code, shown(received), expected))

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        match event:
            case Seated(seat=seat, you=you, opponent=opponent):
                name = self._name or name_of(you)
                other = other_than(name, opponent)
                self._seat, self._names = seat, (name, other) if seat == 0 else (other, name)
            case Started():
                self._started()
            case Turn(position=SantoriniPosition() as position):
                self._position = position
                self._ask()
            case Refused(code="busy") if self._sent is Sent.NOTHING and self._position is not None:
                self._ask()
            case Ended():
                self._ended(event)
            case Bye(of_event=True) if self._between and not self._closes_when_answered:
                self._finish()
            case Bye():
                self._bye()

    def _ask(self) -> None:
        """A request that the bot has already, or will get, is not sent twice."""
        position = self._position
        assert position is not None, "somebody is asked for a position"
        if self._sent in REQUESTS or any(sent in REQUESTS for sent, _ in self._next):
            return
        if len(position.workers) < _WORKERS:
            self._say(Sent.PLACE, self._place(position))
        else:
            self._say(Sent.TURN, self._turn(position))

    def _started(self) -> None:
        """Whatever was wrong between two matches is forgotten."""
        self._forget_requests()
        self._deaf = self._between = False
        self._registered, self._playing = True, True
        self._say(Sent.NEW_GAME, self._new_game(self._names[1 - self._seat]))

    def _ended(self, ended: Ended) -> None:
        broke_a_rule = ended.winner == 1 - self._seat and ended.termination not in WON
        if broke_a_rule or self._deaf:
            self.wants_close = True
            return
        self._kept.clear()
        self._between = True
        told = self._playing and all(sent is not Sent.NEW_GAME for sent, _ in self._next)
        self._forget_requests()
        if told and ended.winner is not None:
            self._over(ended.winner, ended.termination)
        if ended.last and not self._closes_when_answered:
            self._finish()

    def _finish(self) -> None:
        """Of a long series the newest results: a value that is longer than one read breaks known clients."""
        while len(write_value(self._finished())) > READ:
            del self._results[0]
        self._say(Sent.FINISHED, self._finished())
        self._closes_when_answered = True

    def _forget_requests(self) -> None:
        """Whatever belongs to a match that is over need not be asked any more; what was asked is still answered."""
        self._next = deque(entry for entry in self._next if entry[0] in LAST_WORDS)
        self._position = None
        self._playing = False
        if self._sent in REQUESTS:
            self._wait(Sent.PAST)

    def _bye(self) -> None:
        """The last words of a series are still said, each for as long as an acknowledgement may take."""
        self._closes_when_answered = True
        if self._sent not in LAST_WORDS and not any(sent in LAST_WORDS for sent, _ in self._next):
            self.wants_close = True

    def _say(self, sent: Sent, value: object) -> None:
        self._next.append((sent, value))
        if self._sent is Sent.NOTHING:
            self._say_next()

    def _say_next(self) -> None:
        sent, value = self._next.popleft()
        self._out += write_value(value)
        self._wait(sent)

    def _wait(self, sent: Sent) -> None:
        """Requests run on the match's clock, all else on the deadline of an acknowledgement, or of a pause."""
        self._sent = sent
        if sent in REQUESTS:
            self.deadline = None
        elif sent is Sent.PAST or self.pause_s is None:
            self.deadline = Deadline("ack", ACK_S)
        else:
            self.deadline = Deadline("pause", self.pause_s)
            return  # what is kept answers a request
        if self._kept:
            self._value(self._kept.popleft())

    def _answered(self) -> None:
        self._sent = Sent.NOTHING
        self.deadline = None
        if self._next:
            self._say_next()
        elif self._closes_when_answered:
            self.wants_close = True
