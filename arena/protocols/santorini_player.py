"""The state machine shared by both Santorini 6×6 protocols in JSON values: one value at a time, and a series.

An answer begins with `[` or `"`. Any other first byte breaks the rules at once: a word or a number ends with white
space, which may never come. Values that come before a request are kept in order and answer the next ones.

The rows below define what each event does in each state. The protocols differ in that one has acknowledgements and the
other only pauses, and in how a bot says its name.
"""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum
from typing import ClassVar

from arena.protocols.adapter import BotFault, Bye, Closed, Ended, Refused, Seated, Started, ToBot, Turn
from arena.protocols.framing import shown
from arena.protocols.json_values import NESTING_CAP, VALUE_CAP, ValueBuffer, read_value, write_value
from arena.protocols.machine import Machine, Transition
from arena.protocols.santorini_actions import BEGINNINGS, SantoriniActions, SantoriniEvent, SantoriniState, later
from arena.protocols.santorini_words import NAME, Values, name_of, other_than, with_places
from games import IllegalMove, InvalidMove, Position
from games.santorini import SantoriniPosition

# Terminations within the rules of the game; any other loser broke a rule.
WON = frozenset({"normal", "resign", "adjudicated", "max_plies"})

# -- the machine -------------------------------------------------------------------------------------------------------

_S, _E, _Do, _To = SantoriniState, SantoriniEvent, SantoriniActions, Transition
Row = dict[StrEnum, Transition]

_VALUES = (_E.OK, _E.VALUE)
# Values that come before a request wait for it.
KEEPS: Row = dict.fromkeys(_VALUES, _To(None, _Do.keep))
# Values behind a match wait for nothing.
_DROPS: Row = dict.fromkeys((*_VALUES, _E.WRONG), _To(None, _Do.ignore))
_ALWAYS: Row = dict.fromkeys((_E.ENDED_BROKEN, _E.EVENT_OVER, _E.BYE), _To(_S.CLOSED, _Do.close))
_HEARD: Row = {**_ALWAYS, **dict.fromkeys((_E.WRONG, _E.FLOOD), _To(_S.DEAF, _Do.blame))}
_FREE: Row = {_E.STARTED: _To(_S.GREETED, _Do.greet), _E.RESULTS: _To(_S.PARTING, _Do.tell_all)}
_UNPLAYED: Row = {_E.ENDED: _To(None, _Do.conclude_unplayed), _E.NO_RESULTS: _To(_S.CLOSED, _Do.close)}
_LATER: Row = {_E.STARTED: later(_E.STARTED), _E.TURN: later(_E.TURN)}
_LAST: Row = {**_ALWAYS, **dict.fromkeys((_E.EVENT_OVER, _E.BYE), _To(None, _Do.leave))}
_OVER: Row = {**_LAST, **_LATER, **_UNPLAYED, _E.EVENT_OVER: _To(None, _Do.finish)}

# What a bot is sent in RENAMED, GREETED, TOLD and PARTING is acknowledged with "OK", or followed by a pause.
ACKNOWLEDGES: dict[SantoriniState, Row] = {
    _S.RENAMED: {
        _E.OK: _To(_S.READY, _Do.be_ready),
        _E.VALUE: _To(_S.DEAF, _Do.refuse),
        _E.TIME_OVER: _To(_S.DEAF, _Do.blame_silence),
    },
    _S.GREETED: {
        _E.OK: _To(_S.PLAYING, _Do.go_on),
        _E.VALUE: _To(_S.DEAF, _Do.refuse),
        _E.TIME_OVER: _To(_S.DEAF, _Do.blame_silence),
    },
    # Any other input, or none, is accepted here too: it no longer changes a result.
    _S.TOLD: dict.fromkeys((_E.OK, _E.TIME_OVER), _To(_S.BETWEEN, _Do.go_on)),
    _S.PARTING: dict.fromkeys((_E.OK, _E.TIME_OVER), _To(_S.CLOSED, _Do.close)),
}
PAUSES: dict[SantoriniState, Row] = {
    _S.RENAMED: {**KEEPS, _E.TIME_OVER: _To(_S.READY, _Do.go_on)},
    _S.GREETED: {**KEEPS, _E.TIME_OVER: _To(_S.PLAYING, _Do.go_on)},
    _S.TOLD: {_E.TIME_OVER: _To(_S.BETWEEN, _Do.go_on)},
    _S.PARTING: {_E.TIME_OVER: _To(_S.CLOSED, _Do.close)},
}


