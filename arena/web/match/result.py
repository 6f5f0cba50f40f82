"""How a match ended, in words: one table keyed by termination and reason, in first and in third person."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_noop as _

from arena.match.endings import UNCOUNTED, Termination
from arena.web.languages import USUAL
from arena.web.tongue import gettext
from arena.web.words import capital, isolated


class ResultCard(NamedTuple):
    """The card of a match that is over. `notes` are what follows: rating, score of the rounds.

    `tone` is "won", "lost" or "drawn" for the reader, and "over" for a watcher or if nothing counts.
    """

    title: str
    reason: str
    notes: tuple[str, ...] = ()
    tone: str = "over"


class Words(NamedTuple):
    """`third` is about `who` ("winner", "loser" or ""), `you` the same to that side. English quotes the log if that is
    more exact; `plain` and `plain_you` are for all other languages.
    """

    who: str
    third: str
    you: str = ""
    plain: str = ""
    plain_you: str = ""


# What is said of ratings after a match that was played without them.
FRIENDLY = _("Friendly, ratings unchanged")
# The key of a decision by staff; its reason is different each time.
PROOF = "proof"
# (termination, reason), the reason "" if it does not matter. `{n}` is the name of `who`, `{o}` of the other side,
# `{why}` the stored reason, `{Why}` the same at the beginning of a sentence; `{took}`, `{played}`, `{answered}` are
# made from what the ending knows (`_facts`).
REASONS: dict[tuple[str, str], Words] = {
    ("normal", "board full"): Words("", _("The board is full.")),
    ("normal", "last stone"): Words("winner", _("{n} took {took}."), _("You took {took}.")),
    ("normal", "reached height 3"): Words("winner", _("{n} stepped up to height 3."), _("You stepped up to height 3.")),
    ("normal", "no legal turn"): Words("loser", _("{n} has no legal move."), _("You have no legal move.")),
    ("normal", ""): Words("", "{Why}.", plain=_("Over by the rules.")),
    ("resign", ""): Words("loser", _("{n} resigned."), _("{o} wins.")),
    ("timeout", "out of time"): Words("loser", _("{n} ran out of time."), _("You ran out of time.")),
    ("timeout", ""): Words(
        "loser", "{late}.", "{late}.", _("{n} did not move in time."), _("You did not move in time.")
    ),
    ("illegal_move", ""): Words(
        "loser",
        "{n} played {played}.",
        "You played {played}.",
        _("{n} played {meant}, against the rules."),
        _("You played {meant}, against the rules."),
    ),
    ("bad_output", ""): Words(
        "loser",
        "{n} {answered}",
        "You {answered}",
        _("{n} sent what cannot be read: {received}"),
        _("You sent what cannot be read: {received}"),
    ),
    ("out_of_turn", ""): Words("loser", _("{n} moved out of turn."), _("You moved out of turn.")),
    ("stall", ""): Words(
        "loser", "{happened}.", "{happened_to_you}.", _("{n} did not answer in time."), _("You did not answer in time.")
    ),
    ("disconnect", ""): Words(
        "loser", "{happened}.", "{happened_to_you}.", _("{n} lost the connection."), _("You lost the connection.")
    ),
    ("left", ""): Words("loser", _("{n} left the match."), _("{o} wins.")),
    ("crash", ""): Words(
        "loser", "{happened}.", "{happened_to_you}.", _("The program of {n} ended."), _("Your program ended.")
    ),
    ("resource_limit", ""): Words(
        "loser",
        "{n} exceeded its limits: {why}.",
        "Your bot exceeded its limits: {why}.",
        _("{n} exceeded its limits."),
        _("Your bot exceeded its limits."),
    ),
    ("agreement", ""): Words("", _("Both players agreed on a draw.")),
    ("adjudicated", ""): Words("", _("Decided by referee {actor}: “{why}”.")),
    ("adjudicated", PROOF): Words("", "{Why}.", plain=_("A proof has held long enough.")),
    ("max_plies", ""): Words("", "{Why}.", plain=_("The match had more moves than are allowed.")),
    ("no_start", ""): Words("", "{Why}.", plain=_("Nobody made the first move.")),
    ("abandoned", ""): Words(
        "", "{Why}. It counts for nobody.", plain=_("Nobody came back to this match, so it does not count.")
    ),
    ("abort", ""): Words("", _("Stopped before both sides had moved.")),
    ("admin_abort", ""): Words("", _("Stopped by a referee: {why}.")),
    ("server_abort", ""): Words("", "Void: {why}.", plain=_("Void because of a fault of the server.")),
}
# Shown to the side that caused it instead of the winner's name.
_YOUR_DOING = {Termination.RESIGN: _("You resigned"), Termination.LEFT: _("You left")}


class Ending(NamedTuple):
    """The contents of the `ended` event, or of the ruling after it. `received` is what a bot sent instead of a move,
    `expected` what it should have sent; `last` is the last move, `meant` the one that broke a rule, in people's words:
    "column 4".
    """

    winner: int | None
    termination: str
    reason: str
    actor: str = ""
    received: str = ""
    expected: str = ""
    last: str = ""
    meant: str = ""


def result(
    ending: Ending, names: tuple[str, str], you: int | None, said: str = "", notes: tuple[str, ...] = ()
) -> ResultCard:
    """The card for `you`, a seat, or None for a watcher. `said` is the drawing's own sentence, if it has one."""
    return ResultCard(_title(ending, names, you), said or _reason(ending, names, you), notes, _tone(ending, you))


