"""A match and a variation being viewed: the moves up to a ply, then the visitor's own line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.http import Http404
from django.utils.translation import gettext as _

import games
from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.match.commands import Refusal
from arena.match.evolve import line
from arena.match.said import said_by_rules
from arena.web.words import spoken
from arena.work.analyses import moves_of
from games import Position, RefusedMove

# A match of Santorini has at most 148 moves, one of Nim with 1 000 stones may have as many.
LONGEST_LINE = 1000
LONGEST_TEXT = 8000


class Shown(NamedTuple):
    """What is on the board: the first `ply` of the moves that were `played`, then those of the `line`."""

    variant: str
    played: tuple[str, ...]
    ply: int
    line: tuple[str, ...]
    position: Position

    @property
    def moves(self) -> tuple[str, ...]:
        """All moves that lead to the position."""
        return (*self.played[: self.ply], *self.line)


def shown(live: LiveMatch, ply: str, text: str, move: str = "") -> Shown:
    """The position after `ply` moves of the match (all if it is "") and the line `4,2`; `move` goes one further. Raises
    Http404 for a ply that is no number, Refusal for a line that cannot be played.
    """
    played = tuple(moves_of(line(live.events)))
    at, extra = _ply(ply, len(played)), moves_in(text)
    if move and not extra and played[at : at + 1] == (move,):
        at += 1
    elif move:
        extra = (*extra, move)
    setup = live.state.setup
    position = after(setup.variant, setup.settings, (*played[:at], *extra))
    return Shown(setup.variant, played, at, extra, position)


def after(variant: str, settings: object, moves: Sequence[str]) -> Position:
    """The position after these moves. Raises Refusal if one cannot be played."""
    position = games.variant(variant).start(**dict(settings))  # type: ignore[call-overload]  # checked by the variant
    for number, move in enumerate(moves, 1):
        try:
            position = position.play(move)
        except RefusedMove as refused:
            why = spoken(said_by_rules(refused))
            words = _("Move {number} cannot be played: {why}.").format(number=number, why=why)
            raise Refusal("illegal_move", words) from None
    return position


def moves_in(text: str) -> tuple[str, ...]:
    """The moves of a line, with commas between them. Raises Refusal if there are too many."""
    if len(text) > LONGEST_TEXT:
        words = _("Received a line of {n} characters, expected {most} at most.")
        raise Refusal("invalid_form", words.format(n=len(text), most=LONGEST_TEXT))
    moves = tuple(filter(None, text.split(",")))
    if len(moves) > LONGEST_LINE:
        words = _("Received a line of {n} moves, expected {most} at most.")
        raise Refusal("invalid_form", words.format(n=len(moves), most=LONGEST_LINE))
    return moves


def _ply(text: str, last: int) -> int:
    if not text:
        return last
    ply = whole_number(text)
    if ply is None:
        words = _("There is no move {text}: expected its number, from 0 for the start.")
        raise Http404(words.format(text=repr(text[:20])))
    return min(ply, last)
