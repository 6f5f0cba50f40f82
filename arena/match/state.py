"""What a match is: its setup, its events, and the state that the events add up to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.match.clock import Clock, parse_clock
from games import Position, variant
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any, Literal

    Said = Literal["offered", "declined", "withdrew", "takeback", "hint"]
    Kind = Literal["opened", "started", "move", "paused", "resumed", "refunded", "ended", "ruled", "note"] | Said
    Phase = Literal["opened", "running", "paused", "ended"]
    OfferKind = Literal["takeback", "draw"]
    # What a match is beside an ordinary one (""): played by two people at one screen, or in an event that only shows
    # how events work.
    MatchKind = Literal["", "screen", "sample"]
else:
    Said = Kind = Phase = OfferKind = MatchKind = str

Left = tuple[int | None, int | None]

# Events about offers; a takeback alone changes the board.
OFFERS = frozenset({"offered", "declined", "withdrew", "takeback"})
# Events between two moves after which the running turn and its clock go on.
TURN_GOES_ON = frozenset({"offered", "declined", "withdrew", "hint"})

_NOTHING: Mapping[str, Any] = {}


class SeatSetup(NamedTuple):
    """Who sits on one seat. `holder` is the hash of what proves it; `protocol` and `level` are "" where not meant.

    `on_illegal` is what an illegal move costs: "refuse" (said, the turn goes on) or "lose". `on_offer` is what becomes
    of an offer to it: it is asked, or the arena declines at once for a program that knows nothing of offers.
    `startup_ms` is a grace for a process to come up: its first turn is charged only with what goes beyond it. `owner`
    is the account behind it.
    """

    name: str
    kind: Literal["human", "bot", "builtin"] = "human"
    player: int | None = None
    protocol: str = ""
    level: str = ""
    verified: bool = False
    holder: str = ""
    on_illegal: Literal["refuse", "lose"] = "refuse"
    on_offer: Literal["ask", "decline"] = "ask"
    startup_ms: int = 0
    owner: int | None = None

    @property
    def is_test(self) -> bool:
        """A bot that calls itself TEST tries out its connection and no more."""
        return self.kind == "bot" and self.name.upper() == "TEST"


class Setup(NamedTuple):
    """Everything fixed before the first move: it stands whole in the data of the `opened` event.

    `pace_ms` is the least time from one turn's begin to the next; rounds count from 1. `opening` are moves, with blanks
    between them, that stand in the log before it starts; `pairing` is the row of the tournament that it is played for.
    `offers`: its players may ask for a takeback and offer a draw. `kind` is "screen" where one visitor has both seats.
    `adjudicate`: a result that is proved and has held for so many moves ends the match; 0: it is played to its end.
    `played_on` names what has played it away from the host: the worker, the class of its machine, the version of its
    rules, and the SHA-256 of the program on each seat.
    """

    variant: str
    seats: tuple[SeatSetup, SeatSetup]
    settings: Mapping[str, Any] = _NOTHING
    clock: str = "none"
    rated: bool = False
    room: int | None = None
    series: int = 1
    round: int = 1
    rounds: int = 1
    pace_ms: int = 0
    opening: str = ""
    pairing: int | None = None
    offers: bool = False
    kind: MatchKind = ""
    adjudicate: int = 0
    played_on: Mapping[str, Any] = _NOTHING

    @property
    def is_test(self) -> bool:
        """Whether one of the seats is, so that the match is neither rated nor listed."""
        return any(seat.is_test for seat in self.seats)

    @property
    def is_listed(self) -> bool:
        """Whether it stands in lists of what others play."""
        return not (self.is_test or self.kind)

    @property
    def at_one_screen(self) -> bool:
        """Whether one visitor has both seats: nobody is asked, and nothing is rated."""
        return self.kind == "screen"

    @property
    def gives_hints(self) -> bool:
        """Whether its person may ask what to play: against a built-in player, where nothing is rated or counted."""
        kinds = {seat.kind for seat in self.seats}
        return kinds == {"human", "builtin"} and self.pairing is None

    @property
    def may_wait(self) -> bool:
        """Whether nobody loses by leaving: people who play without a clock, or against a built-in player."""
        kinds = {seat.kind for seat in self.seats}
        untimed = self.clock == "none" or "builtin" in kinds
        return "human" in kinds and "bot" not in kinds and untimed and self.pairing is None

    @property
    def why_friendly(self) -> str:
        """Why such a match can never be rated, in words; "" where it can."""
        first, second = self.seats
        if "builtin" in (first.kind, second.kind):
            return "Matches against built-in players are not rated."
        if self.is_test:
            return "A bot that calls itself TEST is not rated."
        for seat in self.seats:
            if not seat.verified or seat.player is None:
                return f"{seat.name} is not proven by an account or a token."
        if first.player == second.player or (first.owner is not None and first.owner == second.owner):
            return "Both sides belong to the same person."
        return ""

    def to_data(self) -> dict[str, Any]:
        """Values as JSON has them, so that what is read back from the log is equal."""
        seats = [seat._asdict() for seat in self.seats]
        made = {**self._asdict(), "settings": dict(self.settings), "seats": seats}
        if not made.pop("played_on"):
            return made
        return made | {"played_on": dict(self.played_on)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Setup:
        first, second = data["seats"]
        return cls(**{**data, "seats": (SeatSetup(**first), SeatSetup(**second))})


class SetupData(Mapping[str, "Any"]):
    """`setup.to_data()` that is made when somebody reads it: as values it is 2 KiB of each match in memory."""

    __slots__ = ("_setup",)

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    def __getitem__(self, name: str) -> Any:
        if name == "seats":
            return [seat._asdict() for seat in self._setup.seats]
        if name == "settings":
            return dict(self._setup.settings)
        if name == "played_on" and not self._setup.played_on:
            raise KeyError(name)
        if name in Setup._fields:
            return getattr(self._setup, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in Setup._fields if name != "played_on" or self._setup.played_on)

    def __len__(self) -> int:
        return len(Setup._fields) - (not self._setup.played_on)


class LogEvent(NamedTuple):
    """One line of a match's log, in the order of its columns. `at` is wall time, for people; plies count from 1.

    `move` events carry `elapsed_ms` and both remainders after the move: nothing else is needed to rebuild the clocks.
    """

    seq: int
    at: datetime
    kind: Kind
    ply: int | None = None
    seat: int | None = None
    move: str = ""
    elapsed_ms: int | None = None
    left0_ms: int | None = None
    left1_ms: int | None = None
    actor: str = ""
    data: Mapping[str, Any] = _NOTHING


Recent = tuple[tuple[int, int, str], ...]


class Before(NamedTuple):
    """A match as it stood before one of its moves: what a takeback of that move restores."""

    position: Position
    left_ms: Left
    recent: Recent


class OpenOffer(NamedTuple):
    """What a seat offers and the other one has not answered; `seq` is the number of the event."""

    seq: int
    seat: int
    what: OfferKind


class MatchState(NamedTuple):
    """A match after the event `seq`. `recent` are the last two moves as (ply, seat, text), newest last.

    `started_at` is the ply of the position in which the processes of its bots were started. `paused_by` names who of
    the staff has paused it: "" while it is not paused, or where the server did so. `history` has an entry for each move
    that stands and may be taken back. `offer` is the open one, `offered` what each seat has offered in this position.
    `hint` is the move that the side to move was given as one, "" without.
    """

    setup: Setup
    clock: Clock
    position: Position
    seq: int = 1
    phase: Phase = "opened"
    left_ms: Left = (None, None)
    recent: Recent = ()
    winner: int | None = None
    termination: str | None = None
    reason: str = ""
    started_at: int = 0
    paused_by: str = ""
    history: tuple[Before, ...] = ()
    offer: OpenOffer | None = None
    offered: tuple[tuple[int, OfferKind], ...] = ()
    hint: str = ""

    @property
    def to_move(self) -> int | None:
        """The seat whose clock runs, or None when nobody's does."""
        return self.position.to_move if self.phase == "running" else None

    @property
    def moves_made(self) -> int:
        """How many moves the players have made: those of the opening are nobody's."""
        opening = self.setup.opening
        return self.position.ply - (len(opening.split()) if opening else 0)

    @property
    def startup_ms(self) -> int:
        """The start-up grace of the side to move: only its first turn in a new process has one."""
        if self.position.ply - self.started_at > 1:
            return 0
        seat = self.position.to_move
        return 0 if seat is None else self.setup.seats[seat].startup_ms

    @property
    def allowed_ms(self) -> int | None:
        """How long the running turn may last, None without a clock or while no turn runs."""
        if self.phase != "running":
            return None
        seat = self.position.to_move
        left = None if seat is None else self.left_ms[seat]
        if left is None or self.position.ply - self.started_at > 1:
            return left
        return left + self.startup_ms


def first_state(setup: Setup) -> MatchState:
    """The state right after `opened`. Raises KeyError or ValueError for a setup that cannot be played."""
    clock = parse_clock(setup.clock)
    start = variant(setup.variant).start(**setup.settings)
    first, second = setup.seats
    return MatchState(setup, clock, start, left_ms=(_at_start(clock, first), _at_start(clock, second)))


def _at_start(clock: Clock, seat: SeatSetup) -> int | None:
    """Built-in players think in our own pool: how long they wait there is nothing to lose a match by."""
    return None if seat.kind == "builtin" else clock.start()
