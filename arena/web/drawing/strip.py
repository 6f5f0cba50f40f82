"""A match as a strip: a bar a move in one of three lanes, won, drawn and lost; the taller, the nearer the end.

Lane, height and place tell it without colour. The picture is for those who see it, `told` says the same in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

_LANE, _BAR, _LEAST = 20, 10, 5
# An end that is so far away is as low as a bar gets.
_FAR = 42
_LANES = {1: (0, "won"), 0: (1, "drawn"), -1: (2, "lost")}
_WORDS = {1: _("{moves} won"), 0: _("{moves} drawn"), -1: _("{moves} lost"), None: _("{moves} not proved")}


class Bar(Protocol):
    """A position from the reader's side: its result, None where it is not proved, and the plies to the end."""

    @property
    def result(self) -> int | None: ...
    @property
    def plies(self) -> int | None: ...


def draw(standings: Sequence[Bar], address: str) -> SafeString:
    """The picture; a bar leads to its position, which the move list offers to keyboards as well."""
    count = len(standings) - 1
    bars = [_bar(ply, standing, address) for ply, standing in enumerate(standings) if ply]
    lines = "".join(f"M0 {_LANE * lane}H{_BAR * count}" for lane in (1, 2))
    return mark_safe(
        f'<svg class="strip" viewBox="0 0 {_BAR * max(count, 1)} {3 * _LANE}" preserveAspectRatio="none" '
        f'aria-hidden="true"><path class="rule" d="{lines}"/>{"".join(bars)}</svg>'
    )


def _bar(ply: int, standing: Bar, address: str) -> str:
    x = _BAR * (ply - 1)
    inner = f'<rect class="all" x="{x}" width="{_BAR}" height="{3 * _LANE}"/>'
    if standing.result is not None:
        lane, name = _LANES[standing.result]
        height = _height(standing)
        y = _LANE * lane + (_LANE - height) / 2
        inner += f'<rect class="{name}" x="{x}" y="{y:g}" width="{_BAR}" height="{height:g}"/>'
    return f'<a href="{address}?ply={ply}" data-step="{ply}" tabindex="-1">{inner}</a>'


def _height(standing: Bar) -> float:
    if standing.plies is None:
        return _LEAST
    near = 1 - min(standing.plies, _FAR) / _FAR
    return round(_LEAST + (_LANE - 3 - _LEAST) * near, 1)


def told(standings: Sequence[Bar], whose: str) -> str:
    """`Result after each move: 1 to 3 won, 4 to 8 lost.`, for the side `whose` where one is named."""
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
