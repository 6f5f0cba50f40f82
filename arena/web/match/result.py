"""How a match ended, in words: one table keyed by termination and reason, in first and in third person."""

from __future__ import annotations

from typing import NamedTuple

from arena.match.endings import UNCOUNTED, Termination
from arena.web.words import capital


class ResultCard(NamedTuple):
    """The card of a match that is over. `notes` are what follows: rating, score of the rounds.

    `tone` is "won", "lost" or "drawn" for the one who reads it, "over" for a watcher and where nothing counts.
    """

    title: str
    reason: str
    notes: tuple[str, ...] = ()
    tone: str = "over"


class Words(NamedTuple):
    """`third` about `who` ("winner", "loser" or ""), `you` the same said to that side."""

    who: str
    third: str
    you: str = ""


# Of a decision without a referee: what stands in place of its reason, which is different each time.
PROOF = "proof"
# (termination, reason), the reason "" where it does not matter. `{n}` is the name of `who`, `{o}` of the other side,
# `{why}` the stored reason, `{Why}` the same at the beginning of a sentence; `{took}`, `{played}`, `{answered}` are
# made from what the ending knows (`_facts`).
REASONS: dict[tuple[str, str], Words] = {
    ("normal", "board full"): Words("", "The board is full."),
    ("normal", "last stone"): Words("winner", "{n} took {took}.", "You took {took}."),
    ("normal", "reached height 3"): Words("winner", "{n} stepped up to height 3.", "You stepped up to height 3."),
    ("normal", "no legal turn"): Words("loser", "{n} has no legal move.", "You have no legal move."),
    ("normal", ""): Words("", "{Why}."),
    ("resign", ""): Words("loser", "{n} resigned.", "{o} wins."),
    ("timeout", "out of time"): Words("loser", "{n} ran out of time.", "You ran out of time."),
    ("timeout", ""): Words("", "{late}."),
    ("illegal_move", ""): Words("loser", "{n} played {played}.", "You played {played}."),
    ("bad_output", ""): Words("loser", "{n} {answered}", "You {answered}"),
    ("out_of_turn", ""): Words("loser", "{n} moved out of turn.", "You moved out of turn."),
    ("stall", ""): Words("loser", "{happened}.", "{happened_to_you}."),
    ("disconnect", ""): Words("loser", "{happened}.", "{happened_to_you}."),
    ("left", ""): Words("loser", "{n} left the match.", "{o} wins."),
    ("crash", ""): Words("loser", "{happened}.", "{happened_to_you}."),
    ("resource_limit", ""): Words(
        "loser", "{n} used more than it may: {why}.", "Your bot used more than it may: {why}."
    ),
    ("agreement", ""): Words("", "Both players agreed on a draw."),
    ("adjudicated", ""): Words("", "Decided by referee {actor}: “{why}”."),
    ("adjudicated", PROOF): Words("", "{Why}."),
    ("max_plies", ""): Words("", "{Why}."),
    ("no_start", ""): Words("", "{Why}."),
    ("abandoned", ""): Words("", "{Why}."),
    ("abort", ""): Words("", "Stopped before both sides had moved."),
    ("admin_abort", ""): Words("", "Stopped by a referee: {why}."),
    ("server_abort", ""): Words("", "Void: {why}."),
}
# What the side that brought it about reads instead of "You lost".
_YOUR_DOING = {Termination.RESIGN: "You resigned", Termination.LEFT: "You left"}


class Ending(NamedTuple):
    """What the `ended` event says, or the ruling after it. `received` is what a bot sent instead of a move, `expected`
    what it should have; `last` is the last move, `meant` the one that broke a rule, as people call it: "column 4".
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
    if ending.termination in UNCOUNTED:
        return "Not counted"
    if ending.winner is None:
        return "Draw"
    decided = " (by decision)" if ending.termination == Termination.ADJUDICATED and ending.actor else ""
    if you is None:
        return f"{names[ending.winner]} won{decided}"
    if you == ending.winner:
        return f"You won{decided}"
    return _YOUR_DOING.get(ending.termination, f"You lost{decided}")


def _reason(ending: Ending, names: tuple[str, str], you: int | None) -> str:
    by_proof = ending.termination == Termination.ADJUDICATED and not ending.actor
    words = REASONS.get((ending.termination, PROOF if by_proof else ending.reason)) or REASONS[ending.termination, ""]
    seats = {"winner": ending.winner, "loser": None if ending.winner is None else 1 - ending.winner, "": None}
    seat = seats[words.who]
    pattern = words.you if words.you and seat is not None and seat == you else words.third
    name = "" if seat is None else names[seat]
    other = "" if seat is None else names[1 - seat]
    return pattern.format(n=name, o=other, actor=ending.actor, **_facts(ending, name, names))


def _facts(ending: Ending, name: str, names: tuple[str, str]) -> dict[str, str]:
    """The words that a sentence may hold. Most reasons of the log name the player they are about, some do not."""
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
        "played": _played(ending.meant, why),
        "answered": _answered(ending, why),
    }


def _of_you(happened: str) -> str:
    verb, blank, rest = happened.partition(" ")
    return f"{'were' if verb == 'was' else verb}{blank}{rest}"


def _took(last: str) -> str:
    """`the last 3 stones`, by the winning move."""
    count = last.rstrip("r")
    return f"the last {count} stones" if count.isdecimal() and int(count) > 1 else "the last stone"


def _played(meant: str, why: str) -> str:
    """`column 4, which is full`, else the move and what the rules say of it."""
    if not meant:
        return f"what the rules forbid: {why}"
    verdict = why.removeprefix(f"{meant} is ")
    return f"{meant}, which is {verdict.partition(';')[0]}" if verdict != why else f"{meant}, but {why}"


def _answered(ending: Ending, why: str) -> str:
    """For the author of a bot: what came and what was expected."""
    expected = f" Expected {ending.expected.rstrip('.')}." if ending.expected else ""
    return f"answered “{ending.received}”.{expected}" if ending.received else f"sent what cannot be read: {why}."
