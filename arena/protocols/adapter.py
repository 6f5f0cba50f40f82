"""The contract of a wire protocol: a sans-I/O machine for one connection.

The caller moves bytes and events, in this order: `receive_data` (or `receive_eof`, or `send` an event), then write all
of `data_to_send()` in one piece, then take `events_received()`. An adapter never waits, reads no clock, opens nothing,
and knows no match: it turns bytes into what the bot means (`FromBot`) and what happened (`ToBot`) into bytes.

Blame is decided here: text that cannot be a message of the protocol is a `BotFault`, text that names a move is a
`BotMove`, and whether that move is allowed is the rules' word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType

from arena.protocols.facts import Facts
from arena.protocols.value import FrozenValue
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum
    from typing import Any, Literal, Self

    from games import Position

    OfferKind = Literal["takeback", "draw"]

# What is made at every move is a named tuple, which is made in half the time.

_NOTHING: Mapping[str, Any] = MappingProxyType({})

# -- from the bot ------------------------------------------------------------------------------------------------------


class Hello(FrozenValue):
    """The bot says its name. May come at any time, also again. `token` is what proves it, "" where none was shown.

    A name may hold the lone surrogates of `surrogateescape`: bytes that are no UTF-8.
    """

    name: str
    token: str = ""


class Join(FrozenValue):
    """The bot asks for a seat in the room with this code or of this channel, as typed; bytes that are no UTF-8 are the
    lone surrogates of `surrogateescape`.
    """

    code: str


class Queue(FrozenValue):
    """The bot asks for a match of this variant with the next opponent that comes."""

    variant: str


class Challenge(FrozenValue):
    """The bot asks for a match with this player."""

    player: str


class Ready(FrozenValue):
    """The handshake is complete: the bot can be asked for moves."""


class BotMove(NamedTuple):
    """A move in the notation of the rules."""

    text: str


class BotResigns(FrozenValue):
    """The bot gives up."""


class BotOffers(FrozenValue):
    """The bot offers a draw or asks for a takeback."""

    what: OfferKind


class BotAnswers(FrozenValue):
    """The bot accepts or declines the offer of this number."""

    offer: int
    accepts: bool


class BotWithdraws(FrozenValue):
    """The bot withdraws its own offer of this number."""

    offer: int


class BotFault(FrozenValue):
    """The bot broke the protocol. `code` is a termination (`bad_output`, `illegal_move`, `out_of_turn`).

    `received` is what came, bytes that are not text as `\\xNN`; `expected` says what was wanted. `move` is the move it
    meant, in the notation of the rules, where it could be read.
    """

    code: str
    received: str
    expected: str
    move: str = ""


class Closed(FrozenValue):
    """The bot's side of the connection has ended."""


# How a bot finds its seat: by the room, by what it wants to play, by whom it wants to meet.
Wish = Join | Queue | Challenge
FromBot = (
    Hello
    | Join
    | Queue
    | Challenge
    | Ready
    | BotMove
    | BotResigns
    | BotOffers
    | BotAnswers
    | BotWithdraws
    | BotFault
    | Closed
)

# -- to the bot --------------------------------------------------------------------------------------------------------


class Admitted(FrozenValue):
    """The token that came with its name is good, or nobody asks for one here."""


class Joined(FrozenValue):
    """The room has a place for the bot; its seat is said by `Seated` when a match begins."""

    code: str


class Company(FrozenValue):
    """Whether somebody has the other side of the bot's room: told while it waits for its first round."""

    there: bool


class Seated(FrozenValue):
    """The seat for the coming match: 0 moves first. `match` is its id."""

    seat: int
    you: str
    opponent: str
    clock: str
    match: str = ""


class Started(FrozenValue):
    """A match begins, or after a restart of the arena goes on, from this position. Rounds count from 1."""

    position: Position
    round: int = 1
    rounds: int = 1
    variant: str = ""
    settings: Mapping[str, Any] = _NOTHING


class Moved(NamedTuple):
    """A move that is in the log; `position` is the one after it. `seat` may be the bot's own.

    `left_ms` is what both seats have left, None without a clock.
    """

    seat: int
    text: str
    position: Position
    left_ms: tuple[int | None, int | None] = (None, None)


class Turn(NamedTuple):
    """The bot is asked for a move. Times in milliseconds, None without a clock."""

    position: Position
    left_ms: int | None = None
    other_ms: int | None = None


class Refused(FrozenValue):
    """What the bot asked for was not done, and nothing else changed. `code` is stable, `sentence` for people.

    `received` is what it asked for, where it may have asked for something else since.
    """

    code: str
    sentence: str
    received: str = ""


