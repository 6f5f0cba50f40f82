"""Everything that the match page shows of one match, at one ply, for one audience: a value, made from the log alone.

A live match, a replay and a page without JavaScript are drawn from the same `Scene`. Presence and the running clock are
signals, which the log does not hold: they are passed in beside it. An audience is "0" or "1" for the seats, "" for
watchers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.bots.failure.failure import failures
from arena.match.evolve import standing
from arena.match.state import LogEvent, MatchState, OpenOffer, SeatSetup, Setup, first_state
from arena.protocols import protocols
from arena.rooms.rematch import wishes_of
from arena.rooms.reservation import bare
from arena.web.drawing import Artist, Choice, View, artist
from arena.web.match import offer_words, sentences
from arena.web.match.aloud import Aloud, aloud
from arena.web.match.analysis import MoveRemark
from arena.web.match.offer_words import Aside
from arena.web.match.result import ResultCard
from arena.web.match.sentences import Series, Signals, Told
from arena.web.match.status import Status
from arena.web.tongue import gettext, pgettext
from arena.web.words import capital, decimals, seat_name, title
from games import Position, variant

__all__ = ["Beside", "MoveRow", "PlayerCard", "Scene", "Series", "Signals", "make_scene"]

# A program whose reply takes less would be said to need 0.0 s.
LEAST_MS = 50


class Beside(NamedTuple):
    """What belongs on the page of a match but is in no log.

    `notes` are lines of the result card, `wants` is the name of an opponent who wants a rematch, `declined` of one who
    declined it, `asked` whether the reader has asked for one. `ratings` are those of both seats, "" for none; `replies`
    the mean time that each took for a move in ms, None before the first. `remarks` are the analysis of moves, by their
    numbers. `chat` is the number of the newest line that may be read; `private` whether the room is.
    """

    series: Series | None = None
    notes: tuple[str, ...] = ()
    wants: str = ""
    room: str = ""
    declined: str = ""
    ratings: tuple[str, str] = ("", "")
    remarks: Mapping[int, MoveRemark] = {}
    replies: tuple[int | None, int | None] = (None, None)
    reactions: tuple[str, str] = ("", "")
    asked: bool = False
    chat: int = 0
    private: bool = False


class PlayerCard(NamedTuple):
    """A player at the edge of the board. `line` is the second line, `running` whether the clock counts down, after
    `stands_ms`.

    `rounds` are the letters of the rounds so far, `w`, `d` or `l`; `of` is how many there will be. `rating` has a
    question mark while it is provisional. `is_marked`: the name says that its bot has proven nothing.
    """

    seat: int
    name: str
    tag: str
    line: str
    here: bool
    left_ms: int | None
    running: bool
    rounds: str = ""
    of: int = 1
    rating: str = ""
    reaction: str = ""
    is_guest: bool = False
    is_marked: bool = False
    stands_ms: int = 0


class MoveRow(NamedTuple):
    """A line of the move list."""

    ply: int
    seat: int
    move: str
    note: str
    elapsed_ms: int
    remark: MoveRemark | None = None


class Offers(NamedTuple):
    """Whether the players may make offers or ask for hints, whether the reader could take a move back, the open offer,
    and what became of offers that the reader missed.
    """

    allowed: bool
    takes_back: bool
    open: OpenOffer | None
    asides: tuple[Aside, ...]


class After(NamedTuple):
    """What the page of an ended match shows besides the card. `rematch`: whether the same two can play again, `room`:
    its address, `over`: no round of its series follows, `failed`: the seats whose bot failed, as the log explains,
    `rematched`: the match in which the reader has played again, "" for none.

    `wants`, `declined` and `asked` are those of `Beside`.
    """

    rematch: bool = False
    wants: str = ""
    declined: str = ""
    asked: bool = False
    room: str = ""
    next_round: Status | None = None
    over: bool = False
    failed: tuple[int, ...] = ()
    rematched: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """`ply` is shown, `plies` have been played. `base` is what the reader has: `rows` are the moves after it.
    `shared` is the address to give to others.
    """

    match: str
    setup: Setup
    audience: str
    base: int
    seq: int
    ply: int
    plies: int
    phase: str
    view: View
    choice: Choice
    cards: tuple[PlayerCard, PlayerCard]
    rows: tuple[MoveRow, ...]
    offers: Offers
    status: Status
    result: ResultCard | None
    signals: Signals
    after: After = After()
    shared: str = ""
    say: str = ""
    alert: str = ""

    @property
    def address(self) -> str:
        return f"/m/{self.match}/"

    @property
    def title(self) -> str:
        """The game, in words."""
        return self.view.title

    @property
    def against(self) -> str:
        """The two players, for titles."""
        return gettext("{first} against {second}").format(first=self.cards[0].name, second=self.cards[1].name)

    @property
    def is_series(self) -> bool:
        """Whether resigning costs a player one round of several rather than the match."""
        return self.setup.rounds > 1

    @property
    def artist(self) -> Artist:
        return artist(variant(self.setup.variant).game)

    @property
    def past(self) -> bool:
        return self.ply < self.plies

    @property
    def live(self) -> bool:
        return self.phase != "ended"

    @property
    def seat(self) -> int | None:
        """The seat that the reader speaks for; None for a watcher and for two at one screen."""
        return int(self.audience) if self.audience and not self.setup.at_one_screen else None

    @property
    def plays(self) -> bool:
        """Whether the reader has a seat, or both."""
        return bool(self.audience)

    @property
    def near(self) -> PlayerCard:
        """The player below the board: the reader, or seat 0 for a watcher."""
        return self.cards[self.seat or 0]

    @property
    def far(self) -> PlayerCard:
        return self.cards[1 - (self.seat or 0)]


def make_scene(
    match: str,
    state: MatchState,
    events: Sequence[LogEvent],
    audience: str = "",
    *,
    base: int = 0,
    heard: int | None = None,
    ply: int | None = None,
    signals: Signals | None = None,
    chosen: tuple[str, ...] = (),
    beside: Beside | None = None,
) -> Scene:
    """The scene after the whole log `events`, whose state is `state`; `ply` selects an earlier position.

    Only moves after the event `base` become rows, and only what follows `heard`, by default the same, is read aloud.
    """
    signals, plies, beside = signals or Signals(), state.position.ply, beside or Beside()
    shown = min(plies, max(0, plies if ply is None else ply))
    kind, both = variant(state.setup.variant), bool(audience) and state.setup.at_one_screen
    choice = _choice(state, audience, shown, chosen)
    view = View(*_shown(state, events, shown), title(kind), _names(state), chosen if choice.enabled else ())
    told = Told(match, kind.game, state, events, None if both else choice.seat, shown, signals, beside.series, both)
    card = sentences.card(told, beside.notes) if shown == plies else None
    rows, after = _rows(artist(kind.game), state, events, base, beside.remarks), _after(told, beside, card)
    read = _aloud(told, base if heard is None else heard, rows, card, after)
    return Scene(
        match=match,
        setup=state.setup,
        audience=audience,
        base=base,
        seq=state.seq,
        ply=shown,
        plies=plies,
        phase=state.phase,
        view=view,
        choice=choice,
        cards=(_card(told, 0, beside), _card(told, 1, beside)),
        rows=rows,
        offers=_offers(told, artist(kind.game), base),
        status=offer_words.with_refusal(told, sentences.status(told)),
        result=card,
        signals=signals,
        say=read.say,
        alert=read.alert,
        after=after,
        shared=f"/r/{beside.room}/?match={match}" if beside.private else f"/m/{match}/",
    )


def _choice(state: MatchState, audience: str, shown: int, chosen: tuple[str, ...]) -> Choice:
    """The reader's choice: a seat has one when it is to move, two people at one screen always, a watcher never."""
    seat, mover = int(audience) if audience else None, state.to_move
    if audience and state.setup.at_one_screen and mover is not None:
        seat = mover
    enabled = seat is not None and seat == mover and shown == state.position.ply
    return Choice(seat, enabled, chosen, state.hint if enabled else "")


