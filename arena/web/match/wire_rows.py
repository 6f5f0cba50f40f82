"""The rows of a wire: from the stored JSON lines to what people read, line by line, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from arena.core.hub import LiveMatch

LONGEST_TEXT = 400

# A line with its visible end, or what is left without one.
_LINE = re.compile(r"((?:[^\\]|\\(?!r\\n|n).)*)(\\r\\n|\\n|\Z)", re.DOTALL)
_SHAPES: dict[str, tuple[str, str | Promise]] = {
    "in": ("▲", _("from the bot")),
    "out": ("▼", _("to the bot")),
    "err": ("!", "stderr"),
}


class WireRow(NamedTuple):
    """One line of a wire. `latency` is how long the bot took, "" unless this is its first line after one from us.

    `n` counts from 1. `end` is the visible end of the line, "" if it has none; `rest` is the part that is too long to
    be shown at once. `ply` is the move that it answers, `of` the move that was being played.
    """

    time: str
    kind: str
    shape: str
    words: str | Promise
    text: str
    rest: str
    end: str
    latency: str
    ply: int | None
    n: int = 0
    of: int = 0


class Reading:
    """Reads a wire from its beginning, in any number of pieces: each row depends on those before it."""

    def __init__(self) -> None:
        self.count = 0
        self._asked: float | None = None

    def rows(self, messages: Iterable[str]) -> Iterator[WireRow]:
        """One row for each line, the bot's or ours; a message may hold several lines, or only a part of one."""
        for message in messages:
            said = json.loads(message)
            t, direction = said["t"], said["dir"]
            first = direction == "in" and self._asked is not None
            latency = latency_words(t - (self._asked or 0.0)) if first else ""
            answers = said["ply"] if first else None
            for n, (text, end) in enumerate(_lines(said["data"])):
                self.count += 1
                row = _row(t, direction, text, end, latency if n == 0 else "", answers if n == 0 else None)
                yield row._replace(n=self.count, of=said["ply"])
            if direction != "err":
                self._asked = t if direction == "out" else None


def rows_of(messages: Iterable[str]) -> Iterator[WireRow]:
    return Reading().rows(messages)


def wire_text(live: LiveMatch, seat: int, every: Iterable[WireRow]) -> str:
    """The same for people: time, direction, text with its visible end, latency, move."""
    name, protocol = live.state.setup.seats[seat].name, live.state.setup.seats[seat].protocol
    head = f"Wire of {name} ({protocol}), seat {seat} of match {live.id}. ▲ from the bot, ▼ to the bot, ! its stderr."
    lines = [
        f"{row.time}  {row.shape}  {row.text}{row.rest}{row.end or ' (no line end)'}{_beside(row)}" for row in every
    ]
    return "\n".join([head, "", *lines, ""])


def _beside(row: WireRow) -> str:
    latency = f"  [{row.latency}]" if row.latency else ""
    return latency + (f"  move {row.ply}" if row.ply else "")


def _lines(data: str) -> Iterator[tuple[str, str]]:
    for found in _LINE.finditer(data):
        if found[0]:
            yield found[1], found[2]


def _row(t: float, direction: str, text: str, end: str, latency: str, ply: int | None) -> WireRow:
    shape, words = _SHAPES[direction]
    kind = "err" if direction == "err" or text.startswith("Error ") and direction == "out" else direction
    said = text[:LONGEST_TEXT], text[LONGEST_TEXT:], end
    return WireRow(time_words(t), kind, shape, words, *said, latency, ply or None)


def time_words(t: float) -> str:
    """Minutes, seconds and milliseconds; negative before the match."""
    ms = round(abs(t) * 1000)
    return f"{'-' if t < 0 and ms else ''}{ms // 60_000:02}:{ms // 1000 % 60:02}.{ms % 1000:03}"


def latency_words(seconds: float) -> str:
    ms = max(0.0, seconds * 1000)
    return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms" if ms < 10_000 else f"{ms / 1000:.1f} s"
