"""The log of a match as text: JSON for programs, lines for people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from arena.host import Host
from arena.hub import Live
from arena.match.clock import Clock
from arena.match.endings import result
from arena.match.state import Event, SeatSetup
from arena.web.matches import clock_words, live_of
from arena.web.scene import COLOURS
from arena.web.views import view
from games import variant


@view("GET")
async def as_json(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, _ = await live_of(request, host, match)
    return JsonResponse(log_json(live), json_dumps_params={"ensure_ascii": False})


@view("GET")
async def as_text(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, _ = await live_of(request, host, match)
    response = HttpResponse(log_text(live), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="arena-{live.id}.txt"'
    return response


def log_json(live: Live) -> dict[str, Any]:
    """What programs read; the names in it are promises. `result` is `*` while running and where nothing counts."""
    state = live.state
    setup = state.setup
    said = {
        "id": live.id,
        "variant": setup.variant,
        "settings": dict(setup.settings),
        "room": live.room_code or None,
        "round": setup.round,
        "rated": setup.rated,
        "seats": [_seat(seat) for seat in setup.seats],
        "moves": [_move(event) for event in live.events if event.kind == "move"],
        "winner": state.winner,
        "result": result(state.winner, state.termination),
        "termination": state.termination,
        "reason": state.reason,
        "position": str(state.position),
    }
    rulings = [event for event in live.events if event.kind == "ruled"]
    return said | ({"ruling": _ruling(rulings[-1])} if rulings else {})


def log_text(live: Live) -> str:
    """Who played what, move by move, and how it ended."""
    state, setup = live.state, live.state.setup
    head = [
        f"Match    {live.id}",
        f"Game     {variant(setup.variant).title}" + "".join(f", {k} {v}" for k, v in sorted(setup.settings.items())),
        f"Round    {setup.round} of {setup.rounds}" + (f" in room {live.room_code}" if live.room_code else ""),
        f"Opened   {_at(live.events[0].at)}",
        f"Clock    {_clock(state.clock)}",
        *(f"{COLOURS[seat]:8} {_who(setup.seats[seat])}" for seat in (0, 1)),
        "",
    ]
    moves = [_line(event) for event in live.events if event.kind == "move"]
    return "\n".join([*head, *moves, "", _ending(live), str(state.position), ""])


def _seat(seat: SeatSetup) -> dict[str, Any]:
    return {"name": seat.name, "kind": seat.kind, "protocol": seat.protocol or None}


def _move(event: Event) -> dict[str, Any]:
    return {
        "ply": event.ply,
        "seat": event.seat,
        "move": event.move,
        "elapsed_ms": event.elapsed_ms,
        "at": _at(event.at),
    }


def _ruling(event: Event) -> dict[str, Any]:
    return {name: event.data.get(name) for name in ("verdict", "winner", "reason")} | {"at": _at(event.at)}


def _at(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _clock(clock: Clock) -> str:
    return clock_words(clock) or "none"


def _who(seat: SeatSetup) -> str:
    kind = {"human": "person", "builtin": "built in", "bot": f"bot, {seat.protocol}"}[seat.kind]
    return f"{seat.name} ({kind})"


def _line(event: Event) -> str:
    return f"{event.ply:4}  {COLOURS[event.seat or 0]:6}  {event.move:12}  {(event.elapsed_ms or 0) / 1000:8.3f} s"


def _ending(live: Live) -> str:
    state = live.state
    if state.termination is None:
        return "*  still running"
    won = "" if state.winner is None else f", {state.setup.seats[state.winner].name} won"
    return f"{result(state.winner, state.termination)}  {state.termination}: {state.reason}{won}"
