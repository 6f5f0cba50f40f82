"""The sentences of the match page: the line under the board, what is read aloud, how it ended, what follows.

They are made from the log, from signals (`Signals` below) and from the series that the match belongs to, for one
reader: a seat, or None for a watcher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.match.endings import UNCOUNTED, Termination
from arena.match.inactivity import expiry
from arena.match.state import Left, LogEvent, MatchState
from arena.match.turn import MOST_LAG_MS
from arena.web.drawing import artist
from arena.web.match.result import FRIENDLY, Ending, ResultCard, result
from arena.web.match.status import Status, score_words, since, status_line, until
from arena.web.tongue import gettext
from arena.web.words import colour, isolated, minutes, minutes_spoken, seat_name

# The end of a match in which nobody moves is announced when this much time is left.
EXPIRY_TOLD_MS = 3600_000
# A line is called slow from here on; less is given back without a word.
SLOW_MS = 150


class Signals(NamedTuple):
    """What is true now but is in no log. `left_ms` is how long the time of both sides lasts from `now_ms` (Unix time):
    what their clocks show, and what is left of a bot's start-up grace.

    `back_ms` is how long an absent player may stay away, None if nothing waits for them. `lag_ms` is how slow the
    players' lines are.
    """

    now_ms: int = 0
    left_ms: Left | None = None
    here: tuple[bool, bool] = (True, True)
    back_ms: tuple[int | None, int | None] = (None, None)
    watching: int = 0
    lag_ms: tuple[int, int] = (0, 0)


class Series(NamedTuple):
    """The series of rounds to which a match belongs.

    `rounds` are those that counted, a letter each (`w`, `d`, `l`) as the seats of this match see them. While the next
    round is awaited, `next_round` is its number, `next_ms` the time until it begins and `next_first` the seat of this
    match whose player will move first in it. `over`: no round follows.
    """

    rounds: tuple[str, str] = ("", "")
    over: bool = False
    next_round: int = 0
    next_ms: int = 0
    next_first: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """The subject of the sentences and their reader: `seat` is None for a watcher and for a player who has `both`."""

    match: str
    game: str
    state: MatchState
    events: Sequence[LogEvent]
    seat: int | None
    shown: int
    signals: Signals
    series: Series | None = None
    both: bool = False

    def name(self, seat: int) -> str:
        return seat_name(self.state.setup.seats[seat], seat, self.state.setup.at_one_screen)

    def left_ms(self, seat: int) -> int | None:
        """What its clock shows."""
        lasts, most = self.lasts_ms(seat), self.state.left_ms[seat]
        return None if lasts is None or most is None else min(lasts, most)

    def stands_ms(self, seat: int) -> int:
        """How long its clock does not count down yet, because its program may still be starting."""
        return (self.lasts_ms(seat) or 0) - (self.left_ms(seat) or 0)

    def lasts_ms(self, seat: int) -> int | None:
        return (self.signals.left_ms or self.state.left_ms)[seat]


def slow_line(told: Told, seat: int) -> str:
    """Shown beside a person whose line is slow, while it costs time; "" for others."""
    lag_ms = told.signals.lag_ms[seat]
    if lag_ms < SLOW_MS or told.state.phase != "running":
        return ""
    if lag_ms > MOST_LAG_MS:
        return gettext("Slow line: {ms} ms, {most} given back").format(ms=lag_ms, most=MOST_LAG_MS)
    return gettext("Slow line: {ms} ms, given back").format(ms=lag_ms)


# -- the line under the board ------------------------------------------------------------------------------------------


def status(told: Told) -> Status:
    """The line for the current state of the match, or for the earlier position that is shown."""
    state = told.state
    if told.shown < state.position.ply:
        case = "past" if state.phase == "ended" else "past_live"
        plies = format_html("<span data-total>{}</span>", state.position.ply)
        shown = state.position.ply if case == "past" else plies
        return status_line(case, ply=told.shown, plies=shown, address=f"/m/{told.match}/")
    if state.paused_by:
        why = _why_paused(told.events)
        return status_line("paused_why", why=why) if why else status_line("paused")
    others = () if told.both else (0, 1)
    away = next((other for other in others if other != told.seat and not told.signals.here[other]), None)
    if state.phase == "opened":
        return status_line("ready") if away is None else status_line("waiting", o=told.name(away))
    if away is not None and state.phase != "ended":
        return _away(told, away)
    if state.phase == "paused":
        return status_line("restarted")
    line = _turn(told)
    return line._replace(words=line.words + _hint(told) + _expires(told))


def _hint(told: Told) -> SafeString:
    """The hint that the reader was given; "" for everybody else, who finds it in the list of moves."""
    state = told.state
    if not state.hint or state.to_move != told.seat:
        return SafeString()
    return status_line("hint", m=artist(told.game).named(state.hint)).words


def _expires(told: Told) -> SafeString:
    """A warning that the match ends by itself unless somebody moves, and when; "" if it does not."""
    state, mover = told.state, told.state.to_move
    end = expiry(state, told.events[-1].at) if told.events else None
    if end is None or mover is None:
        return SafeString()
    ends = round(end.at.timestamp() * 1000)
    left = max(0, ends - told.signals.now_ms)
    case = "expires_unbegun" if end.termination == Termination.NO_START else "expires"
    facts = {"within": EXPIRY_TOLD_MS, "time": until(ends, minutes(left)), "o": told.name(mover)}
    facts["hidden"] = SafeString(" hidden") if left > EXPIRY_TOLD_MS else ""
    return status_line(f"{case}_yours" if mover == told.seat else case, **facts).words


def _why_paused(events: Sequence[LogEvent]) -> str:
    paused = next((event for event in reversed(events) if event.kind == "paused"), None)
    return str(paused.data.get("reason", "")).rstrip(".") if paused is not None else ""


def _away(told: Told, away: int) -> Status:
    back = told.signals.back_ms[away]
    if back is None:
        waits = told.seat is not None and told.state.setup.may_wait
        return status_line("person_waited_for" if waits else "away", o=told.name(away))
    running = told.state.to_move == away and told.left_ms(away) is not None
    bot = "bot_away_clock" if running else "bot_away"
    case = "person_away" if told.state.setup.seats[away].kind == "human" else bot
    return status_line(case, o=told.name(away), time=until(told.signals.now_ms + back, minutes(back)))


def _turn(told: Told) -> Status:
    state, seat = told.state, told.seat
    mover = state.position.to_move
    if mover is None:
        return Status("", SafeString())
    if told.both:
        return _turn_of_two(told, mover)
    if seat is None:
        return status_line("watching", c=colour(mover), o=told.name(mover))
    if mover != seat:
        timed = "bot_thinking" if told.left_ms(mover) is not None else "bot_thinking_untimed"
        if state.setup.seats[mover].kind == "human":
            timed = "thinking_timed" if told.left_ms(mover) is not None else "thinking"
        case = timed
        began = _turn_began(told, mover)
        return status_line(case, o=told.name(mover), since=began, time=since(began))
    if not state.recent:
        return status_line("your_first")
    _, last_seat, last = state.recent[-1]
    if last_seat == seat:
        return status_line("your_again")
    return status_line("your_turn", o=told.name(last_seat), m=artist(told.game).named(last))


def _turn_of_two(told: Told, mover: int) -> Status:
    """Two at one screen are named by their colours."""
    if not told.state.recent:
        return status_line("first_of_two", o=told.name(mover))
    _, last_seat, last = told.state.recent[-1]
    move = artist(told.game).named(last)
    return status_line("turn_of_two", o=told.name(mover), p=told.name(last_seat), m=move)


def _turn_began(told: Told, mover: int) -> int:
    """When the running turn began, in Unix milliseconds; without a clock, now."""
    return told.signals.now_ms - ((told.state.allowed_ms or 0) - (told.lasts_ms(mover) or 0))


# -- what is read aloud ------------------------------------------------------------------------------------------------


def say(told: Told, seat: int, move: str, note: str) -> str:
    """After the move of `seat`: `gravity-9 dropped in column 6, row 3. Your turn, 1 minute 31.`"""
    draws = artist(told.game)
    sentence = draws.spoken(move, note, "" if seat == told.seat else told.name(seat))
    mover = told.state.to_move
    if mover is None or mover != told.seat:
        return sentence
    asked = draws.asked(told.state.position)
    sentence = f"{sentence} {asked}" if asked else sentence
    left = told.left_ms(mover)
    if left is None:
        return f"{sentence} {gettext('Your turn.')}"
    return f"{sentence} {gettext('Your turn, {time}.').format(time=minutes_spoken(left))}"


# -- the end -----------------------------------------------------------------------------------------------------------


def card(told: Told, notes: tuple[str, ...] = ()) -> ResultCard | None:
    """How it ended, for this reader; None while it runs. The last ruling counts or, without one, the ending."""
    ended = next((event for event in reversed(told.events) if event.kind == "ended"), None)
    if ended is None:
        return None
    ruled = next((event for event in reversed(told.events) if event.kind == "ruled"), None)
    ending, said = _ruled(ruled) if ruled is not None else (_ending(told, ended), "")
    names = told.name(0), told.name(1)
    if ending.termination == "normal":
        said = artist(told.game).finish(told.state.position, ending.reason)
    if not notes and not told.both and not told.state.setup.rated and ending.termination not in UNCOUNTED:
        notes = (gettext(FRIENDLY),)
    if told.series is not None:
        shown = isolated(names[0]), isolated(names[1])
        notes = (*notes, score_words(told.series.rounds, told.series.over, shown, told.seat))
    card = result(ending, names, told.seat, said, tuple(filter(None, notes)))
    won = told.both and card.tone == "over" and ending.winner is not None
    return card._replace(tone="won") if won else card  # one of the two who read it


def next_round(told: Told) -> Status | None:
    """`Round 2 of 4 starts in 0:05. Colours swap: gravity-9 moves first.`; None if no round is awaited."""
    series = told.series
    if series is None or not series.next_round:
        return None
    setup = told.state.setup
    same = series.next_round == setup.round
    time = until(told.signals.now_ms + series.next_ms, minutes(series.next_ms))
    case = ("break_again" if same else "break") + ("_yours" if series.next_first == told.seat else "")
    facts = {"round": series.next_round, "rounds": setup.rounds, "o": told.name(series.next_first)}
    return status_line(case, time=time, **facts)


def _ending(told: Told, ended: LogEvent) -> Ending:
    data = ended.data
    received, expected, move = (str(data.get(name, "")) for name in ("received", "expected", "move"))
    last = told.state.recent[-1][2] if told.state.recent else ""
    meant = artist(told.game).named(move) if move else ""
    return Ending(data["winner"], data["termination"], data["reason"], ended.actor, received, expected, last, meant)


def _ruled(ruled: LogEvent) -> tuple[Ending, str]:
    """A ruling as an ending, and its sentence where an ending has none."""
    data, actor = ruled.data, ruled.actor
    reason = str(data.get("reason", ""))
    if data.get("verdict") == "void":
        void = gettext("Declared void by referee {actor}: “{reason}”.").format(actor=actor, reason=reason)
        return Ending(None, Termination.ADMIN_ABORT, reason), void
    winner = data.get("winner") if data.get("verdict") == "win" else None
    return Ending(winner, Termination.ADJUDICATED, reason, actor), ""
