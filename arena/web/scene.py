"""Everything the match page shows of one match, at one ply, for one audience: a value, made from the log alone.

A live match, a replay and a page without JavaScript are drawn from the same `Scene`. Presence and the running clock are
signals that the log does not hold: they come in beside it. An audience is "0" or "1" for the seats, "" for watchers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from django.utils.safestring import SafeString

from arena.match.endings import UNCOUNTED
from arena.match.state import Event, Left, MatchState, SeatSetup, first_state
from arena.web.drawing import Artist, Choice, View, artist
from arena.web.result import Ending, Result, result
from arena.web.status import Status, minutes, minutes_spoken, status_line
from games import Position, Variant, variant

COLOURS = ("Orange", "Blue")
# The levels that pages offer, by what people call them.
LEVELS = {"beginner": "Easy", "club": "Medium", "expert": "Hard"}


class Signals(NamedTuple):
    """What is true now and stands in no log. `left_ms` is what the clocks show at `now_ms` (Unix time).

    `back_ms` is how long an absent player may stay away, None where nothing waits for them.
    """

    now_ms: int = 0
    left_ms: Left | None = None
    here: tuple[bool, bool] = (True, True)
    back_ms: tuple[int | None, int | None] = (None, None)
    watching: int = 0


class Card(NamedTuple):
    """A player at the edge of the board. `line` is the second line, `running` whether the clock counts down."""

    seat: int
    name: str
    tag: str
    line: str
    here: bool
    left_ms: int | None
    running: bool


class Row(NamedTuple):
    """A line of the move list."""

    ply: int
    seat: int
    move: str
    note: str
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class Scene:
    """`ply` is shown, `plies` are played. `base` is what the reader has: `rows` are the moves after it."""

    match: str
    title: str
    game: str
    audience: str
    base: int
    seq: int
    ply: int
    plies: int
    phase: str
    view: View
    choice: Choice
    cards: tuple[Card, Card]
    rows: tuple[Row, ...]
    status: Status
    result: Result | None
    round: int
    rounds: int
    rated: bool
    signals: Signals
    rematch: bool = False
    say: str = ""
    alert: str = ""

    @property
    def address(self) -> str:
        return f"/m/{self.match}/"

    @property
    def artist(self) -> Artist:
        return artist(self.game)

    @property
    def past(self) -> bool:
        return self.ply < self.plies

    @property
    def live(self) -> bool:
        return self.phase != "ended"

    @property
    def seat(self) -> int | None:
        """The seat of whoever looks; None for a watcher."""
        return int(self.audience) if self.audience else None

    @property
    def near(self) -> Card:
        """The one below the board: you, or seat 0 for a watcher."""
        return self.cards[self.seat or 0]

    @property
    def far(self) -> Card:
        return self.cards[1 - (self.seat or 0)]


def make_scene(
    match: str,
    state: MatchState,
    events: Sequence[Event],
    audience: str = "",
    *,
    base: int = 0,
    ply: int | None = None,
    signals: Signals | None = None,
    chosen: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Scene:
    """The scene after the whole log `events`, whose state is `state`; `ply` looks back at an earlier position.

    Only moves after the event `base` become rows. `notes` are lines of the result card that the log does not know.
    """
    signals, plies = signals or Signals(), state.position.ply
    shown = plies if ply is None else max(0, min(ply, plies))
    position, last = _shown(state, events, shown)
    kind = variant(state.setup.variant)
    view = View(position, last, title(kind), (state.setup.seats[0].name, state.setup.seats[1].name))
    seat = int(audience) if audience else None
    ended = _ending(events) if state.phase == "ended" else None
    card = _result(kind.game, state, ended, seat, notes) if ended and shown == plies else None
    rows = _rows(artist(kind.game), state, events, base)
    said = _Said(state, seat, shown, events)
    return Scene(
        match=match,
        title=view.title,
        game=kind.game,
        audience=audience,
        base=base,
        seq=state.seq,
        ply=shown,
        plies=plies,
        phase=state.phase,
        view=view,
        choice=Choice(seat, seat is not None and seat == state.to_move and shown == plies, chosen),
        cards=(_card(state, 0, seat, signals), _card(state, 1, seat, signals)),
        rows=rows,
        status=_status(said, signals, match, kind.game),
        result=card,
        round=state.setup.round,
        rounds=state.setup.rounds,
        rated=state.setup.rated,
        signals=signals,
        rematch=card is not None and _may_follow(state, seat),
        say=_say(said, rows, kind.game, signals) if rows and ended is None else "",
        alert=f"{card.title}. {card.reason}" if card and base < state.seq else "",
    )


class _Said(NamedTuple):
    """What the sentences are about."""

    state: MatchState
    seat: int | None
    shown: int
    events: Sequence[Event]

    def name(self, seat: int) -> str:
        return self.state.setup.seats[seat].name


@cache
def title(kind: Variant) -> str:
    """`Connect Four 7 × 6`: the variant's title with its size as people write it."""
    return re.sub(r"(\d)x(\d)", "\\1\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}\\2", kind.title)


# -- the position ------------------------------------------------------------------------------------------------------


def _shown(state: MatchState, events: Sequence[Event], ply: int) -> tuple[Position, str | None]:
    """The position at `ply` and the move that led to it. The newest costs nothing; an earlier one is played again."""
    if ply == state.position.ply:
        return state.position, state.recent[-1][2] if state.recent else None
    position, last = first_state(state.setup).position, None
    for event in events:
        if event.kind == "move" and position.ply < ply:
            position, last = position.play(event.move), event.move
    return position, last


