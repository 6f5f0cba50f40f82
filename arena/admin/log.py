"""A match as its log has it, for the page of a match and for export: read from the database, without the host."""

from __future__ import annotations

from typing import Any

from arena.core.hub import LiveMatch
from arena.match.evolve import replay
from arena.match.state import LogEvent
from arena.models import Event, Match, WireChunk
from arena.web.drawing import artist
from arena.web.match.analysis import told
from arena.web.match.wire_rows import rows_of, wire_text
from arena.work import analyses
from games import variant

MOST_EVENTS = 500
MOST_WIRE_ROWS = 300


def live_of(match: Match) -> LiveMatch | None:
    """The match that its log adds up to; None where there is no whole log."""
    return _live(match, _events(match))


def _events(match: Match) -> list[LogEvent]:
    rows = Event.objects.filter(match=match).order_by("seq").values_list(*LogEvent._fields)
    return [LogEvent._make(row) for row in rows]


def _live(match: Match, events: list[LogEvent]) -> LiveMatch | None:
    try:
        live = LiveMatch(match.pk, replay(events), events)
    except (LookupError, ValueError):
        return None  # of a game that is no longer there, or not a log
    live.room_code = match.room.shown_code if match.room else ""
    return live


def shown(match: Match, wires: bool) -> dict[str, Any]:
    """What the page of a match shows of its log: the board, the newest events, with `wires` what went over both."""
    events = _events(match)
    listed = {"reads_wires": wires, "events": events[-MOST_EVENTS:], "more_events": max(0, len(events) - MOST_EVENTS)}
    live = _live(match, events)
    if live is None:
        return {"unreadable": True, **listed}
    live.facts.analysis = analyses.read(match.pk, events) if live.over else None
    setup, position = live.state.setup, live.state.position
    read = [(seat.name, wire) for number, seat in enumerate(setup.seats) if wires and (wire := _wire(live, number))]
    return {
        "live": live,
        "seats": setup.seats,
        "picture": artist(variant(setup.variant).game).mini(position),
        "position": str(position),
        "wires": read,
        "analysis": told(live),
        **listed,
    }


def _wire(live: LiveMatch, seat: int) -> str:
    chunks = (
        WireChunk.objects.filter(seat__match=live.id, seat__seat=seat).order_by("n").values_list("jsonl", flat=True)
    )
    rows = list(rows_of("".join(chunks).splitlines()))
    return wire_text(live, seat, rows[-MOST_WIRE_ROWS:]) if rows else ""
