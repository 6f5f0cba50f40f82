"""Why a match ended, in a few words for lists: made from the termination or, after an ending by the rules, from the
game's reason.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from arena.match.endings import Termination, result
from arena.web.tongue import gettext

# The reasons of `games/`, as logs store them.
BY_THE_RULES = {
    "four in a row": _("four in a row"),
    "board full": _("board full"),
    "last stone": _("last stone"),
    "reached height 3": _("reached height 3"),
    "no legal turn": _("no legal turn"),
}
OTHERWISE = {
    Termination.NORMAL: _("by the rules"),
    Termination.RESIGN: _("resigned"),
    Termination.TIMEOUT: _("out of time"),
    Termination.ILLEGAL_MOVE: _("illegal move"),
    Termination.BAD_OUTPUT: _("unreadable answer"),
    Termination.OUT_OF_TURN: _("moved out of turn"),
    Termination.STALL: _("did not answer"),
    Termination.DISCONNECT: _("connection lost"),
    Termination.LEFT: pgettext_lazy("how a match ended", "left"),
    Termination.CRASH: _("program crashed"),
    Termination.RESOURCE_LIMIT: _("exceeded its limits"),
    Termination.AGREEMENT: _("draw agreed"),
    Termination.ADJUDICATED: _("decided"),
    Termination.MAX_PLIES: _("too many moves"),
    Termination.NO_START: _("never begun"),
    Termination.ABANDONED: _("abandoned"),
    Termination.ABORT: _("stopped early"),
    Termination.ADMIN_ABORT: _("stopped by a referee"),
    Termination.SERVER_ABORT: _("void"),
}


def ending_words(termination: str, reason: str) -> str:
    """`four in a row`, `out of time`; an unknown reason of a game is shown as it is."""
    if termination == Termination.NORMAL:
        return str(BY_THE_RULES.get(reason, reason))
    return str(OTHERWISE[termination])


def score_and_ending(winner: int | None, termination: str | None, reason: str) -> str:
    """`1-0, four in a row`; `running` before the end."""
    if termination is None:
        return gettext("running")
    return f"{result(winner, termination)}, {ending_words(termination, reason)}"
