"""The log of a match as text: JSON for programs, lines for people."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import translation

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match import record
from arena.match.clock import Clock
from arena.match.endings import result, ruled_as
from arena.match.export import timestamp, to_json
from arena.match.returned import OPENING
from arena.match.state import LogEvent, SeatSetup
from arena.web.languages import USUAL
from arena.web.match import analysis
from arena.web.match.matches import live_of
from arena.web.match.offer_words import aside
from arena.web.match.stored import stored_head
from arena.web.views import view
from arena.web.words import COLOURS, clock_words
from games import variant


@view("GET", rows=True)
async def as_json(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    live, _ = await live_of(request, host, match)
    with translation.override(USUAL):
        said = log_json(live) | {"head": await stored_head(live)}
    return JsonResponse(said, json_dumps_params={"ensure_ascii": False})


@view("GET", rows=True)
async def as_record(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    live, _ = await live_of(request, host, match)
    text = "".join(record.lines(live.id, live.events))
    if not text:
        raise Http404("A match has a record once it is over.")
    response = HttpResponse(text, content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="arena-{live.id}.record.jsonl"'
    return response


@view("GET", rows=True)
async def as_text(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    live, _ = await live_of(request, host, match)
    with translation.override(USUAL):  # files are English for every reader
        text = log_text(live)
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="arena-{live.id}.txt"'
    return response


def log_json(live: LiveMatch) -> dict[str, Any]:
    """The JSON for programs; its names are promises."""
    return to_json(live.id, live.state, live.events, live.room_code) | analysis.to_json(live)


def log_text(live: LiveMatch) -> str:
    """The players, every move, and how it ended."""
    state, setup = live.state, live.state.setup
    head = [
        f"Match    {live.id}",
        f"Game     {variant(setup.variant).title}" + "".join(f", {k} {v}" for k, v in sorted(setup.settings.items())),
        f"Round    {setup.round} of {setup.rounds}" + (f" in room {live.room_code}" if live.room_code else ""),
        f"Opened   {timestamp(live.events[0].at)}",
        f"Clock    {_clock(state.clock)}",
        *(f"{COLOURS[seat]:8} {_who(setup.seats[seat])}" for seat in (0, 1)),
        "",
    ]
    names = setup.seats[0].name, setup.seats[1].name
    moves = [line for event in live.events if (line := _line(event, names))]
    ruled = [_ruled(event, names) for event in live.events if event.kind == "ruled"]
    return "\n".join([*head, *moves, "", _ending(live), *ruled, str(state.position), ""])


def _clock(clock: Clock) -> str:
    return clock_words(clock) or "none"


def _who(seat: SeatSetup) -> str:
    kind = {"human": "person", "builtin": "built in", "bot": f"bot, {seat.protocol}"}[seat.kind]
    return f"{seat.name} ({kind})"


def _line(event: LogEvent, names: tuple[str, str]) -> str:
    """A move, even one that was taken back later, or what became of an offer; "" for anything else."""
    if event.kind != "move":
        words = aside(event, names)
        return f"      {words}" if words else ""
    took = "opening" if event.actor == OPENING else f"{(event.elapsed_ms or 0) / 1000:8.3f} s"
    return f"{event.ply:4}  {COLOURS[event.seat or 0]:6}  {event.move:12}  {took}"


def _ruled(event: LogEvent, names: tuple[str, str]) -> str:
    """What staff decided after the end, which counts instead of it."""
    said = event.data
    won = "" if said["winner"] is None else f", {names[said['winner']]} won"
    return f"{result(said['winner'], ruled_as(said['verdict']))}  ruling: {said['reason']}{won}"


def _ending(live: LiveMatch) -> str:
    state = live.state
    if state.termination is None:
        return "*  still running"
    won = "" if state.winner is None else f", {state.setup.seats[state.winner].name} won"
    return f"{result(state.winner, state.termination)}  {state.termination}: {state.reason}{won}"
