"""The reactions that there are, by what a form sends, and how one stands beside a name."""

from __future__ import annotations

import time
from typing import NamedTuple

SHOWN_S = 6.0

REACTIONS = {
    "hello": "Hello",
    "good": "Good move",
    "oops": "Oops",
    "thanks": "Thank you",
    "played": "Well played",
}


def bubble(words: str) -> str:
    """What a player has just said, "" for nothing."""
    return f'<span class="reaction tag" role="status">{words}</span>' if words else ""


class Reaction(NamedTuple):
    """What a seat said, and when (monotonic)."""

    code: str
    at: float


# What was said a moment ago, by match and seat; it is soon forgotten.
said: dict[tuple[str, int], Reaction] = {}


def shown(match: str) -> tuple[str, str]:
    """The words that stand beside both seats of a match now, "" for none."""
    return _words(match, 0), _words(match, 1)


def _words(match: str, seat: int) -> str:
    reaction = said.get((match, seat))
    return REACTIONS[reaction.code] if reaction is not None and time.monotonic() - reaction.at < SHOWN_S else ""
