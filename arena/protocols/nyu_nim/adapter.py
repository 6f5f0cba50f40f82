"""`nyu-nim` (002): Expanding Nim with resets over a socket, without a handshake, names or line ends.

To the bot to move: `a b c d`, which is stones left, the largest take so far (at least 2), 1 if the opponent has just
reset, and 0. From the bot: `x y`, stones to take and 1 to reset. At the end, both are sent `0 0 0 1` and the connection
is closed.

The original judge notices only after the answer of the bot to move that its opponent has gone, so it never joins the
end to a state: a client that reads both at once misses the end, and then loops forever. Here it is told once it has
answered, which counts no more, or after a moment.

A state is sent in one segment, because a client broke on half of one. A move is complete with its second number, as no
further byte can be waited for: `3 10` is `3 1` and an unrequested `0`. White space around it is allowed. Input while
the bot is not asked never counts.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from arena.protocols.adapter import (
    Adapter,
    BotFault,
    BotMove,
    Bye,
    Closed,
    Deadline,
    Ended,
    Moved,
    Ready,
    Refused,
    ToBot,
    Turn,
)
from arena.protocols.framing import shown
from games.expanding_nim import NimPosition

THE_END = b"0 0 0 1"
# How long a bot that has been asked is given to read it, when the match ends meanwhile.
HELD_S = 0.25

_MOVE = re.compile(rb"([0-9]{1,4}) ([01])")
_ANSWER = re.compile(rb"\s*[0-9]{1,4} [01]\s*")
_BEGINNING_OF_MOVE = rb"(?:[0-9]{1,4} ?)?"
_EXPECTED = "two numbers with one blank between them, such as 3 0: the stones to take, then 1 to reset or 0"


class NyuNimState(Enum):
    """The states of the conversation."""

    IDLE = auto()  # not asked
    ASKED = auto()
    JUDGING = auto()  # a move is with the referee
    HELD = auto()  # asked, but the match is over: it is told in a moment
    DEAF = auto()  # the bot broke the protocol, or everything is over


class NyuNim(Adapter):
    """One player. It is ready at once and plays one match a connection."""

    slug = "nyu-nim"
    title = "Expanding Nim (NYU)"
    variants = ("expanding-nim",)
    on_illegal = "lose"
    rounds = 1
    clock = "2m"
    port = 4202
    goodbye_ends_match = True
    drops_unasked = True
    arguments = ("{host}", "{port}")
    known_ports = (50008,)
    expects = "two numbers with a blank between them, such as 3 0"
    begins = _BEGINNING_OF_MOVE
    asks = re.compile(rb" 0$")

    __slots__ = ("_answer", "_ended", "_request", "_said_the_end", "_seat", "_state")

    def __init__(self) -> None:
        self._state: NyuNimState = NyuNimState.IDLE
        self._answer = b""
        self._request = b""
        self._seat: int | None = None
        # The bot's input has ended; reported once its last input is judged, so that it can still be told of the end.
        self._ended = False
        self._said_the_end = False
        self.events.append(Ready())

    @classmethod
    def behind_answer(cls, data: bytes) -> bytes:
        found = _ANSWER.match(data)
        return data[found.end() :] if found else data

    @classmethod
    def on_the_wire(cls, move: str) -> str:
        return f"{move.removesuffix('r')} {move.count('r')}"

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._state is NyuNimState.HELD:
            self._close()
            return
        if self._state is not NyuNimState.ASKED:
            return
        answer = (self._answer + data).lstrip()
        move = _MOVE.match(answer)
        beginning = re.match(_BEGINNING_OF_MOVE, answer)
        assert beginning is not None, "nothing at all is a beginning"
        if move:
            self._state = NyuNimState.JUDGING
            self.events.append(BotMove(f"{int(move[1])}{'r' if move[2] == b'1' else ''}"))
        elif beginning.end() < len(answer):
            # These bytes can no longer become a move. An incomplete move is waited for until the clock runs out.
            self._state = NyuNimState.DEAF
            self.events.append(BotFault("bad_output", shown(answer[: beginning.end() + 1]), _EXPECTED))
        else:
            self._answer = answer

    def receive_eof(self) -> None:
        self._ended = True
        if self._state is NyuNimState.HELD:
            self._close()
        self._close_when_judged()

    def _close_when_judged(self) -> None:
        if self._ended and (self.wants_close or self._state in (NyuNimState.IDLE, NyuNimState.ASKED)):
            self._ended = False
            self._say_the_end()
            self.events.append(Closed())

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        match event:
            case Moved() if self._state is NyuNimState.JUDGING:
                self._state = NyuNimState.IDLE
            case Turn(position=NimPosition() as position) if self._state is not NyuNimState.ASKED:
                self._seat = position.to_move
                self._request = b"%d %d %d 0" % (position.stones, position.largest, position.reset_bound)
                self._ask()
            case Refused(code=code) if self._state is NyuNimState.JUDGING:
                self._refused(code)
            case Ended(winner=winner) if self._state is NyuNimState.ASKED and winner in (None, self._seat):
                self._state = NyuNimState.HELD
                self.deadline = Deadline("held", HELD_S, once_read=True)
            case Ended() | Bye() if self._state is not NyuNimState.HELD:
                self._close()
        self._close_when_judged()

    def tick(self, name: str) -> None:
        if name == "held":
            self._close()

    def _close(self) -> None:
        self._say_the_end()
        self.deadline = None
        self.wants_close = True

    def _say_the_end(self) -> None:
        """Send the end even without a match: if the connection just ends, known clients loop forever."""
        if not self._said_the_end:
            self.out += THE_END
        self._said_the_end = True
        self._state = NyuNimState.DEAF

    def _ask(self) -> None:
        """Ask for a move. Earlier input is dropped, because a move computed blindly would be taken for the answer."""
        self._state = NyuNimState.ASKED
        self._answer = b""
        self.out += self._request

    def _refused(self, code: str) -> None:
        """Ask again if the arena was too busy to judge the move; any other refusal means it is not the bot's turn."""
        if code == "busy":
            self._ask()
        else:
            self._state = NyuNimState.IDLE
