"""All reactions, by the value that a form sends, and how one is shown beside a name."""

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


# The latest reactions by match and seat, which are soon forgotten.
said: dict[tuple[str, int], Reaction] = {}


def shown(match: str) -> tuple[str, str]:
    """The reactions shown beside both seats of a match now, by their codes; "" for none."""
    return _code(match, 0), _code(match, 1)


def _code(match: str, seat: int) -> str:
    reaction = said.get((match, seat))
    return reaction.code if reaction is not None and time.monotonic() - reaction.at < SHOWN_S else ""
