"""The graph of a rating: a line from match to match, and the same numbers as a table for people who cannot see it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Max
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.models import RatingChange
from arena.web.words import title_of

MOST_MATCHES, MOST_ROWS = 300, 30
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360, 170, 42, 46, 12, 24
STEPS = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
MOST_LINES = 5


class Point(NamedTuple):
    """The rating after rated match number `match`, which ended `at`."""

    match: int
    points: float
    at: datetime


class Graph(NamedTuple):
    """`svg` is the drawing, `rows` its numbers, few enough to be read; `best` is the best of all matches."""

    title: str
    svg: SafeString
    rows: list[Point]
    now: int
    best: int
    matches: int


async def graph_of(player: int, variant: str) -> Graph | None:
    """A player's last matches in a variant as a graph, None if there are not two of them."""
    changes = RatingChange.objects.filter(player=player, variant=variant)
    newest = changes.order_by("-order").values_list("matches", "points", "at")[:MOST_MATCHES]
    points = [Point(match, value, at) async for match, value, at in newest if at is not None][::-1]
    if len(points) < 2:
        return None
    best = (await changes.aaggregate(best=Max("points")))["best"]
    last = points[-1]
    return Graph(title_of(variant), draw(points), few(points), round(last.points), round(best), last.match)


def few(points: list[Point]) -> list[Point]:
    """Few enough points to read, always including the newest, newest first."""
    step = -(-len(points) // MOST_ROWS)
    return points[::-1][::step]


def draw(points: list[Point]) -> SafeString:
    """Lines at round numbers, one line through all points, the last one labelled."""
    low, high, step = _scale(min(point.points for point in points), max(point.points for point in points))
    first, last = points[0], points[-1]

    def x(match: int) -> float:
        return LEFT + (match - first.match) / (last.match - first.match) * (WIDTH - LEFT - RIGHT)

    def y(number: float) -> float:
        return TOP + (high - number) / (high - low) * (HEIGHT - TOP - BOTTOM)

    path = " ".join(f"{x(point.match):.1f},{y(point.points):.1f}" for point in points)
    said = _("From {low} to {high}, matches {first} to {last}.").format(
        low=round(first.points), high=round(last.points), first=first.match, last=last.match
    )
    numbered = _("match {n}")
    parts = [_level(number, y(number)) for number in range(low, high + 1, step)]
    parts.append(format_html('<polyline class="line" points="{}"/>', path))
    parts.append(
        format_html('<circle class="end" cx="{}" cy="{}" r="4"/>', _short(x(last.match)), _short(y(last.points)))
    )
    parts.append(
        format_html(
            '<text class="now" x="{}" y="{}">{}</text>',
            _short(x(last.match) + 8),
            _short(y(last.points) + 4.5),
            round(last.points),
        )
    )
    parts.append(format_html('<text x="{}" y="{}">{}</text>', LEFT, HEIGHT - 5, numbered.format(n=first.match)))
    parts.append(
        format_html(
            '<text class="right" x="{}" y="{}">{}</text>', WIDTH - RIGHT, HEIGHT - 5, numbered.format(n=last.match)
        )
    )
    inner = mark_safe("".join(parts))
    return format_html(
        '<svg class="graph" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>', WIDTH, HEIGHT, said, inner
    )


def _level(number: int, at: float) -> SafeString:
    return format_html(
        '<path class="level" d="M{} {}H{}"/><text class="right" x="{}" y="{}">{}</text>',
        LEFT,
        _short(at),
        WIDTH - RIGHT,
        LEFT - 6,
        _short(at + 4.5),
        number,
    )


def _scale(least: float, most: float) -> tuple[int, int, int]:
    """Round numbers below and above, and the step between lines, so that there are few lines."""
    for step in STEPS:
        low, high = int(least // step) * step, -int(-most // step) * step
        if low == high:
            high += step
        if (high - low) // step < MOST_LINES:
            return low, high, step
    return low, high, high - low


def _short(number: float) -> str:
    return f"{number:.1f}"
