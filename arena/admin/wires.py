"""Both wires of a match side by side, by moves. A person has no wire: their side is what the log says they did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from arena.bots.session.wire_store import stored_wire
from arena.core.hub import LiveMatch
from arena.match.state import LogEvent
from arena.rooms.rematch import REMATCH
from arena.web.match.wire_panel import MOST_ROWS
from arena.web.match.wire_rows import Reading, WireRow, latency_words, time_words

# Ways of showing them, in `?wires=`.
WAYS = {"move": "By move", "time": "By time", "errors": "Errors"}


class WireLine(NamedTuple):
    """A line on side 0 or 1: `t` in seconds since the start of the match; `kind` is in, out or err."""

    t: float
    of: int
    side: int
    time: str
    kind: str
    shape: str
    text: str
    end: str


class WireGroup(NamedTuple):
    """The lines during a move: its number, its player and how long it took; number 0 before the first."""

    ply: int
    seat: int | None
    move: str
    took: str
    lines: list[WireLine]

    @property
    def before(self) -> int:
        """The last move before it."""
        return self.ply - 1


def both(live: LiveMatch, way: str) -> list[WireGroup]:
    """The newest lines of both sides. Reads two wires."""
    every = sorted((line for side in (0, 1) for line in _side(live, side)), key=lambda line: line.t)
    if way == "errors":
        every = [line for line in every if line.kind == "err"]
    every = every[-MOST_ROWS:]
    if way == "time":
        return [WireGroup(0, None, "", "", every)] if every else []
    moves = {event.ply: event for event in live.events if event.kind == "move"}
    by_ply = sorted(every, key=lambda line: line.of)  # stable, so lines of one move keep their order
    return [_group(ply, moves.get(ply), list(lines)) for ply, lines in groupby(by_ply, lambda line: line.of)]


def _group(ply: int, move: LogEvent | None, lines: list[WireLine]) -> WireGroup:
    if move is None:
        return WireGroup(ply, None, "", "", lines)
    return WireGroup(ply, move.seat, move.move, latency_words((move.elapsed_ms or 0) / 1000), lines)


def _side(live: LiveMatch, side: int) -> Iterator[WireLine]:
    jsonl = stored_wire(live.id, side)
    return _of_wire(jsonl.splitlines(), side) if jsonl else _of_log(live, side)


def _of_wire(messages: Iterable[str], side: int) -> Iterator[WireLine]:
    reading = Reading()
    for message in messages:
        t = float(json.loads(message)["t"])
        for row in reading.rows([message]):
            yield _line(t, side, row)


def _line(t: float, side: int, row: WireRow) -> WireLine:
    return WireLine(t, row.of, side, row.time, row.kind, row.shape, f"{row.text}{row.rest}"[:400], row.end)


def _of_log(live: LiveMatch, side: int) -> Iterator[WireLine]:
    """Moves, offers and answers of a person, a line each, from the log; those of a rematch come after the last move."""
    began = next((event.at for event in live.events if event.kind == "started"), None)
    reached = 0
    for event in live.events:
        reached = reached if event.ply is None else event.ply
        if event.seat != side or began is None or event.kind in ("opened", "ended", "ruled"):
            continue
        t = (event.at - began).total_seconds()
        of = reached if event.kind == "move" else reached + 1
        yield WireLine(t, of, side, time_words(t), "in", "▲", _said(event), "")


def _said(event: LogEvent) -> str:
    if event.kind == "note":
        return f"rematch {event.data[REMATCH]}" if REMATCH in event.data else "failure"
    return f"{event.kind} {event.move or event.data.get('what', '')}".strip()
