"""The matches of a series or room, as a list with a link to each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.endings import result, ruled_as
from arena.match.series import Score, side_of
from arena.match.state import SeatSetup
from arena.models import Match
from arena.rooms.room_rows import standing
from arena.web.match.followed import FollowedMatch
from arena.web.match.sentences import Series
from arena.web.people.records import reason_words, told_with
from arena.web.tongue import gettext
from arena.web.words import seat_name

NO_BREAK_HYPHEN = "\u2011"
# The rounds of a series are counted in thousands, if two programs play it.
MOST_ROUNDS = 200


def has_list(live: LiveMatch) -> bool:
    """Whether its page lists rounds: matches without a room belong to no list."""
    return live.state.setup.room is not None and live.state.setup.rounds > 1


async def rounds_of(live: LiveMatch) -> list[dict[str, Any]]:
    """The newest matches of this match's series, oldest first; none if there is only one round."""
    if not has_list(live):
        return []
    setup = live.state.setup
    series = Match.objects.filter(room=setup.room, series=setup.series).prefetch_related("seats", "rulings")
    newest = [each async for each in series.order_by("-opened")[:MOST_ROUNDS]]
    return [{**line_of(each), "current": each.pk == live.id} for each in reversed(newest)]


async def look_up(live: LiveMatch) -> None:
    """Look up how the series of an ended match stands: no room says so after a restart, or while the next is played."""
    setup = live.state.setup
    if live.over and setup.room is not None and 1 < setup.rounds <= MOST_ROUNDS:
        live.facts.series = series_of(live, *await standing(setup.room, setup.series))


def series_of(live: LiveMatch, score: Score, over: bool) -> Series:
    """The series as the seats of this match see it."""
    first, second = (score.seen_by(side_of(seat, live.state.setup.round)) for seat in (0, 1))
    return Series((first, second), over)


def rounds_in_memory(host: Host | None, live: LiveMatch) -> Sequence[dict[str, Any]]:
    """The same without words, and without asking the database, as far as they are in memory."""
    if not has_list(live):
        return ()
    if isinstance(live, FollowedMatch):
        return live.said.rounds
    assert host is not None, "a match of rows alone has its rounds there"
    setup = live.state.setup
    series = [
        other
        for other in host.hub.lives.values()
        if (other.state.setup.room, other.state.setup.series) == (setup.room, setup.series)
    ]
    return [_remembered(other, live) for other in sorted(series, key=lambda other: other.events[0].at)]


def are_all(lines: Sequence[dict[str, Any]]) -> bool:
    """Whether the list has a first round and leaves none out."""
    numbers = {line["round"] for line in lines}
    return bool(numbers) and numbers == set(range(1, max(numbers) + 1))


def _remembered(other: LiveMatch, live: LiveMatch) -> dict[str, Any]:
    state = other.state
    return {
        "match": other.id,
        "round": state.setup.round,
        "address": f"/m/{other.id}/",
        "current": other.id == live.id,
        "seats": [(seat.name, seat.kind, seat.level) for seat in state.setup.seats],
        "winner": state.winner,
        "termination": state.termination,
        "reason": state.reason,
    }


def said(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with their words, in the current language: the host sends them to a front without words."""
    return [{**line, "words": _remembered_words(line)} for line in lines]


def _remembered_words(line: dict[str, Any]) -> str:
    ended = _ended(line["winner"], line["termination"], line["reason"])
    if "seats" not in line:
        return ended  # a host of an earlier release does not say who played
    seats = [SeatSetup(name, kind, level=level) for name, kind, level in line["seats"]]
    first, second = (seat_name(who, seat) for seat, who in enumerate(seats))
    return _words(first, second, ended)


def line_of(match: Match) -> dict[str, Any]:
    """A match from its rows; a ruling by staff counts instead of the ending."""
    names = {seat.seat: seat_name(seat, seat.seat) for seat in match.seats.all()}
    reason = told_with(*(seat.name for seat in match.seats.all()), reason=match.reason)
    ended = _ended(match.winner, match.termination, reason)
    if ruling := max(match.rulings.all(), key=lambda each: each.n, default=None):
        ended = _scored(result(ruling.winner, ruled_as(ruling.verdict)), ruling.reason)
    words = _words(names.get(0, ""), names.get(1, ""), ended)
    address = match.get_absolute_url()
    return {"match": match.pk, "round": match.round, "address": address, "current": False, "words": words}


def _words(first: str, second: str, ended: str) -> str:
    """`Ada against Bob: 1-0, four in a row`: the one who moved first is named first."""
    return f"{gettext('{first} against {second}').format(first=first, second=second)}: {ended}"


def _ended(winner: int | None, termination: str | None, reason: str) -> str:
    if not termination:
        return gettext("running")
    return _scored(result(winner, termination), reason_words(termination, reason))


def _scored(score: str, why: str) -> str:
    """The star of logs for a match that does not count says nothing to people, and no line ends within a score."""
    return f"{gettext('not counted') if score == '*' else score.replace('-', NO_BREAK_HYPHEN)}, {why}"
