"""`gamestate` (000): Connect Four 8 × 8 for a program that receives boards and is asked for columns.

To the bot: `ASSIGN_PLAYER: n` and the board at the start; `GAMESTATE: ` and 64 places, row by row from the top, `X` for
player 0, after every move of either side; `REQUEST_MOVE` when it is to move. From the bot: one digit from 0 to 7 and a
newline, nothing else.

The end is silent, without a last board or a result. These programs print something for every line they do not know, and
that would be taken for a move; so the arena only sends what the protocol's text names. For the same reason any line
that comes before a request answers the next request.
"""

from __future__ import annotations

from arena.protocols.adapter import Bye, Ended, Moved, Refused, Seated, Started, ToBot, Turn
from arena.protocols.answering import Answering, AnsweringState
from arena.protocols.framing import LineEnd
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from games import Position

_PLACES = str.maketrans(".xo", "-XO")


class GameState(Answering):
    """One program."""

    slug = "gamestate"
    title = "Connect Four 8 × 8 (GAMESTATE)"
    variants = ("connect-four-8x8",)
    on_illegal = "lose"
    port = 4200
    expects = "one digit from 0 to 7 and \\n"
    begins = rb"[0-7]?"
    columns = (0, 7)
    asks = rb"REQUEST_MOVE"

    line_end = LineEnd.LF
    answer = "one digit from 0 to 7 and a newline, nothing else"
    request = "REQUEST_MOVE"

    __slots__ = ("_seat",)

    def __init__(self) -> None:
        self._seat = 0

    @staticmethod
    def move_in(line: bytes) -> str:
        """The move of this line: columns count from 0 on the wire, from 1 in the rules."""
        return str(int(line) + 1) if len(line) == 1 and line.isdigit() else ""

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        match event:
            case Seated(seat=seat):
                self._seat = seat
            case Started(position=position):
                self._state = AnsweringState.IDLE
                self._say(f"ASSIGN_PLAYER: {self._seat}")
                self._say_board(position)
            case Moved():
                self._moved(event)
            case Turn():
                self._ask()
            case Refused(code=code) if self._state == AnsweringState.JUDGING:
                self._refused(code)
            case Ended(last=False):
                self._rest()
            case Ended() | Bye():
                self._state = AnsweringState.DEAF
                self.wants_close = True

    def _moved(self, moved: Moved) -> None:
        if self._state == AnsweringState.JUDGING:
            self._state = AnsweringState.IDLE
        if moved.position.to_move is not None:
            self._say_board(moved.position)

    def _ask(self) -> None:
        """Ask for a move, but only once in a turn."""
        if self._state in (AnsweringState.IDLE, AnsweringState.JUDGING):
            self._say("REQUEST_MOVE")
            self._listen()

    def _refused(self, code: str) -> None:
        """Ask again if the arena was too busy to judge the move; any other refusal means it is not the bot's turn."""
        if code == "busy":
            self._ask()
        else:
            self._state = AnsweringState.IDLE

    def _say_board(self, position: Position) -> None:
        _, places = str(position).split(" ", 1)
        self._say(f"GAMESTATE: {places.translate(_PLACES)}")

    def _say(self, line: str) -> None:
        self.out += f"{line}\n".encode()