def _after(told: Told, beside: Beside, card: ResultCard | None) -> After:
    if card is None:
        return After()
    over = beside.series is None or beside.series.over
    follows = over and (told.both or _may_follow(told.state, told.seat))
    rematched = wishes_of(told.events, told.events[-1].at).match if follows else ""
    return After(
        rematch=follows and not rematched,
        wants=beside.wants if follows else "",
        declined=beside.declined if follows else "",
        asked=beside.asked and follows,
        room=beside.room,
        next_round=sentences.next_round(told),
        over=over,
        failed=tuple(failure.seat for failure in failures(told.events)),
        rematched=rematched,
    )


def _aloud(told: Told, heard: int, rows: tuple[MoveRow, ...], card: ResultCard | None, after: After) -> Aloud:
    last = rows[-1][1:4] if rows else None
    return aloud(told, heard, last, card, offer_words.again(after.wants, after.declined))


# -- the position ------------------------------------------------------------------------------------------------------


def _shown(state: MatchState, events: Sequence[LogEvent], ply: int) -> tuple[Position, str | None]:
    """The position at `ply` and the move that led to it. The newest costs nothing; an earlier one is played again."""
    if ply == state.position.ply:
        return state.position, state.recent[-1][2] if state.recent else None
    position, last = first_state(state.setup).position, None
    for event in standing(events)[:ply]:
        position, last = position.play(event.move), event.move
    return position, last


