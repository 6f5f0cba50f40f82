"""`plain-four`: Connect Four 7×6 in one line each way. All that the arena needs to speak a protocol is in this one file.

The bot is sent `x` or `o`, which it is, and the 42 places from the top left, such as `x ......`, and answers with a
column from 1 to 7. A column that cannot be played loses.
"""

from __future__ import annotations

from arena.protocols.adapter import Bye, Ended, Started, ToBot, Turn
from arena.protocols.answering import Answering, AnsweringState
from arena.protocols.framing import LineEnd


class PlainFour(Answering):
    """One player."""

    slug = "plain-four"
    title = "Plain four"
    variants = ("connect-four-7x6",)
    port = 4299

    line_end = LineEnd.CRLF
    answer = "a column from 1 to 7 and a newline"
    request = "board that was sent"

    @staticmethod
    def move_in(line: bytes) -> str:
        column = line.strip()
        return column.decode() if column in (b"1", b"2", b"3", b"4", b"5", b"6", b"7") else ""

    def send(self, event: ToBot) -> None:
        match event:
            case Started():
                self._state = AnsweringState.IDLE
            case Turn(position=position):
                places = str(position).split(" ", 1)[1]
                self.out += f"{'xo'[position.to_move or 0]} {places}\n".encode()
                self._listen()
            case Ended(last=False):
                self._rest()
            case Ended() | Bye():
                self._state = AnsweringState.DEAF
                self.wants_close = True