def machine(registration: dict[SantoriniState, Row], answers: dict[SantoriniState, Row]) -> Machine:
    """The state machine of a protocol, given how a bot registers and how it answers values that are not requests."""
    return {
        **{state: {**_HEARD, **_FREE, **_UNPLAYED, **row} for state, row in registration.items()},
        _S.RENAMED: {**_HEARD, **_LATER, **_UNPLAYED, **answers[_S.RENAMED]},
        _S.READY: {
            **_HEARD,
            **_FREE,
            **KEEPS,
            _E.ENDED: _To(_S.BETWEEN, _Do.conclude_unplayed),
        },
        _S.GREETED: {**_HEARD, **_LATER, _E.ENDED: _To(_S.TOLD, _Do.conclude), **answers[_S.GREETED]},
        _S.PLAYING: {
            **_HEARD,
            **KEEPS,
            _E.STARTED: _FREE[_E.STARTED],
            _E.TURN: _To(_S.ASKED, _Do.ask),
            _E.ENDED: _To(_S.BETWEEN, _Do.conclude),
        },
        _S.ASKED: {
            **_HEARD,
            _E.MOVE: _To(_S.PLAYING, _Do.submit),
            _E.RESIGN: _To(_S.PLAYING, _Do.resign),
            _E.ENDED: _To(_S.PAST, _Do.conclude_asked),
        },
        _S.PAST: {
            **_OVER,
            **dict.fromkeys((*_VALUES, _E.WRONG, _E.TIME_OVER), _To(_S.BETWEEN, _Do.go_on)),
            _E.NO_RESULTS: _To(None, _Do.leave),
        },
        _S.TOLD: {**_DROPS, **_OVER, **answers[_S.TOLD]},
        _S.BETWEEN: {
            **_DROPS,
            **_ALWAYS,
            **_FREE,
            **_UNPLAYED,
            _E.RESULT: _To(_S.TOLD, _Do.tell),
            _E.EVENT_OVER: _To(None, _Do.finish),
        },
        _S.PARTING: {**_DROPS, **_LAST, **answers[_S.PARTING]},
        _S.DEAF: {**_ALWAYS, _E.ENDED: _ALWAYS[_E.BYE], _E.STARTED: _FREE[_E.STARTED]},
        _S.CLOSED: {},
    }


# States in which no sent value is unanswered, so that the next one can be sent.
_IS_FREE = frozenset({_S.NAMELESS, _S.CONFIRMED, _S.READY, _S.PLAYING, _S.BETWEEN})
_IS_DEAF = frozenset({_S.DEAF, _S.CLOSED})


