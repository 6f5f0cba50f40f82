"""A match as told by its log, for the page of a match and for export: read from the database, without the host."""

from __future__ import annotations

import logging
from typing import Any

from arena.admin.wires import WAYS, both
from arena.common.logs import about
from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.match.evolve import line, replay
from arena.match.state import LogEvent
from arena.models import Event, Match
from arena.models.whole_logs import DamagedLog, log_of, logs_of
from arena.web.drawing import artist
from arena.web.match.analysis import told
from arena.work import analyses
from games import variant
from games.game import Position

log = logging.getLogger("arena.admin")

MOST_EVENTS = 500


def live_of(match: Match) -> LiveMatch | None:
    """The match that its log adds up to; None if there is no complete log."""
    return _live(match, _events(match))


def lives_of(matches: list[Match]) -> dict[str, LiveMatch]:
    """Those of these matches that have a complete log, by their numbers, in one query if all logs can be read."""
    try:
        logs = dict(logs_of(Event.objects.filter(match__in=matches)))
    except DamagedLog:
        logs = {match.pk: _events(match) for match in matches}
    lives = ((match, _live(match, logs.get(match.pk, []))) for match in matches)
    return {match.pk: live for match, live in lives if live is not None}


def _events(match: Match) -> list[LogEvent]:
    """The log, as far as it can be read."""
    try:
        return log_of(match.pk)
    except DamagedLog as why:
        log.error("%s", why, extra=about(match.pk))
        return []


def _live(match: Match, events: list[LogEvent]) -> LiveMatch | None:
    try:
        live = LiveMatch(match.pk, replay(events), events)
    except (LookupError, ValueError):
        return None  # of a game that is no longer there, or not a log
    live.room_code = match.room.shown_code if match.room else ""
    return live


def shown(match: Match, wires: bool, ply: str = "", way: str = "") -> dict[str, Any]:
    """The log on the page of a match: the board at `ply` ("" for the newest), the newest events and, with `wires`, both
    wires in one of `WAYS`.
    """
    events = _events(match)
    listed = {"reads_wires": wires, "events": events[-MOST_EVENTS:], "more_events": max(0, len(events) - MOST_EVENTS)}
    live = _live(match, events)
    if live is None:
        return {"unreadable": True, **listed}
    live.facts.analysis = analyses.read(match.pk, events) if live.over else None
    setup, way = live.state.setup, way if way in WAYS else "move"
    at, position = _position(live, events, ply)
    last = live.state.position.ply
    return {
        "live": live,
        "seats": setup.seats,
        "picture": artist(variant(setup.variant).game).mini(position),
        "position": str(position),
        "ply": at,
        "plies": {"first": 0, "before": max(0, at - 1), "after": min(last, at + 1), "last": last},
        "wires": both(live, way) if wires else [],
        "ways": [(each, words, each == way) for each, words in WAYS.items()],
        "analysis": told(live),
        **listed,
    }


def _position(live: LiveMatch, events: list[LogEvent], asked: str) -> tuple[int, Position]:
    """The position, and the number of the move that led to it."""
    last = live.state.position
    ply = whole_number(asked, most=last.ply - 1)
    return (last.ply, last) if ply is None else (ply, line(events)[ply][0])
