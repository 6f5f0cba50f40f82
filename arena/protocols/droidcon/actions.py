"""The actions of a Droidcon conversation: what each reports to the arena and says to the bot."""

from __future__ import annotations

import re

from arena.protocols.adapter import (
    NO_RESULT,
    BotFault,
    BotMove,
    Ended,
    Hello,
    Join,
    Moved,
    Ready,
    TableAdapter,
    Turn,
)
from arena.protocols.framing import LineBuffer, LineEnd
from games import Position

COLUMNS = 7

_MOVE = re.compile(r"-?[0-9]{1,10}")
_ECHOES = {str(column + 1): b"PUT %d\n" % column for column in range(COLUMNS)}

_PUNISHMENTS = frozenset({"illegal_move", "out_of_turn", "bad_output"})
# The errors for refused JOINs; for any other reason, the channel counts as full.
_REFUSED_JOINS = {
    "already_in_channel": b"ALREADY_IN_CHANNEL",
    "invalid_command": b"INVALID_COMMAND",
    "no_name_set": b"NO_NAME_SET",
}


class DroidconActions(TableAdapter):
    """The data of one connection, and the actions of its transitions."""

    __slots__ = ("_buffer", "_channels", "_error", "_fault", "_lines", "_position", "_seat")

    def __init__(self) -> None:
        self._buffer = LineBuffer(LineEnd.ANY)
        self._lines: list[bytes] = []
        self._seat = 0
        # The names of its channel: as the bot asked for it, and as the arena answered.
        self._channels: tuple[str, ...] = ()
        self._position: Position | None = None
        # The error that a punishment begins with, and the fault that no ending has answered yet.
        self._error = b""
        self._fault: BotFault | None = None

    def take_name(self, name: str) -> None:
        self.events.append(Hello(name))
        self.out += b"SUCCESS\n"

    def find_seat(self, channel: str) -> None:
        self._channels = (channel.upper(),)
        self.events.append(Join(channel))

    def submit(self, column: int) -> None:
        self._error = b"COLUMN_IS_FULL" if 0 <= column < COLUMNS else b"INVALID_COLUMN"
        self.events.append(BotMove(str(column + 1)))

    # -- a broken rule: the end of the series --------------------------------------------------------------------------

    def blame(self, wrong: int | tuple[BotFault, bytes]) -> None:
        """`wrong` is the column of a PUT out of turn, or a fault with the error that answers it."""
        self.note(wrong)
        self._accuse()

    def note(self, wrong: int | tuple[BotFault, bytes]) -> None:
        """Record a fault between two rounds; it loses the next round, as on the original server."""
        self._fault, self._error = self._out_of_turn(wrong) if isinstance(wrong, int) else wrong
        self._lines.clear()
        self._buffer = LineBuffer(LineEnd.ANY)

    def _accuse(self) -> None:
        assert self._fault is not None, "a fault has been noted"
        self.events.append(self._fault)

    def send_away(self, wrong: int | tuple[BotFault, bytes]) -> None:
        """Answer a fault and close, because without an opponent there is no match to lose."""
        self.blame(wrong)
        self._say_error(self._error)
        self.wants_close = True

    def lose_alone(self, wrong: int | tuple[BotFault, bytes]) -> None:
        """Punish a PUT without an opponent; the original looked for one before it looked at the column."""
        self.send_away(_not_its_turn(wrong) if isinstance(wrong, int) else wrong)
        self.out += b"YOU_LOST\n"

    def _out_of_turn(self, column: int) -> tuple[BotFault, bytes]:
        """The fault of a PUT out of turn and its error: an invalid column comes first, then a full one, then turn."""
        received, move = f"PUT {column}", str(column + 1)
        if not 0 <= column < COLUMNS:
            return BotFault("illegal_move", received, f"a column from 0 to {COLUMNS - 1}", move), b"INVALID_COLUMN"
        if self._position is not None and move not in self._position.legal_moves():
            return BotFault("illegal_move", received, "a column that is not full", move), b"COLUMN_IS_FULL"
        return _not_its_turn(column)

    def enter(self, code: str) -> None:
        if code.upper() not in self._channels:
            self._channels += (code.upper(),)
        self.out += b"SUCCESS\n"
        self.events.append(Ready())

    def refuse_seat(self, code: str) -> None:
        self._say_error(_REFUSED_JOINS.get(code, b"CHANNEL_IS_FULL"))

    def begin(self, position: Position) -> None:
        self._position, self._error = position, b""
        self.out += b"NEW_GAME\n"

    def begin_guilty(self, position: Position) -> None:
        self._position = position
        self.out += b"NEW_GAME\n"
        self._accuse()

    def ask(self, turn: Turn) -> None:
        self._position = turn.position
        self.out += b"YOUR_MOVE\n"

    def show(self, moved: Moved) -> None:
        self._position = moved.position if moved.position.to_move is not None else None
        if moved.seat != self._seat:
            self._echo(moved.text)
        elif self._fault is None:
            self._error = b""

    def tell_result(self, ended: Ended) -> None:
        if ended.termination in _PUNISHMENTS:
            self._tell_punishment(ended)
        if ended.termination not in NO_RESULT:
            self.out += _result(ended.winner, self._seat)
        if ended.termination != "normal":
            self._fault = None
        self._position = None
        self.wants_close = ended.last

    def _tell_punishment(self, ended: Ended) -> None:
        if ended.winner == self._seat:
            self._echo(ended.move)
        elif self._error:
            self._say_error(self._error)

    def close(self, _: None) -> None:
        self.wants_close = True

    def _echo(self, move: str) -> None:
        if move in _ECHOES:
            self.out += _ECHOES[move]
        elif _MOVE.fullmatch(move):
            self.out += b"PUT %d\n" % (int(move) - 1)

    def _say_error(self, error: bytes) -> None:
        self.out += b"Error " + error + b"\n"


def _not_its_turn(column: int) -> tuple[BotFault, bytes]:
    return BotFault("out_of_turn", f"PUT {column}", "a PUT only after YOUR_MOVE", str(column + 1)), b"NOT_YOUR_TURN"


def _result(winner: int | None, seat: int) -> bytes:
    if winner is None:
        return b"DRAW\n"
    return b"YOU_WON\n" if winner == seat else b"YOU_LOST\n"
