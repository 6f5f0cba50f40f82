"""`fiar` (001): Connect Four 7×6 for a program that reads a board and writes a column.

To the player to move only, each time it is asked: its sign (`@` moves first), a space, the 42 places from top left to
bottom right, a newline. From the bot: a column from 1 to 7 and a newline. Nothing else is sent, not even the end.

After an illegal column the same line is sent again, as in the original, at most 11 times a turn. Text instead of a
number loses; the original stopped there without a result. Lines that come before a request answer the next requests in
order, including repeated ones for the same board.
"""

from __future__ import annotations

from arena.protocols.adapter import Bye, Ended, Refused, Started, ToBot, Turn
from arena.protocols.answering import Answering, AnsweringState
from arena.protocols.framing import LineEnd
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from games import Position

ASKS_PER_TURN = 11
_SIGNS = str.maketrans("xo", "@O")
# Refusals after which the turn goes on; after any other it is no longer the bot's turn.
_ASK_AGAIN = frozenset({"illegal_move", "invalid_move", "busy"})


class Fiar(Answering):
    """One program."""

    slug = "fiar"
    title = "Four In A Row (fiar)"
    variants = ("connect-four-7x6",)
    on_illegal = "ask_again"
    hears_moves = False
    keeps = True
    port = 4201
    expects = "a column from 1 to 7 and \\n"
    begins = rb"\s*[+-]?[0-9]*\s*"
    columns = (1, 7)

    line_end = LineEnd.CRLF
    answer = "a column from 1 to 7 and a newline"
    request = "board that was sent"

    __slots__ = ("_asks", "_request")

    def __init__(self) -> None:
        self._request = b""
        self._asks = 0

    @staticmethod
    def move_in(line: bytes) -> str:
        """The column as Python's int() reads it: blanks, sign, leading zeros pass; `4_0`, non-ASCII digits do not."""
        number = line.strip()
        digits = number[1:] if number[:1] in (b"+", b"-") else number
        return str(int(number)) if digits.isdigit() else ""

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        if type(event) is Turn:  # every other event is rare
            if event.position.to_move is not None:
                self._ask(event.position)
            return
        match event:
            case Started():
                self._state = AnsweringState.IDLE
            case Refused(code=code) if self._state == AnsweringState.JUDGING:
                self._refused(code)
            case Ended(last=False):
                self._rest()
            case Ended() | Bye():
                self._state = AnsweringState.DEAF
                self.wants_close = True

    def _ask(self, position: Position) -> None:
        """Ask for a move, but not twice in one turn: after a pause, a second answer would count for the next turn."""
        _, places = str(position).split(" ", 1)
        sign = "@O"[position.to_move or 0]
        request = f"{sign} {places.translate(_SIGNS)}\n".encode()
        if self._state == AnsweringState.ASKED and request == self._request:
            return
        self._request = request
        self._asks = 0
        self._ask_again()

    def _ask_again(self) -> None:
        self._asks += 1
        self.out += self._request
        self._listen()

    def _refused(self, code: str) -> None:
        if code not in _ASK_AGAIN:
            self._state = AnsweringState.IDLE
        elif self._asks < ASKS_PER_TURN:
            self._ask_again()
        else:
            self._blame("illegal_move", self._received, f"a column that is free, within {ASKS_PER_TURN} answers")
