"""Browsers on a match, by audience: "0" or "1" for the seats and "" for watchers."""

from __future__ import annotations

from collections.abc import Mapping, MutableSet
from typing import Protocol, cast


class Viewer(Protocol):
    """Browsers on a match. `people` is their number; `lag_ms` is how slow a player's line is: the round trip of a
    message, 0 until it is known.
    """

    audience: str
    people: int

    @property
    def lag_ms(self) -> int: ...

    def wake(self) -> None: ...

    def end(self, code: int, reason: str) -> None:
        """Close the view: the match is no longer known here."""


Viewers = Mapping[str, MutableSet[Viewer]]

# Shared by all matches without viewers, which most matches of bots are: separate sets would take 0.7 KiB each.
NOBODY = cast(Viewers, dict.fromkeys(("0", "1", ""), frozenset()))


def lag_ms(viewers: Viewers, seat: int) -> int:
    """How slow this seat's line is. Of several pages the fastest counts: a second, slower page gains nothing."""
    return min([viewer.lag_ms for viewer in viewers[str(seat)]], default=0)
