"""A match's log for export: the JSON of `/m/<id>/log.json` and of `manage.py match --json`."""

from __future__ import annotations

from arena.match.endings import Termination, result
from arena.match.evolve import standing
from arena.match.state import LogEvent
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Any

    from arena.match.state import MatchState, SeatSetup


def to_json(match: str, state: MatchState, events: Sequence[LogEvent], room: str | None = None) -> dict[str, Any]:
    """The whole match as JSON values. `winner` is None for a draw and without a result; `room` is the room's code.

    `result` is `*` while the match runs and if it does not count. A ruling is added and leaves the ending unchanged.
    `opening` is how many of the first moves no player chose, if there are such.
    """
    setup = state.setup
    return (
        {
            "id": match,
            "variant": setup.variant,
            "settings": dict(setup.settings),
            "room": room or None,
            "round": setup.round,
            "rated": setup.rated,
            "clock": setup.clock,
            "seats": [_seat(seat) for seat in setup.seats],
            "moves": [_move(event) for event in standing(events)],
            "winner": state.winner,
            "result": result(state.winner, state.termination),
            "termination": state.termination,
            "reason": state.reason,
            "position": str(state.position),
        }
        | ({"opening": opening} if (opening := len(setup.opening.split())) else {})
        | _offers(events)
        | _hints(events)
        | _blame(events)
        | _ruling(events)
        | ({"played_on": dict(setup.played_on)} if setup.played_on else {})
    )


def to_rows(events: Sequence[LogEvent]) -> list[list[Any]]:
    """A whole log as JSON values, one list of column values per event; the inverse of `from_rows`."""
    return [[event.seq, event.at.isoformat(), *event[2:-1], dict(event.data)] for event in events]


def from_rows(rows: Sequence[Sequence[Any]]) -> tuple[LogEvent, ...]:
    """The log that `to_rows` was given. Raises TypeError, ValueError or LookupError for invalid rows."""
    from datetime import datetime

    return tuple(LogEvent(row[0], datetime.fromisoformat(row[1]), *row[2:]) for row in rows)


def timestamp(at: datetime) -> str:
    """`2026-01-31T12:00:00.123Z`"""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seat(seat: SeatSetup) -> dict[str, Any]:
    return {"name": seat.name, "kind": seat.kind, "protocol": seat.protocol or None}


def _move(event: LogEvent) -> dict[str, Any]:
    return {
        "ply": event.ply,
        "seat": event.seat,
        "move": event.move,
        "elapsed_ms": event.elapsed_ms,
        "at": timestamp(event.at),
    }


def _offers(events: Sequence[LogEvent]) -> dict[str, Any]:
    """Offers and their outcomes, if there were any; a takeback lists the moves it took back."""
    offers: list[dict[str, Any]] = []
    for n, event in enumerate(events):
        if event.kind == "offered":
            said = {"seat": event.seat, "what": event.data["what"], "ply": event.ply, "at": timestamp(event.at)}
            offers.append(said | {"answer": None})
        elif offers and offers[-1]["answer"] is None and (answer := _ANSWERS.get(event.kind)):
            agreed = event.kind == "ended" and event.data["termination"] == Termination.AGREEMENT
            offers[-1]["answer"] = "accepted" if agreed else answer
        if event.kind == "takeback":
            gone = [move for move in standing(events[:n]) if (move.ply or 0) > (event.ply or 0)]
            offers[-1]["moves"] = [_move(move) for move in gone]
    return {"offers": offers} if offers else {}


def _hints(events: Sequence[LogEvent]) -> dict[str, Any]:
    """The hints given, if any; `ply` is that of the position the hint was asked for."""
    hints = [
        {"seat": event.seat, "ply": event.ply, "move": event.data["move"], "at": timestamp(event.at)}
        for event in events
        if event.kind == "hint"
    ]
    return {"hints": hints} if hints else {}


_ANSWERS = {
    "declined": "declined",
    "withdrew": "withdrawn",
    "takeback": "accepted",
    "move": "expired",
    "ended": "expired",
}


def _blame(events: Sequence[LogEvent]) -> dict[str, Any]:
    """What the side that broke the rules sent and what was expected, if the match ended that way."""
    ended = next((event for event in events if event.kind == "ended"), None)
    said = ended.data if ended else {}
    fault = {name: said[name] for name in ("received", "expected") if said.get(name)}
    return {"fault": {"seat": ended.seat, **fault}} if ended and fault else {}


def _ruling(events: Sequence[LogEvent]) -> dict[str, Any]:
    """The last ruling of staff on the result, if there is one."""
    said = next((event for event in reversed(events) if event.kind == "ruled"), None)
    names = ("verdict", "winner", "reason")
    return {"ruling": {name: said.data.get(name) for name in names} | {"at": timestamp(said.at)}} if said else {}
