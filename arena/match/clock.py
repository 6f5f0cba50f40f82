"""Clocks as values: a limit for each move, a total for the whole match, or a total with an increment.

Texts: `5s` a move, `2m` total, `1m+1s` total with increment, `none`; long forms `move:90s`, `total:30s`,
`total:90s+1s`. All internal times are whole milliseconds. A bot's start-up grace is not part of its clock.
"""

from __future__ import annotations

from functools import lru_cache

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["move", "total", "none"]

_AMOUNT = r"[0-9]{1,9}(?:\.[0-9]{1,3})?(?:ms|s|m|h)"
_TEXT = rf"(?:(move|total):)?({_AMOUNT})(?:\+({_AMOUNT}))?"
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
_LONGEST_MS = 7 * 24 * 3_600_000


class Clock(NamedTuple):
    """`base_ms` is the limit for each move or the total at the start; `increment_ms` is added after each move."""

    kind: Kind
    base_ms: int = 0
    increment_ms: int = 0

    def start(self) -> int | None:
        """The time of each side at the start, in milliseconds; None without a clock."""
        return None if self.kind == "none" else self.base_ms

    def after_move(self, left_ms: int, elapsed_ms: int) -> int:
        """The mover's time left in milliseconds after a move that took `elapsed_ms`."""
        if self.kind == "move":
            return self.base_ms
        return left_ms - elapsed_ms + self.increment_ms

    def __str__(self) -> str:
        if self.kind == "none":
            return "none"
        if self.kind == "move":
            return _amount(self.base_ms, "s") or f"move:{_amount(self.base_ms, 'ms')}"
        if self.increment_ms:
            return f"{_amount(self.base_ms)}+{_amount(self.increment_ms)}"
        return _amount(self.base_ms, "m") or f"total:{_amount(self.base_ms)}"


NO_CLOCK = Clock("none")
# How many characters of an invalid text its error message repeats.
_SHOWN = 40


@lru_cache(256)
def parse_clock(text: str) -> Clock:
    """The clock written as `text`. Raises ValueError, which names the accepted forms.

    >>> parse_clock("1m+1s")
    Clock(kind='total', base_ms=60000, increment_ms=1000)
    """
    if text == "none":
        return NO_CLOCK
    import re  # imported only where needed, so that a runner starts sooner

    shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
    match = re.fullmatch(_TEXT, text)
    kind = match and _kind(*match.groups())
    if not match or not kind:
        raise ValueError(f"clock {shown}: expected 5s (a move), 2m (total), 1m+1s, move:90s, total:30s or none")
    base, increment = _milliseconds(match[2]), _milliseconds(match[3] or "0s")
    if not 0 < base <= _LONGEST_MS or increment > _LONGEST_MS:
        raise ValueError(f"clock {shown}: expected more than nothing and at most 7 days")
    return Clock(kind, base, increment)


def _kind(said: str | None, base: str, increment: str | None) -> Kind | None:
    if said == "move":
        return None if increment else "move"
    if said == "total" or increment:
        return "total"
    return "move" if base.endswith("s") else "total"


def _milliseconds(amount: str) -> int:
    number = amount.rstrip("hms")
    unit = amount.removeprefix(number)
    return round(float(number) * _UNIT_MS[unit])


def _amount(ms: int, only: str = "") -> str:
    """`ms` in the largest unit that keeps it whole, or in the unit `only` ("" if it is not whole in that)."""
    for unit in [only] if only else ["m", "s", "ms"]:
        if ms % _UNIT_MS[unit] == 0:
            return f"{ms // _UNIT_MS[unit]}{unit}"
    return ""


def charged(since: float, stamp: float, allowed_ms: int | None, lost_s: float = 0.0) -> tuple[int, int]:
    """The ms that a turn from `since` to `stamp` lasted, and how much of it is not charged. `allowed_ms` is its limit,
    `lost_s` was lost through the server's fault. A move after the deadline is late by at least 1 ms.
    """
    elapsed = round((stamp - since) * 1000)
    paid = round((stamp - since - lost_s) * 1000) if lost_s else elapsed
    if allowed_ms is not None and stamp > since + allowed_ms / 1000 + lost_s:
        paid = max(paid, allowed_ms + 1)
    elif not lost_s:
        return elapsed, 0
    return max(elapsed, paid), max(0, elapsed - paid)
