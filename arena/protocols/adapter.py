"""The contract of a wire protocol: a sans-I/O state machine for one connection.

The caller moves bytes and events in this order: `receive_data` (or `receive_eof`, or `send` an event), then write all
of `data_to_send()` in one piece, then take `events_received()`. An adapter never waits, reads no clock, does no I/O and
knows no match: it turns bytes from the bot into events (`FromBot`), and events of the match (`ToBot`) into bytes.

The adapter decides what a bot is blamed for: text that cannot be a message of the protocol is a `BotFault`, text that
names a move is a `BotMove`; whether that move is allowed is for the rules to decide.
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

# Events that occur at every move are named tuples, which take half the time to create.

_NOTHING: Mapping[str, Any] = MappingProxyType({})

# -- from the bot ------------------------------------------------------------------------------------------------------


class Hello(FrozenValue):
    """The bot says its name. May come at any time, also repeatedly. `token` proves the name, "" if none was shown.

    Bytes of the name that are not UTF-8 are lone surrogates, as with `surrogateescape`.
    """

    name: str
    token: str = ""


class Join(FrozenValue):
    """The bot asks for a seat in the room with this code or of this channel, as typed; bytes that are not UTF-8 are
    lone surrogates, as with `surrogateescape`.
    """

    code: str


class Queue(FrozenValue):
    """The bot asks for a match of this variant with the next opponent who arrives."""

    variant: str


class Challenge(FrozenValue):
    """The bot asks for a match with this player."""

    player: str


class Ready(FrozenValue):
    """The handshake is complete: the bot can be asked for moves."""


class BotMove(NamedTuple):
    """A move in the notation of the rules. `ended`: its line has its end, which a program's last may lack."""

    text: str
    ended: bool = True


class BotResigns(FrozenValue):
    """The bot resigns."""


class BotOffers(FrozenValue):
    """The bot offers a draw or asks for a takeback."""

    what: OfferKind


class BotAnswers(FrozenValue):
    """The bot accepts or declines the offer with this number."""

    offer: int
    accepts: bool


class BotWithdraws(FrozenValue):
    """The bot withdraws its own offer with this number."""

    offer: int


class BotFault(FrozenValue):
    """The bot broke the protocol. `code` is a termination (`bad_output`, `illegal_move`, `out_of_turn`).

    `received` is what the bot sent, with non-text bytes as `\\xNN`; `expected` says what was expected. `move` is the
    intended move in the notation of the rules, if it could be read.
    """

    code: str
    received: str
    expected: str
    move: str = ""


class Closed(FrozenValue):
    """The bot has closed its side of the connection."""


# How a bot asks for a seat: by room, by variant, or by opponent.
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
    """The token shown with the bot's name is valid, or none is required."""


class Joined(FrozenValue):
    """The bot has a place in the room; `Seated` tells its seat when a match begins."""

    code: str


class Company(FrozenValue):
    """Whether the other side of the bot's room is taken; told while the bot waits for its first round."""

    there: bool


class Seated(FrozenValue):
    """The bot's seat in the coming match: 0 moves first. `match` is the id of the match."""

    seat: int
    you: str
    opponent: str
    clock: str
    match: str = ""


class Started(FrozenValue):
    """A match begins from this position, or continues after a restart of the arena. Rounds count from 1."""

    position: Position
    round: int = 1
    rounds: int = 1
    variant: str = ""
    settings: Mapping[str, Any] = _NOTHING


class Moved(NamedTuple):
    """A logged move of either seat; `position` comes after it. `left_ms` of both seats, None without a clock."""

    seat: int
    text: str
    position: Position
    left_ms: tuple[int | None, int | None] = (None, None)


class Turn(NamedTuple):
    """The bot is asked for a move. Times are in milliseconds, None without a clock."""

    position: Position
    left_ms: int | None = None
    other_ms: int | None = None


class Refused(FrozenValue):
    """A request of the bot was refused, and nothing else changed. `code` is stable, `sentence` is for people.

    `received` is the refused request, in case the bot has made another one since.
    """

    code: str
    sentence: str
    received: str = ""


