"""A match as a strip, a bar for each move; the taller, the nearer the end. `draw`: in one of three lanes, won, drawn
and lost, from the reader's side. `bars`: up if seat 0 wins, down if seat 1 wins, on the line for a draw.

Place and height suffice without colour. `told` says the same in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from django.utils.safestring import SafeString
from django.utils.translation import gettext_noop as _

from arena.web.tongue import gettext

_LANE, _BAR, _LEAST = 20, 10, 5
# The height of a draw on a board where won and lost rise and fall.
_FLAT = 4
# An end this far away gives the lowest bar.
_FAR = 42
_LANES = {1: (0, "won"), 0: (1, "drawn"), -1: (2, "lost")}
_WORDS = {1: _("{moves} won"), 0: _("{moves} drawn"), -1: _("{moves} lost"), None: _("{moves} not proved")}


class Bar(Protocol):
    """A position from the reader's side: its result, None if it is not proved, and the plies to the end."""

    @property
    def result(self) -> int | None: ...
    @property
    def plies(self) -> int | None: ...


def draw(standings: Sequence[Bar], address: str) -> SafeString:
    """The picture; a bar leads to its position, which the move list offers to keyboards as well."""
    count = len(standings) - 1
    bars = [_bar(ply, standing, address) for ply, standing in enumerate(standings) if ply]
    lines = "".join(f"M0 {_LANE * lane}H{_BAR * count}" for lane in (1, 2))
    return SafeString(
        f'<svg id="strip" class="strip" viewBox="0 0 {_BAR * max(count, 1)} {3 * _LANE}" preserveAspectRatio="none" '
        f'aria-hidden="true"><path class="rule" d="{lines}"/>{"".join(bars)}</svg>'
    )


def bars(standings: Sequence[Bar], address: str, shown: int) -> SafeString:
    """The picture of the analysis board, from the side of seat 0; `shown` is the latest move on it."""
    count = len(standings) - 1
    drawn = [_risen(ply, standing, address, ply == shown) for ply, standing in enumerate(standings) if ply]
    return SafeString(
        f'<svg class="strip" viewBox="0 0 {_BAR * max(count, 1)} {2 * _LANE}" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(drawn)}<path class="rule" d="M0 {_LANE}H{_BAR * count}"/></svg>'
    )


def _bar(ply: int, standing: Bar, address: str) -> str:
    inner = ""
    if standing.result is not None:
        lane, name = _LANES[standing.result]
        height = _height(standing)
        inner = _rect(name, ply, _LANE * lane + (_LANE - height) / 2, height)
    return _step(ply, address, 3, inner)


def _risen(ply: int, standing: Bar, address: str, is_shown: bool) -> str:
    inner = ""
    if standing.result is not None:
        height = _height(standing) if standing.result else _FLAT
        inner = _rect(_LANES[standing.result][1], ply, _LANE - height * (1 + standing.result) / 2, height, gap=1)
    return _step(ply, address, 2, inner, "here" if is_shown else "")


def _step(ply: int, address: str, lanes: int, inner: str, name: str = "") -> str:
    named = f' class="{name}"' if name else ""
    return (
        f'<a{named} href="{address}?ply={ply}" data-step="{ply}" tabindex="-1">'
        f"{_rect('all', ply, 0, lanes * _LANE)}{inner}</a>"
    )


def _rect(name: str, ply: int, y: float, height: float, gap: int = 0) -> str:
    x, width = _BAR * (ply - 1) + gap, _BAR - 2 * gap
    return f'<rect class="{name}" x="{x}" y="{y:g}" width="{width}" height="{height:g}"/>'


def _height(standing: Bar) -> float:
    if standing.plies is None:
        return _LEAST
    near = 1 - min(standing.plies, _FAR) / _FAR
    return round(_LEAST + (_LANE - 3 - _LEAST) * near, 1)


def told(standings: Sequence[Bar], whose: str) -> str:
    """`Result after each move: 1 to 3 won, 4 to 8 lost.`, for the side `whose` if one is named."""
    runs = []
    numbered = [(ply, standing.result) for ply, standing in enumerate(standings) if ply]
    for result, group in groupby(numbered, key=lambda each: each[1]):
        plies = [ply for ply, _ in group]
        span = gettext("{first} to {last}").format(first=plies[0], last=plies[-1]) if len(plies) > 1 else f"{plies[0]}"
        runs.append(gettext(_WORDS[result]).format(moves=span))
    said = (
        gettext("Result for {colour} after each move: {runs}.") if whose else gettext("Result after each move: {runs}.")
    )
    return said.format(colour=whose, runs=", ".join(runs)) if runs else ""
