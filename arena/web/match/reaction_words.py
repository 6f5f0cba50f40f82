"""The reactions that there are, by what a form sends, and how one stands beside a name."""

from __future__ import annotations

import time
from typing import NamedTuple

from django.utils.html import escape
from django.utils.translation import gettext_lazy as _

SHOWN_S = 6.0

REACTIONS = {
    "hello": _("Hello"),
    "good": _("Good move"),
    "oops": _("Oops"),
    "thanks": _("Thank you"),
    "played": _("Well played"),
}


def bubble(code: str) -> str:
    """What a player has just said, "" for nothing."""
    return f'<span class="reaction tag" role="status">{escape(REACTIONS[code])}</span>' if code else ""


class Reaction(NamedTuple):
    """What a seat said, and when (monotonic)."""

    code: str
    at: float


# What was said a moment ago, by match and seat; it is soon forgotten.
said: dict[tuple[str, int], Reaction] = {}


def shown(match: str) -> tuple[str, str]:
    """What stands beside both seats of a match now, by its code; "" for nothing."""
    return _code(match, 0), _code(match, 1)


def _code(match: str, seat: int) -> str:
    reaction = said.get((match, seat))
    return reaction.code if reaction is not None and time.monotonic() - reaction.at < SHOWN_S else ""