class Offered(FrozenValue):
    """`seat`, perhaps the bot's own, offers a draw or asks for a takeback; `offer` is the number to answer with."""

    offer: int
    seat: int
    what: OfferKind


class OfferAnswered(FrozenValue):
    """The open offer is none any more and nothing came of it: `seat` has `declined`, or `withdrew`."""

    seat: int
    what: OfferKind
    how: str


class TakenBack(FrozenValue):
    """Moves were taken back as `seat` had asked: the match stands at this position again, and goes on from there."""

    seat: int
    position: Position
    left_ms: tuple[int | None, int | None] = (None, None)


class OfferRefused(FrozenValue):
    """What the bot said about an offer was not done; nothing else changed, and a turn goes on."""

    code: str
    sentence: str


class Ended(FrozenValue):
    """The match is over. `last`: no further match follows on this connection.

    `move` is the move that broke the rules, in the notation of the rules, where there was one and it could be read.
    """

    winner: int | None
    termination: str
    reason: str
    position: Position
    last: bool = True
    move: str = ""


class Bye(FrozenValue):
    """The connection is about to be closed from our side; `of_event`: it had stayed for an event, which is over."""

    of_event: bool = False


# Terminations without a result, as the match writes them.
NO_RESULT = frozenset({"no_start", "abandoned", "abort", "admin_abort", "server_abort"})

ToBot = (
    Admitted
    | Joined
    | Company
    | Seated
    | Started
    | Moved
    | Turn
    | Refused
    | Offered
    | OfferAnswered
    | TakenBack
    | OfferRefused
    | Ended
    | Bye
)

# -- the machine -------------------------------------------------------------------------------------------------------


class Deadline:
    """Something an adapter does not wait for longer than this. Each wait is an object of its own: compare with `is`.

    With `once_read` it is not over before the bot has read all it was sent, where that can be seen.
    """

    __slots__ = ("name", "once_read", "seconds")

    def __init__(self, name: str, seconds: float, once_read: bool = False) -> None:
        self.name, self.seconds, self.once_read = name, seconds, once_read


class Adapter(Facts, ABC):
    """One connection of one protocol. Subclasses are found by discovery: one in the `adapter.py` of each folder.

    Its class says what the protocol is (`Facts`).

    `deadline` is what it waits for now: after every step the session looks at it, and calls `tick(deadline.name)`
    when it has been the same object for so many seconds.
    """

    __slots__ = ("_events", "_out", "deadline", "wants_close")

    wants_close: bool
    deadline: Deadline | None
    _out: bytearray
    _events: list[FromBot]

    def __new__(cls) -> Self:
        """What every connection begins with. A subclass may be a dataclass, or have a constructor for what it adds."""
        made = super().__new__(cls)
        made.wants_close = False
        made.deadline = None
        made._out = bytearray()
        made._events = []
        return made

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Take bytes from the bot, in any segmentation."""

    def receive_eof(self) -> None:
        """The bot has closed its side."""
        self._events.append(Closed())

    def tick(self, name: str) -> None:  # noqa: B027 - most protocols set no deadline of their own
        """This deadline has passed: the adapter's own (`deadline`), or `ready`, for the handshake."""

    @abstractmethod
    def send(self, event: ToBot) -> None:
        """Take what happened; the bytes for the bot are then in `data_to_send`."""

    @property
    def listens(self) -> bool:
        """Whether it listens for a name that the bot may say or not: `tick("ready")` ends that, and it says none."""
        return False

    @property
    def ahead(self) -> tuple[bytes, ...]:
        """What the bot said before it was asked, kept in order: the answers to requests to come."""
        return ()

    def answer_to(self, position: Position, move: str) -> str:
        """What the bot writes for this move when it is asked for one; "" where that cannot be told."""
        words = self.on_the_wire(move)
        return f"{words}\n" if words else ""

    def events_received(self) -> list[FromBot]:
        """What the bot meant since the last call."""
        events, self._events = self._events, []
        return events

    def data_to_send(self) -> bytes:
        """The bytes to write now, in one piece; empty when there are none."""
        if not self._out:
            return b""
        data = bytes(self._out)
        self._out.clear()
        return data


class TableAdapter(Adapter):
    """An adapter that works by the table of transitions in its facts, `machine`."""

    __slots__ = ("_state",)

    _state: StrEnum

    def __new__(cls) -> Self:
        made = super().__new__(cls)
        made._state = next(iter(cls.machine))
        return made

    def _step(self, event: StrEnum, said: object = None) -> None:
        transition = self.machine[self._state].get(event)
        if transition is not None:
            state, action = transition
            if state is not None:
                self._state = state
            if action is not None:
                action(self, said)
