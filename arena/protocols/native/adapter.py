"""`native`: the arena's own protocol, for every variant. One JSON object a line; over a websocket one a message.

The types of messages and their keys are in `native_grammar`. Every message of one type has the same keys, `type` first;
a bot's keys that are not in the table are ignored, so that a later version can add some.

Nothing costs a match but the rules, the clock and a line without an end: whatever cannot be done is `refused` with what
came, what was expected and what to do, and the turn goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from arena.protocols.adapter import (
    NO_RESULT,
    Adapter,
    BotFault,
    BotMove,
    BotResigns,
    Bye,
    Challenge,
    Closed,
    Deadline,
    Ended,
    Hello,
    Join,
    Moved,
    Queue,
    Ready,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.framing import LineBuffer, LineEnd, shown
from arena.protocols.json_values import VALUE_CAP, read_value, write_value
from arena.protocols.native.grammar import FROM_BOT, LONGEST_NAME, NAME_CHARACTERS, TO_BOT, VERSION

PING_S = 30.0

_NAME = re.compile(f"[A-Za-z0-9 _.-]{{1,{LONGEST_NAME}}}")
_READ = {message.type: message for message in FROM_BOT}
_WRITTEN = {message.type: tuple(key.name for key in message.keys) for message in TO_BOT}
_SEEKS: Mapping[str, tuple[type[Join | Queue | Challenge], str]] = {
    "join": (Join, "room"),
    "queue": (Queue, "variant"),
    "challenge": (Challenge, "player"),
}
_TYPES: Mapping[str, type] = {"text": str, "number": int}
_RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
# Refusals of a move after which the turn is still the bot's.
_ASK_AGAIN = frozenset({"illegal_move", "invalid_move", "busy"})
_SHOWN_MOVES = 12
_REFUSED = b'{"type":"refused"'


class NativeState(Enum):
    """Where the conversation stands."""

    NAMELESS = auto()
    IDLE = auto()
    ASKED = auto()
    JUDGING = auto()  # a move is with the referee


@dataclass(slots=True)
class Native(Adapter):
    """One bot. It is ready when it has said hello."""

    slug = "native"
    title = "Arena (JSON lines)"
    on_illegal = "refuse"
    joins = True
    clock = "none"
    keeps = True
    stays = True
    port = 4205
    join_lines = ('{"type": "hello", "name": "my-bot", "version": 1}', '{"type": "join", "room": "{code}"}')
    greeting = (b'{"type": "hello", "name": "you"}\n',)
    websocket = True
    arguments = ("my-bot", "{host}", "{port}", "{code}")
    line_end = LineEnd.CRLF
    json = True
    expects = 'one JSON object and \\n, such as {"type": "move", "ply": 1, "move": "4"}'
    asks = re.compile(rb'"type":"turn"')
    confused = (b'"unknown_type"', b'"bad_json"')
    grammar = (("bot", FROM_BOT), ("arena", TO_BOT))

    _state: NativeState = field(default=NativeState.NAMELESS, init=False)
    _playing: bool = field(default=False, init=False)
    _deaf: bool = field(default=False, init=False)
    _buffer: LineBuffer = field(default_factory=lambda: LineBuffer(LineEnd.CRLF, VALUE_CAP), init=False, repr=False)
    _seated: Seated = field(default=Seated(0, "", "", "none"), init=False, repr=False)
    _turn: Turn | None = field(default=None, init=False, repr=False)
    _asked_for: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.deadline = Deadline("ping", PING_S)

    @classmethod
    def first_refusal(cls, written: bytes) -> dict[str, str]:
        lines = written.splitlines(keepends=True)
        return next((json.loads(line) for line in lines if line.startswith(_REFUSED) and line.endswith(b"}\n")), {})

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._deaf or self.wants_close:
            return
        for line in self._buffer.feed(data):
            self._line(line)
        if self._buffer.overlong is not None:
            self._deaf = True
            received = shown(self._buffer.overlong)
            self._buffer = LineBuffer(LineEnd.CRLF, VALUE_CAP)
            self._events.append(BotFault("bad_output", received, f"a line of {VALUE_CAP} bytes at most"))

    def receive_eof(self) -> None:
        """A last message without its newline counts."""
        if not self.wants_close:
            self._line(self._buffer.finish())
        self._events.append(Closed())

    def tick(self, name: str) -> None:
        if name == "ping":
            self._say("ping")
            self.deadline = Deadline("ping", PING_S)

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        received = shown(line)
        try:
            said = read_value(line)
        except ValueError as why:
            self._refuse("bad_json", received, "one JSON object on each line", f"This line is not JSON: {why}.")
            return
        if not isinstance(said, dict) or not isinstance(said.get("type"), str) or said["type"] not in _READ:
            types = ", ".join(_READ)
            self._refuse("unknown_type", received, f'an object with "type" one of {types}', "Say what the message is.")
        elif self._has_keys(said, received):
            self._obey(said, received)

    def _has_keys(self, said: dict[str, Any], received: str) -> bool:
        for key in _READ[said["type"]].keys:
            value = said.get(key.name)
            if type(value) is not _TYPES[key.kind] and (key.needed or value is not None):
                expected = f'"{key.name}", a {key.kind}: {key.words}'
                self._refuse("bad_key", received, expected, f"Say {_example(said['type'])}.")
                return False
        return True

    def _obey(self, said: dict[str, Any], received: str) -> None:
        if self._state is NativeState.NAMELESS and said["type"] != "hello":
            self._refuse("hello_first", received, _example("hello"), "Say who you are before anything else.")
            return
        _OBEY[said["type"]](self, said, received)

    def _hello(self, said: dict[str, Any], received: str) -> None:
        name = said["name"].strip()
        if said.get("version") not in (None, VERSION):
            self._refuse("unknown_version", received, f'"version" {VERSION}, or none', "Speak this version.")
            return
        if not _NAME.fullmatch(name):
            expected = f"a name of 1 to {LONGEST_NAME} of {NAME_CHARACTERS}"
            self._refuse("bad_name", received, expected, "Take another name.")
            return
        self._events.append(Hello(name, said.get("token") or ""))
        self._say("welcome", version=VERSION, you=name)
        if self._state is NativeState.NAMELESS:
            self._state = NativeState.IDLE
            self._events.append(Ready())

    def _seek(self, said: dict[str, Any], received: str) -> None:
        if self._playing:
            self._refuse("in_match", received, "nothing of that during a match", "Finish the match first, or resign.")
            return
        seek, key = _SEEKS[said["type"]]
        self._asked_for = said[key]
        self._events.append(seek(said[key]))

    def _move(self, said: dict[str, Any], received: str) -> None:
        if self._state is not NativeState.ASKED or self._turn is None:
            self._refuse("not_your_turn", received, "a move only after turn", "Wait for the next turn.")
        elif said["ply"] != self._turn.position.ply + 1:
            expected = f'"ply" {self._turn.position.ply + 1}'
            self._refuse("stale", received, expected, "Answer the newest turn with its own ply.")
        else:
            self._state = NativeState.JUDGING
            self._asked_for = said["move"]
            self._events.append(BotMove(said["move"]))

    def _resign(self, said: dict[str, Any], received: str) -> None:
        if self._playing:
            self._events.append(BotResigns())
        else:
            self._refuse("no_match", received, "a match that has started", "There is nothing to give up.")

    def _pong(self, said: dict[str, Any], received: str) -> None:
        """It is there."""

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        if not self.wants_close and (tell := _TELL.get(type(event))) is not None:
            tell(self, event)

    def _tell_seated(self, seated: Seated) -> None:
        self._seated = seated

    def _tell_started(self, started: Started) -> None:
        seated = self._seated
        self._playing, self._deaf = True, False
        self._say(
            "seat",
            match=seated.match,
            seat=seated.seat,
            opponent=seated.opponent,
            clock=seated.clock,
            round=started.round,
            rounds=started.rounds,
        )
        settings = dict(started.settings)
        self._say("start", variant=started.variant, settings=settings, position=str(started.position))

    def _tell_turn(self, turn: Turn) -> None:
        """A turn that goes on is not asked for twice."""
        if self._state is NativeState.ASKED and self._turn is not None and self._turn.position == turn.position:
            return
        self._state, self._turn = NativeState.ASKED, turn
        position = turn.position
        mine_first = [turn.left_ms, turn.other_ms]
        self._say(
            "turn",
            ply=position.ply + 1,
            position=str(position),
            legal=position.legal_moves(),
            left_ms=mine_first if self._seated.seat == 0 else mine_first[::-1],
        )

    def _tell_moved(self, moved: Moved) -> None:
        self._idle()
        self._say(
            "moved",
            ply=moved.position.ply,
            seat=moved.seat,
            move=moved.text,
            position=str(moved.position),
            left_ms=moved.left_ms,
        )

    def _tell_refused(self, refused: Refused) -> None:
        expected = "something that can be done now"
        if self._state is NativeState.JUDGING and self._turn is not None:
            expected = _some_of(self._turn.position.legal_moves())
            self._state = NativeState.ASKED if refused.code in _ASK_AGAIN else NativeState.IDLE
        self._refuse(refused.code, shown(self._asked_for.encode()), expected, refused.sentence)

    def _tell_ended(self, ended: Ended) -> None:
        self._idle()
        self._playing = False
        result = "*" if ended.termination in NO_RESULT else _RESULTS[ended.winner]
        self._say(
            "end",
            winner=ended.winner,
            termination=ended.termination,
            reason=ended.reason,
            result=result,
            last=ended.last,
        )
        self.wants_close = ended.last

    def _tell_bye(self, _: Bye) -> None:
        self.wants_close = True

    def _idle(self) -> None:
        self._turn = None
        if self._state is not NativeState.NAMELESS:
            self._state = NativeState.IDLE

    def _refuse(self, code: str, received: str, expected: str, hint: str) -> None:
        self._say("refused", code=code, received=received, expected=expected, hint=hint)

    def _say(self, type: str, **values: object) -> None:
        assert tuple(values) == _WRITTEN[type], f"{type} has the keys {', '.join(_WRITTEN[type])}"
        self._out += write_value({"type": type, **values})


_OBEY: Mapping[str, Callable[[Native, dict[str, Any], str], None]] = {
    "hello": Native._hello,
    "join": Native._seek,
    "queue": Native._seek,
    "challenge": Native._seek,
    "move": Native._move,
    "resign": Native._resign,
    "pong": Native._pong,
}

_TELL: Mapping[type, Callable[[Native, Any], None]] = {
    Seated: Native._tell_seated,
    Started: Native._tell_started,
    Turn: Native._tell_turn,
    Moved: Native._tell_moved,
    Refused: Native._tell_refused,
    Ended: Native._tell_ended,
    Bye: Native._tell_bye,
}


def _example(type: str) -> str:
    """A message of this type with every needed key, as a bot would write it."""
    values = {"text": "…", "number": 1}
    keys = {key.name: values[key.kind] for key in _READ[type].keys if key.needed}
    return json.dumps({"type": type} | keys, ensure_ascii=False)


def _some_of(moves: tuple[str, ...]) -> str:
    return f"one of {', '.join(moves[:_SHOWN_MOVES])}{' …' if len(moves) > _SHOWN_MOVES else ''}"