def _rows(
    draws: Artist, state: MatchState, events: Sequence[LogEvent], base: int, remarks: Mapping[int, MoveRemark]
) -> tuple[MoveRow, ...]:
    """Events count from 1 without a gap, so those after `base` are a slice of the log. It takes back no move that the
    reader has: such a reader begins at 0.
    """
    moves = standing(events[base:])
    notes = draws.notes(state.position, [event.move for event in moves])
    return tuple(
        MoveRow(event.ply or 0, event.seat or 0, event.move, note, event.elapsed_ms or 0, remarks.get(event.ply or 0))
        for event, note in zip(moves, notes, strict=True)
    )


def _offers(told: Told, draws: Artist, base: int) -> Offers:
    state, allowed = told.state, _may_ask(told.state.setup)
    asides = offer_words.asides(told.events[base:], _names(state), draws.named) if allowed else ()
    return Offers(allowed, _may_take_back(state, told.seat), state.offer, asides)


def _may_ask(setup: Setup) -> bool:
    return setup.offers or setup.gives_hints


def _may_take_back(state: MatchState, seat: int | None) -> bool:
    """Whether one of the seat's moves may be taken back (None: both are the reader's). Some bots cannot."""
    seats = (0, 1) if seat is None else (seat,)
    hear = all(each.on_offer != "decline" for each in state.setup.seats)
    return state.setup.offers and hear and any(state.last_move_of(each) is not None for each in seats)


# -- the players -------------------------------------------------------------------------------------------------------


def _names(state: MatchState) -> tuple[str, str]:
    setup = state.setup
    first, second = (seat_name(seat, number, setup.at_one_screen) for number, seat in enumerate(setup.seats))
    return first, second


def _card(told: Told, seat: int, beside: Beside) -> PlayerCard:
    state, series = told.state, told.series
    setup = state.setup.seats[seat]
    tag = "you" if seat == told.seat else "bot" if setup.kind == "bot" else ""
    here, running = told.signals.here[seat] or told.both, state.to_move == seat and told.signals.here[1 - seat]
    rounds = series.rounds[seat] if series is not None else ""
    of = state.setup.rounds if series is not None else 1
    is_guest = setup.kind == "human" and not setup.verified and not state.setup.at_one_screen
    line = gettext("At one screen") if state.setup.at_one_screen else _line(setup, beside.replies[seat])
    if slow := sentences.slow_line(told, seat):
        line = f"{slow} · {line}"
    rating = beside.ratings[seat]
    return PlayerCard(
        seat,
        told.name(seat),
        tag,
        line,
        here,
        told.left_ms(seat),
        running,
        rounds,
        of,
        rating,
        beside.reactions[seat],
        is_guest,
        bare(setup.name) != setup.name,
        told.stands_ms(seat),
    )


def _may_follow(state: MatchState, seat: int | None) -> bool:
    """Whether the same two can play again: with a built-in player at once, others in their room. Which bots of an
    event play is for the event to say.
    """
    setup = state.setup
    if seat is None:
        return False
    other = setup.seats[1 - seat].kind
    return other == "builtin" or (setup.room is not None and (other == "human" or setup.pairing is None))


def _line(setup: SeatSetup, reply_ms: int | None) -> str:
    """The kind of player, of a bot how it talks; for a program its reply time comes first, because a phone may cut off
    the rest. Of a built-in player whose name says what it is, where it thinks until it has moved.
    """
    if setup.kind == "human":
        return gettext("In the browser") if setup.verified else gettext("Guest")
    what = gettext("built-in player") if setup.kind == "builtin" else pgettext("kind of player", "bot")
    if setup.protocol in protocols():
        what = protocols()[setup.protocol].title
    is_named = setup.kind == "builtin" and setup.name.endswith("(built in)")
    if reply_ms is None:
        return gettext("On this server") if is_named else capital(what)
    seconds = decimals(reply_ms / 1000) if reply_ms >= LEAST_MS else f"<\N{NO-BREAK SPACE}{decimals(0.1)}"
    pace = gettext("{seconds} s a move").format(seconds=seconds)
    return pace if is_named else f"{pace} · {what}"
