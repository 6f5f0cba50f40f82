"""The data of a match: its setup, its events, and the state that results from the events."""

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
    # Marks special matches: two people at one screen, or a sample event that shows how events work; "" for all others.
    MatchKind = Literal["", "screen", "sample"]
else:
    Said = Kind = Phase = OfferKind = MatchKind = str

Left = tuple[int | None, int | None]

# Events about offers; of these only a takeback changes the board.
OFFERS = frozenset({"offered", "declined", "withdrew", "takeback"})
# Events between two moves that leave the running turn and its clock going.
TURN_GOES_ON = frozenset({"offered", "declined", "withdrew", "hint"})

_NOTHING: Mapping[str, Any] = {}


class SeatSetup(NamedTuple):
    """The player of one seat. `holder` is the hash of the secret that proves it; unused fields are "".

    `on_illegal` is what an illegal move costs: "refuse" (the bot is told, the turn goes on) or "lose". `on_offer` is
    what happens to an offer: the player is asked, or the arena declines at once for a program that knows no offers.
    `startup_ms` is a grace for a process to start: its first turn is charged only for the excess. `owner` is the
    account behind it.
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
        """Whether this is a bot that calls itself TEST, and so only tries out its connection."""
        return self.kind == "bot" and not self.verified and self.name.upper() == "TEST"


class Setup(NamedTuple):
    """All that is fixed before the first move; stored in the data of the `opened` event.

    `pace_ms` is the least time between the starts of two turns; rounds count from 1. `opening` lists moves separated by
    spaces, logged before the start; `pairing` is the primary key of the tournament pairing. With `offers`, players may
    ask for takebacks and offer draws. `kind` is "screen" if one visitor has both seats. `adjudicate` is the number of
    moves that a proved result must hold to end the match; 0 plays it to its end. `played_on` describes what played it
    away from the host: the worker, its machine class, the version of its rules, and the SHA-256 of the program on each
    seat.
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
        """Whether one of the seats is a test, so that the match is neither rated nor listed."""
        return any(seat.is_test for seat in self.seats)

    @property
    def is_listed(self) -> bool:
        """Whether the match appears in public lists."""
        return not (self.is_test or self.kind)

    @property
    def at_one_screen(self) -> bool:
        """Whether one visitor has both seats: no offers need an answer, and nothing is rated."""
        return self.kind == "screen"

    @property
    def gives_hints(self) -> bool:
        """Whether a person may ask for hints: against a built-in player, when nothing is rated or counted."""
        kinds = {seat.kind for seat in self.seats}
        return kinds == {"human", "builtin"} and self.pairing is None

    @property
    def may_wait(self) -> bool:
        """Whether nobody loses by leaving: people play without a clock, or against a built-in player."""
        kinds = {seat.kind for seat in self.seats}
        untimed = self.clock == "none" or "builtin" in kinds
        return "human" in kinds and "bot" not in kinds and untimed and self.pairing is None

    @property
    def why_friendly(self) -> str:
        """Why the match can never be rated, in words; "" if it can."""
        first, second = self.seats
        if "builtin" in (first.kind, second.kind):
            return "Matches against built-in players are not rated."
        for seat in self.seats:
            if not seat.verified or seat.player is None:
                return f"{seat.name} is not proven by an account or a token."
        if first.player == second.player or (first.owner is not None and first.owner == second.owner):
            return "Both sides belong to the same person."
        return ""

    def to_data(self) -> dict[str, Any]:
        """The setup as JSON values, which compare equal to those read back from the log."""
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
    """`setup.to_data()`, made when it is first read: kept as values it takes 2 KiB of memory a match."""

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
    """One line of a match's log, in column order. `at` is wall-clock time, for people; plies count from 1.

    `move` events carry `elapsed_ms` and both remaining times after the move, which is all that clocks need.
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
    """The state before a move, which taking back that move restores."""

    position: Position
    left_ms: Left
    recent: Recent


class OpenOffer(NamedTuple):
    """An unanswered offer of a seat; `seq` is the number of its event."""

    seq: int
    seat: int
    what: OfferKind


class MatchState(NamedTuple):
    """A match after the event `seq`. `recent` are the last two moves as (ply, seat, text), newest last.

    `started_at` is the ply of the position in which the bots' processes were started. `paused_by` names the staff
    member who paused the match: "" if nobody did, or the server did. `history` has an entry for each move that can be
    taken back. `offer` is the open offer; `offered` is what each seat has offered in this position. `hint` is the move
    suggested to the side to move, "" for none.
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
        """The seat whose clock runs, or None if neither's does."""
        return self.position.to_move if self.phase == "running" else None

    @property
    def moves_made(self) -> int:
        """The number of moves the players have made, without those of the opening."""
        opening = self.setup.opening
        return self.position.ply - (len(opening.split()) if opening else 0)

    def last_move_of(self, seat: int) -> int | None:
        """The index in the history of this seat's last move, None if it has none."""
        moves = range(len(self.history) - 1, -1, -1)
        return next((move for move in moves if self.history[move].position.to_move == seat), None)

    @property
    def startup_ms(self) -> int:
        """The start-up grace of the side to move in milliseconds; only its first turn in a new process has one."""
        if self.position.ply - self.started_at > 1:
            return 0
        seat = self.position.to_move
        return 0 if seat is None else self.setup.seats[seat].startup_ms

    @property
    def allowed_ms(self) -> int | None:
        """How long the running turn may last in milliseconds; None without a clock or a running turn."""
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
    """The seat's time at the start in ms; None for built-in players, which may have to wait in the server's pool."""
    return None if seat.kind == "builtin" else clock.start()
