"""`droidcon` (003): Connect Four 7×6 over a socket, in lines of one or two words.

From the bot, in any case, each ended by LF, CR or CRLF: `NAME n`, `JOIN channel`, `PUT c` with a column from 0 to 6.
To the bot: `SUCCESS`, `NEW_GAME`, `YOUR_MOVE`, `PUT c` (the other side's move, never its own), `YOU_WON`, `YOU_LOST`,
`DRAW`, `Error NAME_OF_THE_ERROR`. Four rounds with the same opponent, then the connection is closed.

A wrong command is answered with an error and costs nothing. A wrong `PUT` costs the round and the whole series: error,
`YOU_LOST`, end of the connection; the text's rule 7. It is judged in the order column, full column, turn.

One command at a time: while the door or the referee has not answered one, the lines after it wait. A JOIN that fills
the channel is answered by the round itself: a PUT behind it, in the same segment or a moment later, is judged in that
round, never before it.

Names and channels are any bytes. They are read as UTF-8 with `surrogateescape`, so that no two of them become one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from arena.protocols.adapter import (
    NO_RESULT,
    Adapter,
    BotFault,
    BotMove,
    Bye,
    Closed,
    Company,
    Ended,
    Hello,
    Join,
    Joined,
    Moved,
    Ready,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.framing import LINE_CAP, LineBuffer, LineEnd, shown
from games import Position

COLUMNS = 7
# Lines that may wait for an answer of ours; real bots send NAME and JOIN in one segment, and no more.
WAITING_CAP = 64

_INTEGER = re.compile(rb"[+-]?[0-9]+")
_MOVE = re.compile(r"-?[0-9]{1,10}")

_PUNISHMENTS = frozenset({"illegal_move", "out_of_turn", "bad_output"})
# Why a JOIN was refused; whatever else the door says, there is no place for the bot.
_REFUSED_JOINS = {
    "already_in_channel": b"ALREADY_IN_CHANNEL",
    "invalid_command": b"INVALID_COMMAND",
    "no_name_set": b"NO_NAME_SET",
}


class DroidconState(Enum):
    """Where the conversation stands."""

    NAMELESS = auto()
    NAMED = auto()
    JOINING = auto()  # the door has not answered the JOIN
    ALONE = auto()  # in a channel, the other side has not come
    MET = auto()  # in a channel, the other side has come, the first round has not begun
    BETWEEN = auto()  # a round has ended, the next has not begun
    WATCHING = auto()  # the other side is to move
    ASKED = auto()  # YOUR_MOVE has been sent
    JUDGING = auto()  # the referee has not answered the PUT


# Tuples: the hash of an enum's member is a function in Python, and these are asked at every line.
_OUTSIDE = (DroidconState.NAMELESS, DroidconState.NAMED)
_UNMATCHED = (*_OUTSIDE, DroidconState.JOINING, DroidconState.ALONE)
_BEFORE_A_ROUND = (DroidconState.MET, DroidconState.BETWEEN)
_WAITING = (DroidconState.JOINING, DroidconState.MET, DroidconState.JUDGING)


@dataclass(slots=True)
class Droidcon(Adapter):
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
    join_lines = ("NAME my-bot", "JOIN {code}")
    greeting = (b"NAME you\n", b"JOIN room\n")
    arguments = ("my-bot", "{code}", "{host}", "{port}")
    line_end = LineEnd.ANY
    expects = "NAME, JOIN, or PUT and a column from 0 to 6, each with its \\n"
    commands = ("NAME", "JOIN", "PUT")
    columns = (0, COLUMNS - 1)
    asks = re.compile(rb"YOUR_MOVE")
    confused = (b"Error INVALID_COMMAND",)
    replies = (b"SUCCESS", b"Error ")

    _state: DroidconState = field(default=DroidconState.NAMELESS, init=False)
    _buffer: LineBuffer = field(default_factory=lambda: LineBuffer(LineEnd.ANY), init=False, repr=False)
    _lines: deque[bytes] = field(default_factory=deque, init=False, repr=False)
    _seat: int = field(default=0, init=False)
    # What its channel is called: as the bot asked for it, and as the door answered.
    _channels: tuple[str, ...] = field(default=(), init=False)
    _accompanied: bool = field(default=False, init=False)
    _position: Position | None = field(default=None, init=False)
    _said: str = field(default="", init=False)
    # The error that a punishment starts with, and the fault that no ending has answered yet.
    _error: bytes = field(default=b"", init=False)
    _fault: BotFault | None = field(default=None, init=False)

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._deaf():
            return
        self._lines.extend(self._buffer.feed(data))
        self._work()

    def receive_eof(self) -> None:
        """A last line without its end counts."""
        if not self._deaf() and self._buffer.begun:
            self._lines.append(self._buffer.finish())
            self._work()
        self._events.append(Closed())

    def _deaf(self) -> bool:
        return self.wants_close or self._fault is not None

    def _work(self) -> None:
        """Carry out the lines that wait, as far as each is answered at once."""
        while self._lines and self._state not in _WAITING and not self._deaf():
            self._command(self._lines.popleft())
        if self._deaf():
            return
        if len(self._lines) > WAITING_CAP:
            self._flooded(self._lines[WAITING_CAP], f"at most {WAITING_CAP} lines ahead of our answers")
        elif self._buffer.overlong is not None and not self._lines:
            self._flooded(self._buffer.overlong, f"a command of {LINE_CAP} bytes at most")

    def _flooded(self, received: bytes, expected: str) -> None:
        self._blame(BotFault("bad_output", shown(received), expected), b"INVALID_COMMAND")

    def _command(self, line: bytes) -> None:
        words = line.split()
        command = _COMMANDS.get(words[0].upper()) if words else None
        if command is None:
            self._say_error(b"INVALID_COMMAND")
            return
        command(self, words[1] if len(words) > 1 else b"")

    def _name(self, name: bytes) -> None:
        if self._state is DroidconState.NAMELESS:
            self._state = DroidconState.NAMED
        self._events.append(Hello(_text(name)))
        self._say(b"SUCCESS")

    def _join(self, channel: bytes) -> None:
        if self._state is DroidconState.NAMELESS:
            self._say_error(b"NO_NAME_SET")
        elif not channel:
            self._say_error(b"INVALID_COMMAND")
        elif self._state is DroidconState.NAMED:
            self._state = DroidconState.JOINING
            self._channels = (_text(channel).upper(),)
            self._events.append(Join(_text(channel)))
        elif self._state is not DroidconState.ALONE and _text(channel).upper() in self._channels:
            self._say_error(b"CHANNEL_IS_FULL")
        else:
            self._say_error(b"ALREADY_IN_CHANNEL")

    def _put(self, argument: bytes) -> None:
        if self._state in _OUTSIDE:
            self._say_error(b"NOT_JOINED_TO_CHANNEL")
            return
        column = _column(argument)
        if column is None:
            fault = BotFault("bad_output", shown(b"PUT " + argument), f"PUT and a column from 0 to {COLUMNS - 1}")
            self._blame(fault, b"WRONG_COLUMN_FORMAT " + _bytes(_text(argument).upper()))
        elif self._state is DroidconState.ASKED:
            self._state = DroidconState.JUDGING
            self._error = b"COLUMN_IS_FULL" if 0 <= column < COLUMNS else b"INVALID_COLUMN"
            self._said = str(column + 1)
            self._events.append(BotMove(self._said))
        else:
            self._blame(*self._unasked(column))

    def _unasked(self, column: int) -> tuple[BotFault, bytes]:
        """What a PUT out of turn is punished for: the column comes first, then whether it is full, then the turn."""
        received, move = f"PUT {column}", str(column + 1)
        if not 0 <= column < COLUMNS:
            return BotFault("illegal_move", received, f"a column from 0 to {COLUMNS - 1}", move), b"INVALID_COLUMN"
        if self._position is not None and move not in self._position.legal_moves():
            return BotFault("illegal_move", received, "a column that is not full", move), b"COLUMN_IS_FULL"
        return BotFault("out_of_turn", received, "a PUT only after YOUR_MOVE", move), b"NOT_YOUR_TURN"

    def _blame(self, fault: BotFault, error: bytes) -> None:
        """The end of the series. Between two rounds it is the next one that is lost, as on the original server."""
        self._fault, self._error = fault, error
        self._lines.clear()
        self._buffer = LineBuffer(LineEnd.ANY)
        if self._state in _UNMATCHED:
            self._blamed_unmatched(fault, error)
        elif self._state not in _BEFORE_A_ROUND:
            self._events.append(fault)

    def _blamed_unmatched(self, fault: BotFault, error: bytes) -> None:
        self._events.append(fault)
        self._say_error(error)
        if self._state is DroidconState.ALONE:
            self._say(b"YOU_LOST")
        self.wants_close = True

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        match event:  # in the order of how often they come
            case Moved():
                self._moved(event)
            case Turn(position=position):
                self._turn(position)
            case Joined(code=code):
                self._joined(code)
            case Company(there=there):
                self._company(there)
            case Seated(seat=seat):
                self._seat = seat
            case Started(position=position):
                self._started(position)
            case Refused(code=code):
                self._refused(code)
            case Ended():
                self._ended(event)
            case Bye():
                self.wants_close = True
        if self._lines:
            self._work()

    def _joined(self, code: str) -> None:
        self._state = DroidconState.MET if self._accompanied else DroidconState.ALONE
        self._channels += (code.upper(),)
        self._say(b"SUCCESS")
        self._events.append(Ready())

    def _company(self, there: bool) -> None:
        self._accompanied = there
        if there and self._state is DroidconState.ALONE:
            self._state = DroidconState.MET
        elif not there and self._state is DroidconState.MET:
            self._state = DroidconState.ALONE
            if self._fault is not None:
                self._blamed_unmatched(self._fault, self._error)

    def _started(self, position: Position) -> None:
        """What was sent behind the JOIN is judged once the round stands: for who begins it, with its first turn."""
        begins = self._state is DroidconState.MET and position.to_move == self._seat and self._fault is None
        self._state, self._position = DroidconState.MET if begins else DroidconState.WATCHING, position
        self._say(b"NEW_GAME")
        if self._fault is not None:
            self._events.append(self._fault)
        else:
            self._error = b""

    def _turn(self, position: Position) -> None:
        """After a pause a turn goes on: it is not asked for twice, and a PUT that fell into the pause counts now."""
        self._position = position
        if self._state is DroidconState.JUDGING:
            self._events.append(BotMove(self._said))
        elif self._state is not DroidconState.ASKED:
            self._state = DroidconState.ASKED
            self._say(b"YOUR_MOVE")

    def _moved(self, moved: Moved) -> None:
        """The last move of a round leaves no turn: a PUT after it belongs to the next round."""
        over = moved.position.to_move is None
        self._state, self._position = (
            (DroidconState.BETWEEN, None) if over else (DroidconState.WATCHING, moved.position)
        )
        if moved.seat != self._seat:
            self._echo(moved.text)
        elif self._fault is None:
            self._error = b""

    def _refused(self, code: str) -> None:
        if self._state is DroidconState.JOINING:
            self._state = DroidconState.NAMED
            self._say_error(_REFUSED_JOINS.get(code, b"CHANNEL_IS_FULL"))
        elif self._state is DroidconState.JUDGING and code != "paused":
            self._state = DroidconState.ASKED

    def _ended(self, ended: Ended) -> None:
        if ended.termination in _PUNISHMENTS:
            self._punished(ended)
        if ended.termination not in NO_RESULT:
            self._say(_result(ended.winner, self._seat))
        if ended.termination != "normal":
            self._fault = None
        self._state, self._position = DroidconState.BETWEEN, None
        self.wants_close = ended.last

    def _punished(self, ended: Ended) -> None:
        if ended.winner == self._seat:
            self._echo(ended.move)
        elif self._error:
            self._say_error(self._error)

    def _echo(self, move: str) -> None:
        if _MOVE.fullmatch(move):
            self._say(b"PUT %d" % (int(move) - 1))

    def _say_error(self, error: bytes) -> None:
        self._say(b"Error " + error)

    def _say(self, line: bytes) -> None:
        self._out += line + b"\n"


_COMMANDS: dict[bytes, Callable[[Droidcon, bytes], None]] = {
    b"NAME": Droidcon._name,
    b"JOIN": Droidcon._join,
    b"PUT": Droidcon._put,
}


def _text(word: bytes) -> str:
    return word.decode("utf-8", "surrogateescape")


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogateescape")


def _column(argument: bytes) -> int | None:
    """The column as the original's 32-bit integer, or None where that would have failed."""
    if not _INTEGER.fullmatch(argument):
        return None
    column = int(argument)
    return column if -(2**31) <= column < 2**31 else None


def _result(winner: int | None, seat: int) -> bytes:
    if winner is None:
        return b"DRAW"
    return b"YOU_WON" if winner == seat else b"YOU_LOST"
