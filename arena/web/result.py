"""How a match ended, in words: one table keyed by termination and reason, in first and in third person."""

from __future__ import annotations

from typing import NamedTuple

from arena.match.endings import UNCOUNTED, Termination


class Result(NamedTuple):
    """The card under the board when a match is over. `notes` are what follows: rating, score of the rounds."""

    title: str
    reason: str
    notes: tuple[str, ...] = ()


class Words(NamedTuple):
    """`third` about `who` ("winner", "loser" or ""), `you` the same said to that side."""

    who: str
    third: str
    you: str = ""


# (termination, reason), the reason "" where it does not matter. `{n}` is the name of `who`, `{o}` of the other side,
# `{why}` the stored reason, `{Why}` the same at the beginning of a sentence.
REASONS: dict[tuple[str, str], Words] = {
    ("normal", "board full"): Words("", "The board is full."),
    ("normal", "last stone"): Words("winner", "{n} took the last stone.", "You took the last stone."),
    ("normal", "reached height 3"): Words("winner", "{n} stepped up to height 3.", "You stepped up to height 3."),
    ("normal", "no legal turn"): Words("loser", "{n} has no legal move.", "You have no legal move."),
    ("normal", ""): Words("", "{Why}."),
    ("resign", ""): Words("loser", "{n} resigned.", "{o} wins."),
    ("timeout", "out of time"): Words("loser", "{n} ran out of time.", "You ran out of time."),
    ("timeout", ""): Words("loser", "{n}: {why}.", "{Why}."),
    ("illegal_move", ""): Words("loser", "{n} broke a rule: {why}.", "You broke a rule: {why}."),
    ("bad_output", ""): Words("loser", "{n} sent what cannot be read: {why}.", "You sent what cannot be read: {why}."),
    ("out_of_turn", ""): Words("loser", "{n} moved out of turn.", "You moved out of turn."),
    ("stall", ""): Words("loser", "{n} kept silent: {why}.", "You kept silent: {why}."),
    ("disconnect", ""): Words("loser", "{n} did not come back.", "You did not come back."),
    ("left", ""): Words("loser", "{n} left the match.", "{o} wins."),
    ("crash", ""): Words("loser", "{n} stopped: {why}.", "Your bot stopped: {why}."),
    ("resource_limit", ""): Words(
        "loser", "{n} used more than it may: {why}.", "Your bot used more than it may: {why}."
    ),
    ("adjudicated", ""): Words("", "Decided by referee {actor}: “{why}”."),
    ("max_plies", ""): Words("", "{Why}."),
    ("no_start", ""): Words("", "The match did not start: {why}."),
    ("abort", ""): Words("", "Stopped before both sides had moved."),
    ("admin_abort", ""): Words("", "Stopped by a referee: {why}."),
    ("server_abort", ""): Words("", "Void: the match could not be continued. {Why}."),
}
# What the side that brought it about reads instead of "You lost".
_YOUR_DOING = {Termination.RESIGN: "You resigned", Termination.LEFT: "You left"}


class Ending(NamedTuple):
    """What the `ended` event says. `received` is what a bot sent instead of a move, `expected` what it should have."""

    winner: int | None
    termination: str
    reason: str
    actor: str = ""
    received: str = ""
    expected: str = ""


def result(
    ending: Ending, names: tuple[str, str], you: int | None, said: str = "", notes: tuple[str, ...] = ()
) -> Result:
    """The card for `you`, a seat, or None for a watcher. `said` is the drawing's own sentence, if it has one."""
    return Result(_title(ending, names, you), said or _reason(ending, names, you), notes)


def _title(ending: Ending, names: tuple[str, str], you: int | None) -> str:
    if ending.termination in UNCOUNTED:
        return "Not counted"
    if ending.winner is None:
        return "Draw"
    decided = " (by decision)" if ending.termination == Termination.ADJUDICATED else ""
    if you is None:
        return f"{names[ending.winner]} won{decided}"
    if you == ending.winner:
        return f"You won{decided}"
    return _YOUR_DOING.get(Termination(ending.termination), f"You lost{decided}")


def _reason(ending: Ending, names: tuple[str, str], you: int | None) -> str:
    words = REASONS.get((ending.termination, ending.reason)) or REASONS[ending.termination, ""]
    seats = {"winner": ending.winner, "loser": None if ending.winner is None else 1 - ending.winner, "": None}
    seat = seats[words.who]
    pattern = words.you if words.you and seat is not None and seat == you else words.third
    why = ending.reason.rstrip(".")
    name = "" if seat is None else names[seat]
    other = "" if seat is None else names[1 - seat]
    return pattern.format(n=name, o=other, why=why, Why=_capital(why), actor=ending.actor) + _received(ending)


def _received(ending: Ending) -> str:
    """For the author of a bot: what came and what was expected."""
    if not ending.received:
        return ""
    expected = f" Expected {ending.expected}." if ending.expected else ""
    return f" Received “{ending.received}”.{expected}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