class Offered(FrozenValue):
    """`seat`, possibly the bot's own, offers a draw or asks for a takeback; the bot answers with the number `offer`."""

    offer: int
    seat: int
    what: OfferKind


class OfferAnswered(FrozenValue):
    """The open offer ended without effect: `seat` has `declined` or `withdrew` it."""

    seat: int
    what: OfferKind
    how: str


class TakenBack(FrozenValue):
    """Moves were taken back at the request of `seat`: the match continues from this position."""

    seat: int
    position: Position
    left_ms: tuple[int | None, int | None] = (None, None)


class OfferRefused(FrozenValue):
    """What the bot said about an offer was refused; nothing else changed, and a running turn goes on."""

    code: str
    sentence: str


class Ended(FrozenValue):
    """The match is over. `last`: no other match follows on this connection.

    `move` is the move that broke the rules, in the notation of the rules, if there was one and it could be read.
    """

    winner: int | None
    termination: str
    reason: str
    position: Position
    last: bool = True
    move: str = ""


class Bye(FrozenValue):
    """The arena is about to close the connection. `of_event`: the bot was waiting for an event, which is now over."""

    of_event: bool = False


# Terminations without a result, as in the log of a match.
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
    """A limit to how long an adapter waits. Each wait is a new object: compare with `is`.

    With `once_read` it does not pass before the bot has read all it was sent, if that can be observed.
    """

    __slots__ = ("name", "once_read", "seconds")

    def __init__(self, name: str, seconds: float, once_read: bool = False) -> None:
        self.name, self.seconds, self.once_read = name, seconds, once_read


class Adapter(Facts, ABC):
    """One connection of one protocol. Discovery finds one subclass in the `adapter.py` of each folder.

    The class attributes describe the protocol (`Facts`).

    A subclass adds bytes for the bot to `out` and what the bot meant to `events`; the caller may look whether there are
    any, and takes them with `data_to_send` and `events_received`.

    `deadline` is the adapter's current wait: the session looks at it after every step, and calls `tick(deadline.name)`
    when it has been the same object for its number of seconds.
    """

    __slots__ = ("deadline", "events", "out", "wants_close")

    wants_close: bool
    deadline: Deadline | None
    out: bytearray
    events: list[FromBot]

    def __new__(cls) -> Self:
        """Set the attributes of every connection. A subclass may be a dataclass, or set its own in a constructor."""
        made = super().__new__(cls)
        made.wants_close = False
        made.deadline = None
        made.out = bytearray()  # a flood of lines may be answered line by line
        made.events = []
        return made

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Take bytes from the bot, in segments of any size."""

    def receive_eof(self) -> None:
        """Take the end of the bot's output."""
        self.events.append(Closed())

    def tick(self, name: str) -> None:  # noqa: B027 - most protocols set no deadline of their own
        """Report that a deadline has passed: the adapter's own (`deadline`), or `ready` for the handshake."""

    @abstractmethod
    def send(self, event: ToBot) -> None:
        """Take an event of the match; `data_to_send` then has the bytes for the bot."""

    @property
    def listens(self) -> bool:
        """Whether the adapter waits for an optional name of the bot; `tick("ready")` ends the wait without one."""
        return False

    @property
    def answers_offers(self) -> bool:
        """Whether this bot answers offers, as far as it has said."""
        return self.hears_offers

    @property
    def is_parting(self) -> bool:
        """Whether it closes the connection by itself, soon, behind last words that the bot has yet to be sent."""
        return False

    @property
    def ahead(self) -> tuple[bytes, ...]:
        """The lines that the bot sent before it was asked, in order: they answer coming requests."""
        return ()

    def answer_to(self, position: Position, move: str) -> str:
        """What the bot writes for this move when it is asked for one; "" if that is unknown."""
        words = self.on_the_wire(move)
        return f"{words}\n" if words else ""

    def events_received(self) -> list[FromBot]:
        """The bot's events since the last call."""
        events, self.events = self.events, []
        return events

    def data_to_send(self) -> bytes:
        """The bytes to write now, in one piece; may be empty."""
        if not self.out:
            return b""
        data = bytes(self.out)
        self.out.clear()
        return data


class TableAdapter(Adapter):
    """An adapter that follows the table of transitions in its `machine`."""

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
