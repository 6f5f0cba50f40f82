"""`santorini-json` (004): Santorini 6×6 in JSON values over a socket.

To the bot: `["new_game", opponent]`, acknowledged with `"OK"`; `["place", [InitWorker, …]]` and `["turn", Board]`,
answered with its move; `["over", GameResult]` and, behind the last match, `["tournament_finished", [GameResult, …]]`,
both acknowledged. Its own name as an answer is a resignation. Who broke a rule gets no `over`: it is closed.

The text assumes an open socket. Its sister text registers with `["join", name]`, answered with `"OK"` or with
`["name", other]`, which the bot acknowledges; a bare `"name"` is taken as well and not answered. A bot says no name if
its program waits for its input instead, or when the time for the handshake is over.

An answer begins with `[` or `"`. What begins otherwise breaks the rules with its first byte: a word or a number ends
with white space, which may never come.

What comes before it is asked for is kept in order and answers the next requests, as the server of 004 read its socket.

Known clients take one read for one value. So a second value never goes out before the answer to the first has come,
and each ends with a newline, which a reader of values skips and a reader of lines needs.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto

from arena.protocols.adapter import (
    Adapter,
    BotFault,
    BotMove,
    BotResigns,
    Bye,
    Deadline,
    Ended,
    Hello,
    Ready,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.framing import shown
from arena.protocols.json_values import NESTING_CAP, VALUE_CAP, ValueBuffer, read_value, write_value
from arena.protocols.santorini_json.values import NAME, Names, board, name_of, other_than, places, read_place, read_turn
from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition

ACK_S = 10.0
# What known clients read at once, and take for one value.
READ = 1024
# The answer to a registration has no answer: this keeps new_game out of the same read.
PAUSE_S = 0.1

# Values that are kept for requests to come, and their bytes.
MOST_AHEAD, MOST_BYTES_AHEAD = 64, 64 * 1024

_BEGINNINGS = b'["'
_WORKERS = 4
_WON = frozenset({"normal", "resign", "adjudicated", "max_plies"})


class Sent(Enum):
    """What the bot was sent last and has not answered."""

    NOTHING = auto()
    NAME = auto()
    NEW_GAME = auto()
    PLACE = auto()
    TURN = auto()
    PAST = auto()  # a request whose match has ended meanwhile: any answer will do
    OVER = auto()
    FINISHED = auto()


_REQUESTS = frozenset({Sent.PLACE, Sent.TURN})
# Whatever comes instead of these acknowledgements, or nothing: it changes no result any more.
_LAST_WORDS = frozenset({Sent.PAST, Sent.OVER, Sent.FINISHED})


@dataclass(slots=True)
class SantoriniJson(Adapter):
    """One player. It is ready when it has registered, or is known not to."""

    slug = "santorini-json"
    title = "Santorini (JSON)"
    variants = ("santorini-6x6",)
    on_illegal = "lose"
    resumes = False
    fault_ends_series = True
    keeps_answers = True
    stays = True
    answer_lines = 32  # a turn with every bracket on a line of its own has 22
    ready_s = 20.0
    ack_s = ACK_S
    clock = "30s"
    port = 4204
    arguments = ("my-bot", "{host}", "{port}")
    json = True
    expects = 'one JSON value: ["place", x, y] or [["move", …], ["build", …]]'
    asks = re.compile(rb'\["(?:place|turn|new_game)"')

    _buffer: ValueBuffer = field(default_factory=lambda: ValueBuffer(_BEGINNINGS), init=False, repr=False)
    _listening: bool = field(default=True, init=False)
    _ready: bool = field(default=False, init=False)
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

    def __post_init__(self) -> None:
        self.deadline = Deadline("ready", self.ready_s)

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
        if name == "ready":
            self._may_be_ready()
        elif name == "ack" and self.deadline is not None and self.deadline.name == "ack":
            self._no_acknowledgement()

    def _no_acknowledgement(self) -> None:
        if self._sent in _LAST_WORDS:
            self._answered()
        elif not self._deaf:
            self._blame("stall", b"", f'"OK" within {ACK_S:g} s')

    def _is_deaf(self) -> bool:
        return self._deaf or self.wants_close

    def _value(self, data: bytes) -> None:
        if data[0] not in _BEGINNINGS:
            self._no_answer(data)
            return
        try:
            value = read_value(data)
        except ValueError as why:
            self._malformed(data, why)
            return
        if self._listening:
            self._register(value, data)
        elif self._sent in _LAST_WORDS:
            self._last_words(value)
        elif self._sent in _REQUESTS:
            self._read_answer(value, data)
        elif self._sent is Sent.NOTHING:
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
    def listens(self) -> bool:
        return self._listening and self._buffer.is_empty and not self._ready and not self._is_deaf()

    @property
    def ahead(self) -> tuple[bytes, ...]:
        return tuple(self._kept)

    def _no_answer(self, data: bytes) -> None:
        """No answer begins like `data`, so nobody waits for its end."""
        too_late = self._sent in _LAST_WORDS or (self._between and self._sent is Sent.NOTHING)
        if self._sent is Sent.PAST:
            self._answered()
        elif not too_late:
            self._blame("bad_output", data, 'a JSON array or text, beginning with [ or "')

    def _malformed(self, data: bytes, why: ValueError) -> None:
        if self._sent is Sent.PAST:
            self._answered()
        elif self._sent not in _LAST_WORDS:
            self._blame("bad_output", data, f"a JSON value; {why}")

    def _register(self, value: object, data: bytes) -> None:
        match value:
            case ["join", str() as name]:
                self._take_name(name, answer=True)
            case str() as name if name != "OK":
                self._take_name(name, answer=False)
            case _:
                self._blame("bad_output", data, '["join", name], or nothing before ["new_game", opponent]')

    def _take_name(self, name: str, answer: bool) -> None:
        self._listening = False
        self._name = name if NAME.fullmatch(name) else name_of(name)
        self._events.append(Hello(self._name))
        if self._name != name:
            self._say(Sent.NAME, ["name", self._name])
        elif answer:
            self._out += write_value("OK")
            self.deadline = Deadline("ready", PAUSE_S)
        else:
            self._be_ready()

    def _may_be_ready(self) -> None:
        """It says no name, or it has had time to read our answer. One that is in the middle of registering is not."""
        begun = self._listening and not self._buffer.is_empty
        if not self._ready and not begun and self._sent is Sent.NOTHING:
            self._be_ready()

    def _be_ready(self) -> None:
        self._listening = False
        self._ready = True
        self.deadline = None
        self._events.append(Ready())

    def _acknowledged(self) -> None:
        renamed = self._sent is Sent.NAME
        self._answered()
        if renamed:
            self._be_ready()

    def _last_words(self, value: object) -> None:
        if value == "OK" or self._sent is Sent.PAST:
            self._answered()

    def _read_answer(self, value: object, data: bytes) -> None:
        assert self._position is not None, "a request was sent for a position"
        name = self._names[self._seat]
        if value == name:
            self._answered()
            self._events.append(BotResigns())
            return
        try:
            move = read_place(value) if self._sent is Sent.PLACE else read_turn(value, self._position, name)
        except InvalidMove as why:
            self._blame("bad_output", data, str(why))
        except IllegalMove as why:
            self._blame("illegal_move", data, str(why))
        else:
            self._answered()
            self._events.append(BotMove(move))

    def _blame(self, code: str, received: bytes, expected: str) -> None:
        self._deaf = True
        self._buffer = ValueBuffer(_BEGINNINGS)
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
                self._say(Sent.FINISHED, self._finished())
                self._closes_when_answered = True
            case Bye():
                self._bye()

    def _ask(self) -> None:
        """A request that the bot has already, or will get, is not sent twice."""
        position = self._position
        assert position is not None, "somebody is asked for a position"
        if self._sent in _REQUESTS or any(sent in _REQUESTS for sent, _ in self._next):
            return
        if len(position.workers) < _WORKERS:
            self._say(Sent.PLACE, ["place", places(position, self._names)])
        else:
            self._say(Sent.TURN, ["turn", board(position, self._names)])

    def _started(self) -> None:
        """Whatever was wrong between two matches is forgotten."""
        self._forget_requests()
        self._deaf = self._between = False
        self._listening, self._ready, self._playing = False, True, True
        self._say(Sent.NEW_GAME, ["new_game", self._names[1 - self._seat]])

    def _ended(self, ended: Ended) -> None:
        broke_a_rule = ended.winner == 1 - self._seat and ended.termination not in _WON
        if broke_a_rule or self._deaf:
            self.wants_close = True
            return
        self._kept.clear()
        self._between = True
        told = self._playing and all(sent is not Sent.NEW_GAME for sent, _ in self._next)
        self._forget_requests()
        if told and ended.winner is not None:
            self._say_over(ended.winner, ended.termination)
        if ended.last and not self._closes_when_answered:
            self._say(Sent.FINISHED, self._finished())
            self._closes_when_answered = True

    def _finished(self) -> list[object]:
        """Of a long series the newest results: a value that is longer than one read breaks known clients."""
        while len(write_value(["tournament_finished", self._results])) > READ:
            del self._results[0]
        return ["tournament_finished", self._results]

    def _forget_requests(self) -> None:
        """Whatever belongs to a match that is over need not be asked any more; what was asked is still answered."""
        self._next = deque(entry for entry in self._next if entry[0] in _LAST_WORDS)
        self._position = None
        self._playing = False
        if self._sent in _REQUESTS:
            self._wait(Sent.PAST)

    def _say_over(self, winner: int, termination: str) -> None:
        result = {
            "winner": self._names[winner],
            "loser": self._names[1 - winner],
            "reason": "WON" if termination in _WON else "BROKEN_RULE",
        }
        self._results.append(result)
        self._say(Sent.OVER, ["over", result])

    def _bye(self) -> None:
        """The last words of a series are still said, each for as long as an acknowledgement may take."""
        self._closes_when_answered = True
        if self._sent not in _LAST_WORDS and not any(sent in _LAST_WORDS for sent, _ in self._next):
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
        """Requests run on the match's clock, all else on the deadline of an acknowledgement."""
        self._sent = sent
        self.deadline = None if sent in _REQUESTS else Deadline("ack", ACK_S)
        if self._kept:
            self._value(self._kept.popleft())

    def _answered(self) -> None:
        self._sent = Sent.NOTHING
        self.deadline = None
        if self._next:
            self._say_next()
        elif self._closes_when_answered:
            self.wants_close = True