def _rows(draws: Artist, state: MatchState, events: Sequence[Event], base: int) -> tuple[Row, ...]:
    """Events count from 1 without a gap, so those after `base` are a slice of the log."""
    moves = [event for event in events[base:] if event.kind == "move"]
    notes = draws.notes(state.position, [event.move for event in moves])
    return tuple(
        Row(event.ply or 0, event.seat or 0, event.move, note, event.elapsed_ms or 0)
        for event, note in zip(moves, notes, strict=True)
    )


# -- the players -------------------------------------------------------------------------------------------------------


def _card(state: MatchState, seat: int, you: int | None, signals: Signals) -> Card:
    setup = state.setup.seats[seat]
    left = (signals.left_ms or state.left_ms)[seat]
    tag = "you" if seat == you else "bot" if setup.kind == "bot" else ""
    return Card(seat, setup.name, tag, _line(setup), signals.here[seat], left, state.to_move == seat)


def _may_follow(state: MatchState, seat: int | None) -> bool:
    """Whether the same two can play again: with a built-in player at once, else after the last round in their room."""
    setup = state.setup
    if seat is None or setup.round < setup.rounds:
        return False
    return setup.seats[1 - seat].kind == "builtin" or setup.room is not None


def _line(setup: SeatSetup) -> str:
    if setup.kind == "builtin":
        return "Built-in player"
    if setup.kind == "bot":
        return f"Bot, speaks {setup.protocol}" if setup.protocol else "Bot"
    return "In the browser" if setup.verified else "Guest"


# -- the sentences -----------------------------------------------------------------------------------------------------


def _status(said: _Said, signals: Signals, match: str, game: str) -> Status:
    state, seat = said.state, said.seat
    if said.shown < state.position.ply:
        case = "past" if state.phase == "ended" else "past_live"
        return status_line(case, ply=said.shown, plies=state.position.ply, address=f"/m/{match}/")
    if state.phase == "paused":
        return status_line("paused")
    away = next((other for other in (0, 1) if other != seat and not signals.here[other]), None)
    if state.phase == "opened":
        return status_line("ready") if away is None else status_line("waiting", o=said.name(away))
    if away is not None and state.phase == "running":
        return _away(said, away, signals)
    return _turn(said, signals, game)


def _away(said: _Said, away: int, signals: Signals) -> Status:
    back = signals.back_ms[away]
    if back is None:
        return status_line("away", o=said.name(away))
    case = "person_away" if said.state.setup.seats[away].kind == "human" else "bot_away"
    return status_line(case, o=said.name(away), back=minutes(back), until=signals.now_ms + back)


def _turn(said: _Said, signals: Signals, game: str) -> Status:
    state, seat = said.state, said.seat
    mover = state.position.to_move
    if mover is None:
        return Status("", SafeString())
    if seat is None:
        return status_line("watching", c=COLOURS[mover], o=said.name(mover))
    if mover != seat:
        kind = state.setup.seats[mover].kind
        case = "thinking" if kind == "human" else "bot_thinking"
        return status_line(case, o=said.name(mover), since=_turn_began(state, mover, signals))
    if not state.recent:
        return status_line("your_first")
    _, last_seat, last = state.recent[-1]
    if last_seat == seat:
        return status_line("your_again")
    return status_line("your_turn", o=said.name(last_seat), m=artist(game).named(last))


def _turn_began(state: MatchState, mover: int, signals: Signals) -> int:
    """When the running turn began, in Unix milliseconds; without a clock, now."""
    at_begin, left = state.left_ms[mover], (signals.left_ms or state.left_ms)[mover]
    return signals.now_ms - ((at_begin or 0) - (left or 0))


def _say(said: _Said, rows: tuple[Row, ...], game: str, signals: Signals) -> str:
    """Read aloud after a move: `gravity-9 dropped in column 6, row 3. Your turn, 1 minute 31.`"""
    row = rows[-1]
    who = "You" if row.seat == said.seat else said.name(row.seat)
    sentence = f"{who} {artist(game).spoken(row.move, row.note, row.seat == said.seat)}."
    mover = said.state.to_move
    if mover is None or mover != said.seat:
        return sentence
    asked = artist(game).asked(said.state.position)
    sentence = f"{sentence} {asked}" if asked else sentence
    left = (signals.left_ms or said.state.left_ms)[mover]
    return f"{sentence} Your turn." if left is None else f"{sentence} Your turn, {minutes_spoken(left)}."


def _ending(events: Sequence[Event]) -> Ending | None:
    """What the `ended` event says. Rulings may follow it."""
    event = next((event for event in reversed(events) if event.kind == "ended"), None)
    if event is None:
        return None
    data = event.data
    said = str(data.get("received", "")), str(data.get("expected", ""))
    return Ending(data["winner"], data["termination"], data["reason"], event.actor, *said)


def _result(game: str, state: MatchState, ending: Ending, seat: int | None, notes: tuple[str, ...]) -> Result:
    names = state.setup.seats[0].name, state.setup.seats[1].name
    said = artist(game).finish(state.position, ending.reason) if ending.termination == "normal" else ""
    if not notes and not state.setup.rated and ending.termination not in UNCOUNTED:
        notes = ("Friendly, ratings unchanged",)
    return result(ending, names, seat, said, notes)
