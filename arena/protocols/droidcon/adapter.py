"""`droidcon` (003): Connect Four 7×6 over a socket, in lines of one or two words.

From the bot, in any case, each ended by LF, CR or CRLF: `NAME n`, `JOIN channel`, `PUT c` with a column from 0 to 6.
To the bot: `SUCCESS`, `NEW_GAME`, `YOUR_MOVE`, `PUT c` (the opponent's move, never its own), `YOU_WON`, `YOU_LOST`,
`DRAW`, `Error NAME_OF_THE_ERROR`. After four rounds with the same opponent the connection is closed.

A wrong command is answered with an error and costs nothing. A wrong `PUT` costs the round and the whole series: error,
`YOU_LOST`, end of the connection (rule 7 of the protocol's text). It is checked for column, full column, turn.

Commands are carried out one at a time: later lines wait for the arena's answer to a JOIN or PUT. A JOIN that fills the
channel is answered by the start of the round: a PUT that follows it, in the same segment or a moment later, is judged
in that round, never before.

The table below defines what each event does in each state.

Names and channels may be any bytes. They are read as UTF-8 with `surrogateescape`, so that different bytes stay
different.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from arena.protocols.adapter import (
    BotFault,
    Bye,
    Closed,
    Company,
    Ended,
    Joined,
    Moved,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.droidcon.actions import COLUMNS, DroidconActions
from arena.protocols.framing import LINE_CAP, LineEnd, shown
from arena.protocols.machine import Machine, Transition
from games import Position

# How many lines may wait for the arena's answer; real bots send at most NAME and JOIN in one segment.
WAITING_CAP = 64

_INTEGER = re.compile(rb"[+-]?[0-9]+")
_TRIMMED = bytes(range(ord(" ") + 1))


class DroidconState(StrEnum):
    """The states of the conversation."""

    NAMELESS = "nameless"
    NAMED = "named"
    JOINING = "joining"  # the arena has not answered the JOIN
    FILLING = "filling"  # nor this one, which joins an opponent in the channel
    ALONE = "alone"  # in a channel without an opponent
    MET = "met"  # in a channel with an opponent, the first round has not begun
    BEGINNING = "beginning"  # the first round has begun, YOUR_MOVE follows
    BETWEEN = "between"  # a round has ended, the next has not begun
    WATCHING = "watching"  # the opponent is to move
    ASKED = "asked"  # YOUR_MOVE has been sent
    JUDGING = "judging"  # the referee has not answered the PUT
    GUILTY = "guilty"  # it broke a rule between two rounds: the next one is lost
    PUNISHED = "punished"  # it broke a rule, which has been reported to the referee
    CLOSED = "closed"


class DroidconEvent(StrEnum):
    """Lines of the bot and news of the arena. JOIN and PUT are several events each, by their argument."""

    NAME = "NAME"
    JOIN = "JOIN"
    JOIN_OWN = "JOIN its channel"
    JOIN_NOTHING = "JOIN without a channel"
    PUT = "PUT c"
    PUT_WORD = "PUT, no number"
    UNKNOWN = "unknown command"
    FLOOD = "too much"
    SEATED = "seat found"
    REFUSED = "refused"
    COMPANY = "other side came"
    SOLITUDE = "other side left"
    FIRST = "round that it begins"
    SECOND = "round that the other side begins"
    TURN = "turn"
    MOVED = "move"
    LAST_MOVE = "last move"
    ENDED = "end by the rules"
    ENDED_OTHERWISE = "end otherwise"
    ENDED_LAST = "end of the last round"
    BYE = "goodbye"


# -- the machine -------------------------------------------------------------------------------------------------------


@cache
def _error(name: str) -> Transition:
    """A transition that answers with this error and changes nothing."""

    def say(bot: DroidconActions, _: object) -> None:
        bot._say_error(name.encode())

    say.__name__ = f"Error {name}"
    return Transition(action=say)


_S, _E, _Do, _To = DroidconState, DroidconEvent, DroidconActions, Transition
_Row = dict[StrEnum, Transition]

_PUTS = (_E.PUT, _E.PUT_WORD)
_WRONG = (*_PUTS, _E.FLOOD)
_ENDS = (_E.ENDED, _E.ENDED_OTHERWISE)

_ALWAYS: _Row = {
    **dict.fromkeys((_E.FIRST, _E.SECOND), _To(_S.WATCHING, _Do.begin)),
    **dict.fromkeys(_ENDS, _To(_S.BETWEEN, _Do.tell_result)),
    _E.ENDED_LAST: _To(_S.CLOSED, _Do.tell_result),
    _E.BYE: _To(_S.CLOSED, _Do.close),
}
_COMMANDS: _Row = {_E.NAME: _To(None, _Do.take_name), _E.UNKNOWN: _error("INVALID_COMMAND")}
_OUTSIDE: _Row = {
    **_ALWAYS,
    **_COMMANDS,
    **dict.fromkeys(_PUTS, _error("NOT_JOINED_TO_CHANNEL")),
    _E.FLOOD: _To(_S.CLOSED, _Do.send_away),
}
_AT_THE_DOOR: _Row = {
    **_ALWAYS,
    _E.REFUSED: _To(_S.NAMED, _Do.refuse_seat),
    _E.FLOOD: _To(_S.CLOSED, _Do.send_away),
}
_SEATED: _Row = {
    **_ALWAYS,
    **_COMMANDS,
    _E.JOIN: _error("ALREADY_IN_CHANNEL"),
    _E.JOIN_OWN: _error("CHANNEL_IS_FULL"),
    _E.JOIN_NOTHING: _error("INVALID_COMMAND"),
}
_PLAYING: _Row = {_E.MOVED: _To(_S.WATCHING, _Do.show), _E.LAST_MOVE: _To(_S.BETWEEN, _Do.show)}
_BLAMED: _Row = dict.fromkeys(_WRONG, _To(_S.PUNISHED, _Do.blame))

_MACHINE: Machine = {
    _S.NAMELESS: {
        **_OUTSIDE,
        _E.NAME: _To(_S.NAMED, _Do.take_name),
        **dict.fromkeys((_E.JOIN, _E.JOIN_OWN, _E.JOIN_NOTHING), _error("NO_NAME_SET")),
    },
    _S.NAMED: {
        **_OUTSIDE,
        **dict.fromkeys((_E.JOIN, _E.JOIN_OWN), _To(_S.JOINING, _Do.find_seat)),
        _E.JOIN_NOTHING: _error("INVALID_COMMAND"),
    },
    _S.JOINING: {**_AT_THE_DOOR, _E.SEATED: _To(_S.ALONE, _Do.enter), _E.COMPANY: _To(_S.FILLING)},
    _S.FILLING: {**_AT_THE_DOOR, _E.SEATED: _To(_S.MET, _Do.enter), _E.SOLITUDE: _To(_S.JOINING)},
    _S.ALONE: {
        **_SEATED,
        _E.JOIN_OWN: _error("ALREADY_IN_CHANNEL"),
        **dict.fromkeys(_WRONG, _To(_S.CLOSED, _Do.lose_alone)),
        _E.COMPANY: _To(_S.MET),
    },
    _S.MET: {
        **_ALWAYS,
        _E.FLOOD: _To(_S.CLOSED, _Do.send_away),
        _E.SOLITUDE: _To(_S.ALONE),
        # Lines behind the JOIN are judged once the round has begun; for the first player, with its first turn.
        _E.FIRST: _To(_S.BEGINNING, _Do.begin),
    },
    _S.BEGINNING: {**_ALWAYS, **_PLAYING, _E.FLOOD: _BLAMED[_E.FLOOD], _E.TURN: _To(_S.ASKED, _Do.ask)},
    _S.BETWEEN: {**_SEATED, **dict.fromkeys(_WRONG, _To(_S.GUILTY, _Do.note))},
    _S.WATCHING: {**_SEATED, **_PLAYING, **_BLAMED, _E.TURN: _To(_S.ASKED, _Do.ask)},
    _S.ASKED: {**_SEATED, **_PLAYING, **_BLAMED, _E.PUT: _To(_S.JUDGING, _Do.submit)},
    _S.JUDGING: {
        **_ALWAYS,
        **_PLAYING,
        _E.FLOOD: _BLAMED[_E.FLOOD],
        _E.REFUSED: _To(_S.ASKED),
    },
    _S.GUILTY: {
        **_ALWAYS,
        **dict.fromkeys((_E.FIRST, _E.SECOND), _To(_S.PUNISHED, _Do.begin_guilty)),
        _E.ENDED: _To(None, _Do.tell_result),
    },
    _S.PUNISHED: {
        **_ALWAYS,
        **dict.fromkeys((_E.FIRST, _E.SECOND), _To(None, _Do.begin_guilty)),
        _E.MOVED: _To(None, _Do.show),
        _E.LAST_MOVE: _To(_S.GUILTY, _Do.show),
        _E.ENDED: _To(_S.GUILTY, _Do.tell_result),
    },
    _S.CLOSED: {},
}

# States that ignore the bot's lines.
_DEAF = frozenset({_S.GUILTY, _S.PUNISHED, _S.CLOSED})
# States in which a command has not been answered yet.
_ANSWERING = frozenset({_S.JOINING, _S.FILLING, _S.JUDGING})
# States that carry out commands, one at a time; in all others lines wait.
_OBEYING = frozenset(state for state, row in _MACHINE.items() if _E.NAME in row)
# The way nearly all bots write their moves.
_USUAL_PUTS = {b"PUT %d" % column: column for column in range(COLUMNS)}
# Used at every move: looking up an enumeration member takes Python 3.11 as long as looking up eight other names.
_PUT, _TURN, _MOVED, _LAST_MOVE = _E.PUT, _E.TURN, _E.MOVED, _E.LAST_MOVE


class Droidcon(DroidconActions):
    """One connection to the Droidcon server."""

    slug = "droidcon"
    title = "Droidcon Connect Four"
    variants = ("connect-four-7x6",)
    on_illegal = "lose"
    rounds = 4
    joins = True
    resumes = False
    tells_positions = False
    fault_ends_series = True
    ready_s = 20.0
    port = 4242
    join_lines = ("NAME {name}", "JOIN {code}")
    greeting = (b"NAME you\n", b"JOIN room\n")
    arguments = ("my-bot", "{code}", "{host}", "{port}")
    line_end = LineEnd.ANY
    expects = "NAME, JOIN, or PUT, one blank and a column from 0 to 6, each with its \\n"
    commands = ("NAME", "JOIN", "PUT")
    begins = rb"(?i)[\x00- ]*(?:P(?:U(?:T(?: [+-]?[0-9]*)?)?)?)?"
    columns = (0, COLUMNS - 1)
    asks = re.compile(rb"YOUR_MOVE")
    confused = (b"Error INVALID_COMMAND",)
    replies = (b"SUCCESS", b"Error ")
    machine = _MACHINE

    __slots__ = ("_ended", "_is_met")

    def __init__(self) -> None:
        super().__init__()
        # Whether the opponent is there; a child process may be told before it has said anything.
        self._is_met = False
        # The bot's input has ended, but lines of it may still wait.
        self._ended = False

    def answer_to(self, position: Position, move: str) -> str:
        return f"PUT {self.on_the_wire(move)}\n"

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._state not in _DEAF:
            self._lines.extend(self._buffer.feed(data))
            self._work()

    def receive_eof(self) -> None:
        """Accept a last line without a line end; all waiting lines are still answered before the end."""
        if self._state not in _DEAF and self._buffer.begun:
            self._lines.append(self._buffer.finish())
        self._ended = True
        self._work()

    def _work(self) -> None:
        """Carry out waiting lines, as long as each is answered at once."""
        while self._lines and self._state in _OBEYING:
            self._line(self._lines.pop(0))
        if len(self._lines) > WAITING_CAP:
            self._flood(self._lines[WAITING_CAP], f"at most {WAITING_CAP} lines ahead of our answers")
        elif self._buffer.overlong is not None and not self._lines:
            self._flood(self._buffer.overlong, f"a command of {LINE_CAP} bytes at most")
        if self._ended and not self._lines and self._is_answered():
            self._ended = False
            self.events.append(Closed())

    def _is_answered(self) -> bool:
        """Whether the bot has been told all consequences of its lines."""
        return self.wants_close or (self._fault is None and self._state not in _ANSWERING)

    def _flood(self, received: bytes, expected: str) -> None:
        self._step(DroidconEvent.FLOOD, (BotFault("bad_output", shown(received), expected), b"INVALID_COMMAND"))

    def _line(self, line: bytes) -> None:
        if line in _USUAL_PUTS:
            self._step(_PUT, _USUAL_PUTS[line])
            return
        command, argument, *_ = *words(line), b""
        match command.upper():
            case b"NAME":
                self._step(DroidconEvent.NAME, _text(argument))
            case b"JOIN":
                own = _text(argument).upper() in self._channels
                event = DroidconEvent.JOIN_OWN if own else DroidconEvent.JOIN
                self._step(event if argument else DroidconEvent.JOIN_NOTHING, _text(argument))
                if self._is_met:
                    self._step(DroidconEvent.COMPANY)
            case b"PUT":
                column = _column(argument)
                event = DroidconEvent.PUT_WORD if column is None else _PUT
                self._step(event, _no_column(line, argument) if column is None else column)
            case _:
                self._step(DroidconEvent.UNKNOWN)

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        # The events of every move come first: a `match` pattern takes three times as long as a type comparison.
        if type(event) is Moved:
            self._step(_LAST_MOVE if event.position.to_move is None else _MOVED, event)
        elif type(event) is Turn:
            self._step(_TURN, event)
        else:
            self._tell(event)
        if self._lines or self._ended:
            self._work()

    def _tell(self, event: ToBot) -> None:
        """Handle the events that occur once a match or once a series."""
        match event:
            case Joined(code=code):
                self._step(DroidconEvent.SEATED, code)
            case Company(there=there):
                self._is_met = there
                self._step(DroidconEvent.COMPANY if there else DroidconEvent.SOLITUDE)
            case Seated(seat=seat):
                self._seat = seat
            case Started(position=position):
                first = position.to_move == self._seat
                self._step(DroidconEvent.FIRST if first else DroidconEvent.SECOND, position)
            case Refused(code=code):
                self._step(DroidconEvent.REFUSED, code)
            case Ended(last=True):
                self._step(DroidconEvent.ENDED_LAST, event)
            case Ended(termination=termination):
                self._step(DroidconEvent.ENDED if termination == "normal" else DroidconEvent.ENDED_OTHERWISE, event)
            case Bye():
                self._step(DroidconEvent.BYE)


def words(line: bytes) -> list[bytes]:
    """The words of a line, as the original split it. Around the line all bytes up to the blank are ignored, also the
    NUL that a program in C sends behind each string; between two blanks lies an empty word, and a tab separates none.
    """
    return line.strip(_TRIMMED).split(b" ")


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogateescape")


def _column(argument: bytes) -> int | None:
    """The column as the original's 32-bit integer, or None if the original could not parse it."""
    if not _INTEGER.fullmatch(argument):
        return None
    column = int(argument)
    return column if -(2**31) <= column < 2**31 else None


def _no_column(line: bytes, argument: bytes) -> tuple[BotFault, bytes]:
    fault = BotFault("bad_output", shown(line), f"PUT, one blank and a column from 0 to {COLUMNS - 1}")
    return fault, b"WRONG_COLUMN_FORMAT " + _text(argument).upper().encode("utf-8", "surrogateescape")
