"""The last hour as small graphs: the rows of `Minute` as SVG paths that a template draws."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from arena.models import Minute

MINUTES = 60
# The area of the lines, in units of the drawing.
LEFT, RIGHT, TOP, BOTTOM = 30.0, 326.0, 8.0, 53.0


class HourGraph(NamedTuple):
    """`says` is the newest value in words, `label` describes the graph to the blind; paths are "" without values."""

    title: str
    says: str
    label: str
    median: str
    p99: str
    most: str
    half: str
    times: tuple[str, str, str]


class _Row(NamedTuple):
    title: str
    unit: str
    scale: float
    median: str
    p99: str


_ROWS = (
    _Row("Move commit", "ms", 1e-3, "commit_median_us", "commit_p99_us"),
    _Row("Bot thinking", "s", 1e-3, "think_median_ms", "think_p99_ms"),
    _Row("Moves a minute", "", 1.0, "moves", ""),
)


def graphs(minutes: Sequence[Minute], now: datetime) -> list[HourGraph]:
    """One graph for each of commits, thinking and moves, of the hour before `now`; `minutes` in any order."""
    end = now.replace(second=0, microsecond=0)
    found = {minute.at: minute for minute in minutes}
    hour = [found.get(end - timedelta(minutes=MINUTES - 1 - n)) for n in range(MINUTES)]
    halfway = end - timedelta(minutes=MINUTES // 2)
    times = (f"{end - timedelta(hours=1):%H:%M}", f"{halfway:%H:%M}", f"{end:%H:%M}")
    return [_graph(row, hour, times) for row in _ROWS]


def _graph(row: _Row, hour: Sequence[Minute | None], times: tuple[str, str, str]) -> HourGraph:
    median, p99 = _values(row.median, row.scale, hour), _values(row.p99, row.scale, hour)
    known = [value for value in (*median, *p99) if value is not None]
    most = _round_up(max(known, default=0) or 1)
    last = next((n for n in reversed(range(len(hour))) if median[n] is not None), None)
    if last is None:
        says, label = "none", f"{row.title}: nothing in the last hour"
    else:
        now, high = median[last], p99[last]
        unit = f" {row.unit}" if row.unit else ""
        says = f"{_number(now)}{unit}" + (f" · {_number(high)}{unit}" if row.p99 else f" · peak {_number(max(known))}")
        parts = f"median {_number(now)}{unit}, p99 {_number(high)}{unit}" if row.p99 else f"{_number(now)} at the end"
        label = f"{row.title}, last hour: {parts}, at most {_number(max(known))}{unit}"
    return HourGraph(
        row.title, says, label, _path(median, most), _path(p99, most), _number(most), _number(most / 2), times
    )


def _values(name: str, scale: float, hour: Sequence[Minute | None]) -> list[float | None]:
    raw = [getattr(minute, name, None) if name else None for minute in hour]
    return [None if value is None else value * scale for value in raw]


def _path(values: Sequence[float | None], most: float) -> str:
    """A line through the known values, interrupted where there are none; a single value is a dot."""
    said, pen_down = [], False
    step = (RIGHT - LEFT) / (len(values) - 1)
    for n, value in enumerate(values):
        if value is None:
            pen_down = False
            continue
        place = f"{LEFT + n * step:.1f} {BOTTOM - (BOTTOM - TOP) * value / most:.1f}"
        said.append(f"L{place}" if pen_down else f"M{place}h.1")
        pen_down = True
    return "".join(said)


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 10, 20, 40 …, or of their fractions."""
    bound = 1e-3
    while bound * 4 < value:
        bound *= 10
    return next(bound * factor for factor in (1, 2, 4) if bound * factor >= value)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"