def _tone(ending: Ending, you: int | None) -> str:
    if ending.termination in UNCOUNTED:
        return "over"
    if ending.winner is None:
        return "drawn"
    return "over" if you is None else "won" if you == ending.winner else "lost"


def _title(ending: Ending, names: tuple[str, str], you: int | None) -> str:
    if ending.termination == Termination.ABANDONED:
        return gettext("Left unfinished")
    if ending.termination in UNCOUNTED:
        return gettext("Not counted")
    if ending.winner is None:
        return gettext("Draw")
    decided = ending.termination == Termination.ADJUDICATED and ending.actor
    if you == ending.winner:
        return gettext("You won (by decision)") if decided else gettext("You won")
    if you is not None and not decided and ending.termination in _YOUR_DOING:
        return gettext(_YOUR_DOING[ending.termination])
    words = gettext("{name} won (by decision)") if decided else gettext("{name} won")
    return words.format(name=isolated(names[ending.winner]))


def _reason(ending: Ending, names: tuple[str, str], you: int | None) -> str:
    by_proof = ending.termination == Termination.ADJUDICATED and not ending.actor
    words = REASONS.get((ending.termination, PROOF if by_proof else ending.reason)) or REASONS[ending.termination, ""]
    seats = {"winner": ending.winner, "loser": None if ending.winner is None else 1 - ending.winner, "": None}
    seat = seats[words.who]
    yours = seat is not None and seat == you
    third, second = words.third, words.you
    if words.plain and get_language() != USUAL:
        third, second = words.plain, words.plain_you
    pattern = gettext(second if second and yours else third)
    name = "" if seat is None else names[seat]
    other = "" if seat is None else names[1 - seat]
    return pattern.format(n=isolated(name), o=isolated(other), actor=ending.actor, **_facts(ending, name, names))


def _facts(ending: Ending, name: str, names: tuple[str, str]) -> dict[str, str]:
    """The values that a sentence may contain. Most reasons in the log name the player they are about, some do not."""
    why = ending.reason.rstrip(".")
    bare = why.removeprefix(f"{name} ") if name else why
    happened = f"{name} {bare}" if bare != why else f"{name}: {why}"
    return {
        "why": why,
        "Why": why if why.startswith(names) else capital(why),
        "late": capital(f"no reply {why.removeprefix('no move ')}" if why.startswith("no move ") else why),
        "happened": happened,
        "happened_to_you": f"You {_of_you(bare)}" if bare != why else capital(why),
        "took": _took(ending.last),
        "meant": ending.meant or gettext("a move"),
        "received": f"“{ending.received}”." if ending.received else "–",
        "played": _played(ending.meant, why),
        "answered": _answered(ending, why),
    }


def _of_you(happened: str) -> str:
    verb, blank, rest = happened.partition(" ")
    return f"{'were' if verb == 'was' else verb}{blank}{rest}"


def _took(last: str) -> str:
    """`the last 3 stones`, by the winning move."""
    count = int(last.rstrip("r")) if last.rstrip("r").isdecimal() else 1
    return ngettext("the last stone", "the last {n} stones", count).format(n=count)


def _played(meant: str, why: str) -> str:
    """`column 4, which is full`, or else the move and what the rules say about it."""
    if not meant:
        return f"what the rules forbid: {why}"
    verdict = why.removeprefix(f"{meant} is ")
    return f"{meant}, which is {verdict.partition(';')[0]}" if verdict != why else f"{meant}, but {why}"


def _answered(ending: Ending, why: str) -> str:
    """For the author of a bot: what was received and what was expected."""
    expected = f" Expected {ending.expected.rstrip('.')}." if ending.expected else ""
    return f"answered “{ending.received}”.{expected}" if ending.received else f"sent what cannot be read: {why}."