class JsonSantorini(SantoriniActions):
    """One player. Each protocol defines what it is sent and how it answers."""

    variants = ("santorini-6x6",)
    on_illegal = "lose"
    resumes = False
    fault_ends_series = True
    keeps_answers = True
    stays = True
    answer_lines = 32  # a turn with every bracket on its own line has 22
    ready_s = 20.0
    clock = "30s"
    arguments = ("my-bot", "{host}", "{port}")
    json = True
    values: ClassVar[Values]

    __slots__ = ()

    @classmethod
    def behind_answer(cls, data: bytes) -> bytes:
        buffer = ValueBuffer()
        for end in range(1, len(data) + 1):
            if list(buffer.feed(data[end - 1 : end])):
                return data[end:].lstrip()
        return data

    @classmethod
    def good_part(cls, received: bytes, expected: str) -> int:
        shapes = ('"OK"',) if expected == '"OK"' else cls.values.shapes.get(expected)
        if shapes is None:
            return 0 if received[:1] not in (b"[", b'"') else super().good_part(received, expected)
        from arena.protocols.beginnings import in_shape  # imported only where needed: a runner starts sooner

        return in_shape(received, shapes)

    @classmethod
    def on_the_wire(cls, move: str) -> str:
        """Unknown: a turn names workers and directions, which depend on the board and the names."""
        return ""

    @classmethod
    def in_its_words(cls, sentence: str) -> str:
        return with_places(sentence)

    @abstractmethod
    def _register(self, value: object, data: bytes) -> None:
        """Take the bot's first value, which came as `data`."""

    def answer_to(self, position: Position, move: str) -> str:
        assert isinstance(position, SantoriniPosition), "this protocol carries nothing else"
        if position.is_placing:
            return write_value(self.values.write_place(move)).decode()
        return write_value(self.values.write_turn(position, move, self._names[self._seat])).decode()

    @property
    def is_parting(self) -> bool:
        return self._state is _S.PARTING or any(waits in (_E.RESULTS, _E.BYE) for waits, _ in self._next)

    @property
    def ahead(self) -> tuple[bytes, ...]:
        return tuple(self._kept)

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._state in _IS_DEAF:
            return
        for value in self._buffer.feed(data):
            self._value(value)
            self._work()
            if self._state in _IS_DEAF:
                return
        if self._buffer.overlong is not None:
            expected = f"a value of {VALUE_CAP} bytes and {NESTING_CAP} levels at most"
            self._step(_E.FLOOD, BotFault("bad_output", shown(self._buffer.overlong), expected))

    def receive_eof(self) -> None:
        """Take the end of the input; kept values still answer requests."""
        self._is_finished = self._ended = True
        if self._state in (_S.TOLD, _S.PARTING):
            self.await_reading()
        self._work()

    def tick(self, name: str) -> None:
        if self.deadline is not None and self.deadline.name == name != "ready":
            self._step(_E.TIME_OVER)
            self._work()

    def _value(self, data: bytes) -> None:
        if data[0] not in BEGINNINGS:
            # No answer begins like this, so its end is not waited for.
            self._wrong("bad_output", data, 'a JSON array or text, beginning with [ or "')
            return
        try:
            value = read_value(data)
        except ValueError as why:
            self._wrong("bad_output", data, f"a JSON value; {why}")
            return
        if self._state is _S.NAMELESS:
            self._register(value, data)
        elif self._state is _S.ASKED:
            self._answer(value, data)
        else:
            self._step(_E.OK if value == "OK" else _E.VALUE, data)

    def _name_or_other(self, name: str, event: SantoriniEvent) -> None:
        """Register the bot by `event` with this name, unless it needs another one."""
        self._step(event if NAME.fullmatch(name) else _E.OTHER_NAME, name)

    def _answer(self, value: object, data: bytes) -> None:
        position = self._position
        assert position is not None, "a request was sent for a position"
        values, name = self.values, self._names[self._seat]
        if value == name:
            self._step(_E.RESIGN)
            return
        try:
            move = values.read_place(value) if position.is_placing else values.read_turn(value, position, name)
        except InvalidMove as why:
            self._wrong("bad_output", data, str(why))
        except IllegalMove as why:
            self._wrong("illegal_move", data, str(why))
        else:
            self._step(_E.MOVE, move)

    def _wrong(self, code: str, data: bytes, expected: str) -> None:
        self._step(_E.WRONG, BotFault(code, shown(data), expected))

    def _work(self) -> None:
        """Send waiting values as far as possible, and let kept values of the bot answer them."""
        while True:
            if self._next and self._state in _IS_FREE:
                self._step(*self._next.popleft())
            elif self._kept and self.machine[self._state].get(_E.VALUE) is not KEEPS[_E.VALUE]:
                self._value(self._kept.popleft())
            else:
                break
        if self._ended and not self._kept:
            self._ended = False
            self.events.append(Closed())

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        match event:
            case Seated(seat=seat, you=you, opponent=opponent):
                name = self._name or name_of(you)
                other = other_than(name, opponent)
                self._seat, self._names = seat, (name, other) if seat == 0 else (other, name)
            case Started():
                self._step(_E.STARTED)
            case Turn(position=SantoriniPosition() as position):
                self._position = position
                self._step(_E.TURN, position)
            case Refused(code="busy") if self._position is not None:
                self._step(_E.TURN, self._position)
            case Ended(winner=winner, termination=termination):
                broke_a_rule = winner == 1 - self._seat and termination not in WON
                self._step(_E.ENDED_BROKEN if broke_a_rule else _E.ENDED, event)
            case Bye(of_event=of_event):
                self._step(_E.EVENT_OVER if of_event else _E.BYE)
        self._work()
