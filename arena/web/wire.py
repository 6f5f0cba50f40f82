"""What went over a bot's connection, for those who may read it: JSON lines, text for people, rows on the match page."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from arena.host import Host
from arena.hub import Live
from arena.match.commands import Refusal
from arena.models import Bot
from arena.web.matches import live_of, wired_seats
from arena.web.views import view

MOST_ROWS = 300
LONGEST_TEXT = 400
# htmx shows such an answer and asks no more.
NO_MORE = 286

# A line with its visible end, or what is left without one.
_LINE = re.compile(r"((?:[^\\]|\\(?!r\\n|n).)*)(\\r\\n|\\n|\Z)", re.DOTALL)
_SHAPES = {"in": ("▲", "from the bot"), "out": ("▼", "to the bot"), "err": ("!", "stderr")}


class Row(NamedTuple):
    """One line of a wire. `latency` is how long the bot took, "" unless this is the first after something it was sent.

    `end` is the visible end of the line, "" where it has none; `rest` is what is too long to be shown at once.
    """

    time: str
    kind: str
    shape: str
    words: str
    text: str
    rest: str
    end: str
    latency: str
    ply: int | None


@view("GET")
async def as_jsonl(request: HttpRequest, host: Host, match: str, seat: int) -> HttpResponse:
    live = await _readable(request, host, match, seat)
    return _download(await host.wires.read(live, seat), "application/jsonl", f"arena-{live.id}-s{seat}.jsonl")


@view("GET")
async def as_text(request: HttpRequest, host: Host, match: str, seat: int) -> HttpResponse:
    live = await _readable(request, host, match, seat)
    jsonl = await host.wires.read(live, seat)
    text = await asyncio.to_thread(lambda: wire_text(live, seat, rows_of(jsonl.splitlines())))
    return _download(text, "text/plain", f"arena-{live.id}-s{seat}.txt")


@view("GET")
async def rows(request: HttpRequest, host: Host, match: str, seat: int) -> HttpResponse:
    """The newest rows as a part of the match page; where they are private, a sentence that says so."""
    context: dict[str, Any] = {"seat": seat, "address": f"/m/{match}/wire/{seat}"}
    try:
        live = await _readable(request, host, match, seat)
    except Refusal as refusal:
        return render(request, "arena/fragments/wire.html", context | {"private": refusal.sentence})
    jsonl = await host.wires.read(live, seat)
    name, plies = live.state.setup.seats[seat].name, live.state.position.ply
    context |= {"live": not live.over, "name": name, "match": live.id, "plies": plies}
    shown = await asyncio.to_thread(lambda: _rendered(jsonl, context))
    return HttpResponse(shown, status=NO_MORE if live.over and request.htmx else 200)


def rows_of(messages: Iterable[str]) -> Iterator[Row]:
    """One row a line of the bot's or ours; a message may hold several, or none whole."""
    asked: float | None = None
    ply = 0
    for message in messages:
        said = json.loads(message)
        t, direction = said["t"], said["dir"]
        latency = _latency(t - asked) if direction == "in" and asked is not None else ""
        answers = said["ply"] if direction == "in" and said["ply"] != ply else None
        for n, (text, end) in enumerate(_lines(said["data"])):
            first = n == 0
            yield _row(t, direction, text, end, latency if first else "", answers if first else None)
        if direction != "err":
            asked = t if direction == "out" else None
        ply = said["ply"] if direction == "in" else ply


def wire_text(live: Live, seat: int, every: Iterable[Row]) -> str:
    """The same for people: time, direction, text with its visible end, latency, move."""
    name, protocol = live.state.setup.seats[seat].name, live.state.setup.seats[seat].protocol
    head = f"Wire of {name} ({protocol}), seat {seat} of match {live.id}. ▲ from the bot, ▼ to the bot, ! its stderr."
    lines = [
        f"{row.time}  {row.shape}  {row.text}{row.rest}{row.end or ' (no line end)'}{_beside(row)}" for row in every
    ]
    return "\n".join([head, "", *lines, ""])


def _rendered(jsonl: str, context: dict[str, Any]) -> str:
    """In a thread: a full page of rows takes longer than the loop can wait."""
    messages = jsonl.splitlines()
    newest = _newest(messages)
    every = list(rows_of(newest))
    earlier = len(newest) < len(messages) or len(every) > MOST_ROWS
    shown = {"rows": every[-MOST_ROWS:], "earlier": earlier}
    return render_to_string("arena/fragments/wire.html", context | shown)


def _newest(messages: list[str]) -> list[str]:
    """As many of the last ones as hold `MOST_ROWS` rows."""
    start, rows = len(messages), 0
    while start and rows < MOST_ROWS:
        start -= 1
        rows += messages[start].count("\\\\n") or 1
    return messages[start:]


def _beside(row: Row) -> str:
    latency = f"  [{row.latency}]" if row.latency else ""
    return latency + (f"  move {row.ply}" if row.ply else "")


async def _readable(request: HttpRequest, host: Host, match: str, seat: int) -> Live:
    """The match. Raises Http404 where it has no such wire, Refusal where this visitor may not read it (yet)."""
    live, _ = await live_of(request, host, match)
    if seat not in (number for number, _, _ in wired_seats(live)):
        raise Http404("There is no such wire: only bots that come over a connection have one.")
    if not await _may_read(request, live, seat):
        raise Refusal("private", await _private(live, seat))
    return live


async def _may_read(request: HttpRequest, live: Live, seat: int) -> bool:
    """Staff and the bot's owner always; others as the owner has said, and of a bot without one after the end."""
    user = await request.auser()
    if user.is_active and user.is_staff:
        return True
    bot = await _bot(live, seat)
    if bot is None:
        return live.over
    owns = bot.owner_id is not None and bot.owner_id == user.pk
    return owns or bot.wire == Bot.Wire.PUBLIC or (bot.wire == Bot.Wire.AFTER and live.over)


async def _private(live: Live, seat: int) -> str:
    name = live.state.setup.seats[seat].name
    bot = await _bot(live, seat)
    if bot is not None and bot.wire == Bot.Wire.OWNER:
        return f"The wire of {name} is private: its owner has not shared it."
    return f"The wire of {name} is private until the match ends."


async def _bot(live: Live, seat: int) -> Bot | None:
    player = live.state.setup.seats[seat].player
    return None if player is None else await Bot.objects.filter(pk=player).afirst()


def _download(text: str, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


def _lines(data: str) -> Iterator[tuple[str, str]]:
    for found in _LINE.finditer(data):
        if found[0]:
            yield found[1], found[2]


def _row(t: float, direction: str, text: str, end: str, latency: str, ply: int | None) -> Row:
    shape, words = _SHAPES[direction]
    kind = "err" if direction == "err" or text.startswith("Error ") and direction == "out" else direction
    return Row(_time(t), kind, shape, words, text[:LONGEST_TEXT], text[LONGEST_TEXT:], end, latency, ply or None)


def _time(t: float) -> str:
    """Minutes, seconds and milliseconds; what was said before the match has a minus."""
    ms = round(abs(t) * 1000)
    return f"{'-' if t < 0 and ms else ''}{ms // 60_000:02}:{ms // 1000 % 60:02}.{ms % 1000:03}"


def _latency(seconds: float) -> str:
    ms = max(0.0, seconds * 1000)
    return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms" if ms < 10_000 else f"{ms / 1000:.1f} s"
