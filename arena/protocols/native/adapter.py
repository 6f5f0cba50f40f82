"""`native`: the arena's own protocol, for every variant. One JSON object a line; over a websocket, one a message.

`native_grammar` lists the types of messages and their keys. Every message of one type has the same keys, `type` first;
unknown keys from a bot are ignored, so that a later version can add some.

Only the rules, the clock and an overlong line can lose a match: any other bad message is `refused`, with what came,
what was expected and what to do, and the turn goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from arena.protocols.adapter import (
    Admitted,
    BotFault,
    Bye,
    Closed,
    Deadline,
    Ended,
    Moved,
    OfferAnswered,
    Offered,
    OfferRefused,
    Refused,
    Seated,
    Started,
    TakenBack,
    ToBot,
    Turn,
)
from arena.protocols.framing import LineEnd, shown
from arena.protocols.json_values import VALUE_CAP, read_value
from arena.protocols.machine import Machine, Transition
from arena.protocols.native.actions import NativeActions
from arena.protocols.native.grammar import FROM_BOT, LONGEST_NAME, NAME_CHARACTERS, TO_BOT, VERSION
from games import Position

PING_S = 30.0
# How many lines may wait while a token is checked.
WAITING_CAP = 64

_NAME = re.compile(f"[A-Za-z0-9 _.-]{{1,{LONGEST_NAME}}}")
_READ = {message.type: message for message in FROM_BOT}
_TYPES: Mapping[str, type] = {"text": str, "number": int, "true or false": bool}
_ABOUT_OFFERS = frozenset({"offer", "accept", "decline", "withdraw"})
# Refusals of a move after which it is still the bot's turn.
_ASK_AGAIN = frozenset({"illegal_move", "invalid_move", "busy"})
_REFUSED = b'{"type":"refused"'


class NativeState(StrEnum):
    """The states of the conversation."""

    NAMELESS = "nameless"
    CHECKING = "checking"  # its token is being checked
    IDLE = "idle"  # not in a match
    WATCHING = "watching"  # in a match, the opponent is to move
    ASKED = "asked"
    JUDGING = "judging"  # a move is with the referee
    DEAF = "deaf"  # it broke the protocol: its messages are ignored until the next match
    CLOSED = "closed"


class NativeEvent(StrEnum):
    """Messages of the bot and news of the arena."""

    HELLO = "hello"
    TOKEN = "hello with a token"
    SEEK = "join, queue or challenge"
    MOVE = "move"
    OLD_MOVE = "move of another ply"
    RESIGN = "resign"
    OFFER = "offer or answer"
    PONG = "pong"
    FLOOD = "too much"
    ADMITTED = "token is good"
    REFUSED = "refused"
    REFUSED_ONCE = "refused, its turn still"
    STARTED = "match begins"
    TURN = "turn"
    MOVED = "moved"
    OFFERED = "offer or answer of a side"
    OFFER_REFUSED = "offer refused"
    TAKEN_BACK = "takeback"
    ENDED = "match ends"
    ENDED_LAST = "last match ends"
    BYE = "goodbye"


@cache
def _refusal(code: str, expected: str, hint: str) -> Transition:
    """A transition that refuses the message and changes nothing."""

    def refuse(bot: NativeActions, _: object) -> None:
        bot._refuse(code, expected, hint)

    refuse.__name__ = f"refused: {code}"
    return Transition(action=refuse)


def _example(type: str) -> str:
    """A message of this type with all required keys, as a bot would write it."""
    values = {"text": "…", "number": 1, "true or false": True}
    keys = {key.name: values[key.kind] for key in _READ[type].keys if key.needed}
    return json.dumps({"type": type} | keys, ensure_ascii=False)


_S, _E, _Do, _To = NativeState, NativeEvent, NativeActions, Transition
_Row = dict[StrEnum, Transition]

_HELLO_FIRST = _refusal("hello_first", _example("hello"), "Say who you are before anything else.")
_IN_MATCH = _refusal("in_match", "nothing of that during a match", "Finish the match first, or resign.")
_NO_MATCH = _refusal("no_match", "a match that has started", "There is nothing to give up.")
_NOT_YOUR_TURN = _refusal("not_your_turn", "a move only after turn", "Wait for the next turn.")

_ALWAYS: _Row = {
    _E.ENDED: _To(_S.IDLE, _Do.tell_end),
    _E.ENDED_LAST: _To(_S.CLOSED, _Do.tell_end),
    _E.BYE: _To(_S.CLOSED, _Do.close),
    _E.FLOOD: _To(_S.DEAF, _Do.blame),
    **dict.fromkeys((_E.REFUSED, _E.REFUSED_ONCE), _To(None, _Do.refuse)),
}
_KNOWN: _Row = {
    **_ALWAYS,
    _E.HELLO: _To(None, _Do.take_name),
    _E.TOKEN: _To(None, _Do.show_token),
    _E.ADMITTED: _To(None, _Do.confirm),
    _E.STARTED: _To(_S.WATCHING, _Do.begin),
    **dict.fromkeys((_E.MOVE, _E.OLD_MOVE), _NOT_YOUR_TURN),
}
_PLAYING: _Row = {
    **_KNOWN,
    _E.SEEK: _IN_MATCH,
    _E.RESIGN: _To(None, _Do.resign),
    _E.TURN: _To(_S.ASKED, _Do.ask),
    _E.MOVED: _To(_S.WATCHING, _Do.show),
    _E.OFFER: _To(None, _Do.say_of_offer),
    _E.OFFERED: _To(None, _Do.tell_offer),
    _E.OFFER_REFUSED: _To(None, _Do.refuse_offer),
    _E.TAKEN_BACK: _To(_S.WATCHING, _Do.take_back),
}

_MACHINE: Machine = {
    _S.NAMELESS: {
        **_ALWAYS,
        **dict.fromkeys((_E.SEEK, _E.MOVE, _E.OLD_MOVE, _E.RESIGN, _E.OFFER, _E.PONG), _HELLO_FIRST),
        _E.HELLO: _To(_S.IDLE, _Do.introduce),
        _E.TOKEN: _To(_S.CHECKING, _Do.show_token),
        _E.ENDED: _To(None, _Do.tell_end),
    },
    _S.CHECKING: {
        **_ALWAYS,
        _E.ADMITTED: _To(_S.IDLE, _Do.admit),
        **dict.fromkeys((_E.REFUSED, _E.REFUSED_ONCE), _To(_S.NAMELESS, _Do.refuse_token)),
        _E.ENDED: _To(None, _Do.tell_end),
    },
    _S.IDLE: {**_KNOWN, _E.SEEK: _To(None, _Do.seek), _E.RESIGN: _NO_MATCH, _E.OFFER: _NO_MATCH},
    _S.WATCHING: _PLAYING,
    # A turn that goes on is not asked for twice.
    _S.ASKED: {
        **{event: to for event, to in _PLAYING.items() if event is not _E.TURN},
        _E.MOVE: _To(_S.JUDGING, _Do.submit),
        _E.OLD_MOVE: _To(None, _Do.refuse_stale),
    },
    _S.JUDGING: {
        **_PLAYING,
        _E.REFUSED: _To(_S.WATCHING, _Do.refuse_move),
        _E.REFUSED_ONCE: _To(_S.ASKED, _Do.refuse_move),
    },
    _S.DEAF: {
        **_ALWAYS,
        **dict.fromkeys((_E.REFUSED, _E.REFUSED_ONCE), _To(None, _Do.refuse_fault)),
        _E.STARTED: _To(_S.WATCHING, _Do.begin),
        _E.TURN: _To(None, _Do.ask),
        _E.MOVED: _To(None, _Do.show),
        _E.ENDED: _To(None, _Do.tell_end),
    },
    _S.CLOSED: {},
}


# Used at every move: looking up an enumeration member takes Python 3.11 as long as looking up eight other names.
_MOVE, _TURN, _MOVED = _E.MOVE, _E.TURN, _E.MOVED
_CHECKING, _IS_DEAF = _S.CHECKING, frozenset({_S.DEAF, _S.CLOSED})


class Native(NativeActions):
    """One bot. It is ready when it has said hello."""

    slug = "native"
    title = "Arena (JSON lines)"
    on_illegal = "refuse"
    hears_offers = True
    joins = True
    clock = "none"
    keeps = True
    stays = True
    port = 4205
    join_lines = ('{"type": "hello", "name": "{name}", "version": 1}', '{"type": "join", "room": "{code}"}')
    greeting = (b'{"type": "hello", "name": "you"}\n',)
    websocket = True
    arguments = ("my-bot", "{host}", "{port}", "{code}")
    line_end = LineEnd.CRLF
    json = True
    expects = 'one JSON object and \\n, such as {"type": "move", "ply": 1, "move": "4"}'
    asks = re.compile(rb'"type":"turn"')
    confused = (b'"unknown_type"', b'"bad_json"')
    grammar = (("bot", FROM_BOT), ("arena", TO_BOT))

    machine = _MACHINE

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.deadline = Deadline("ping", PING_S)

    def answer_to(self, position: Position, move: str) -> str:
        return json.dumps({"type": "move", "ply": position.ply + 1, "move": move}) + "\n"

    @classmethod
    def first_refusal(cls, written: bytes) -> dict[str, str]:
        lines = written.splitlines(keepends=True)
        said = [json.loads(line) for line in lines if line.startswith(_REFUSED) and line.endswith(b"}\n")]
        # Who asks for a seat that it has loses nothing by it.
        return next((refused for refused in said if refused["code"] != "in_match"), said[0] if said else {})

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._state in _IS_DEAF:
            return
        self._lines.extend(self._buffer.feed(data))
        self._work()

    def receive_eof(self) -> None:
        """Accept a last message without a newline."""
        if self._state is not _S.CLOSED:
            self._lines.append(self._buffer.finish())
            self._work()
        self.events.append(Closed())

    def tick(self, name: str) -> None:
        if name == "ping":
            self._say("ping")
            self.deadline = Deadline("ping", PING_S)

    def _work(self) -> None:
        """Handle waiting lines, unless a token is being checked."""
        while self._lines and self._state is not _CHECKING:
            self._line(self._lines.popleft())
        if len(self._lines) > WAITING_CAP:
            expected = f"at most {WAITING_CAP} lines ahead of the answer to hello"
            self._step(_E.FLOOD, BotFault("bad_output", shown(self._lines[WAITING_CAP]), expected))
        elif self._buffer.overlong is not None:
            fault = BotFault("bad_output", shown(self._buffer.overlong), f"a line of {VALUE_CAP} bytes at most")
            self._step(_E.FLOOD, fault)

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        self._received = shown(line)
        try:
            said = read_value(line)
        except ValueError as why:
            self._refuse("bad_json", "one JSON object on each line", f"This line is not JSON: {why}.")
            return
        if not isinstance(said, dict) or not isinstance(said.get("type"), str) or said["type"] not in _READ:
            types = ", ".join(_READ)
            self._refuse("unknown_type", f'an object with "type" one of {types}', "Say what the message is.")
        elif self._has_keys(said) and (said["type"] != "hello" or self._may_say(said)):
            self._step(self._event_of(said), said)

    def _has_keys(self, said: dict[str, Any]) -> bool:
        for key in _READ[said["type"]].keys:
            value = said.get(key.name)
            if type(value) is not _TYPES[key.kind] and (key.needed or value is not None):
                expected = f'"{key.name}", a {key.kind}: {key.words}'
                self._refuse("bad_key", expected, f"Say {_example(said['type'])}.")
                return False
        return True

    def _may_say(self, hello: dict[str, Any]) -> bool:
        if hello.get("version") not in (None, VERSION):
            self._refuse("unknown_version", f'"version" {VERSION}, or none', "Speak this version.")
        elif not _NAME.fullmatch(hello["name"].strip()):
            expected = f"a name of 1 to {LONGEST_NAME} of {NAME_CHARACTERS}"
            self._refuse("bad_name", expected, "Take another name.")
        else:
            return True
        return False

    def _event_of(self, said: dict[str, Any]) -> NativeEvent:
        match said["type"]:
            case "hello":
                return _E.TOKEN if said.get("token") else _E.HELLO
            case "move":
                asked = self._turn is not None and said["ply"] == self._turn.position.ply + 1
                return _MOVE if asked else _E.OLD_MOVE
            case "resign":
                return _E.RESIGN
            case kind if kind in _ABOUT_OFFERS:
                return _E.OFFER
            case "pong":
                return _E.PONG
        return _E.SEEK

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        match event:  # most frequent events first
            case Moved():
                self._step(_MOVED, event)
            case Turn():
                self._step(_TURN, event)
            case Refused(code=code):
                self._step(_E.REFUSED_ONCE if code in _ASK_AGAIN else _E.REFUSED, event)
            case Seated():
                self._seated = event
            case Started():
                self._step(_E.STARTED, event)
            case Offered() | OfferAnswered():
                self._step(_E.OFFERED, event)
            case TakenBack():
                self._step(_E.TAKEN_BACK, event)
            case OfferRefused():
                self._step(_E.OFFER_REFUSED, event)
            case Ended(last=last):
                self._step(_E.ENDED_LAST if last else _E.ENDED, event)
            case Admitted():
                self._step(_E.ADMITTED)
            case Bye():
                self._step(_E.BYE)
        if self._lines:
            self._work()
