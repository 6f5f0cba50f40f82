"""From the proved values of a match to marks on its moves. Pure.

Only a move that changed the *result* gets one, and it counts only if another is proved to lead to a worse result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

WON, DRAWN, LOST = 1, 0, -1

MarkKind = Literal["threw_away_win", "missed_draw", "only_move"]


class Worth(NamedTuple):
    """What a move leads to, for the player who makes it: `result`, and the number of `plies` to the end, this move
    included. `plies` is None if it is not proved, and for a draw.
    """

    result: int
    plies: int | None = None

    @property
    def moves(self) -> int | None:
        """The moves that the winner makes until then."""
        return None if self.plies is None else (self.plies + 1) // 2 if self.result > 0 else self.plies // 2


class Judged(NamedTuple):
    """A position of the match: who is to move, what was `played` ("" if the match ended there), how many moves were
    legal, and the proved ones of their values. `own` is false for a move of an opening, which no player chose.
    """

    seat: int
    played: str
    legal: int
    values: Mapping[str, Worth]
    own: bool = True


class ResultAt(NamedTuple):
    """The value of a position for seat 0: `result`, None if not proved, and the `plies` to the end if those are."""

    result: int | None
    plies: int | None = None


class Mark(NamedTuple):
    """What is said about move `ply`: `better` are the moves that keep the result, the best first; `value` is what the
    first of them leads to.
    """

    ply: int
    seat: int
    kind: MarkKind
    better: tuple[str, ...]
    value: Worth


class Decided(NamedTuple):
    """The move since which the final result is certain, 0 for the start; `at_latest`: nothing is proved before it."""

    since: int
    result: int
    at_latest: bool


class Story(NamedTuple):
    """A match in proved values: `standings` for each position, from the start. `mattered` counts for both seats how
    many of the moves that mattered kept the result, of how many. `complete`: everything was proved.
    """

    standings: tuple[ResultAt, ...]
    marks: tuple[Mark, ...]
    mattered: tuple[tuple[int, int], tuple[int, int]]
    decided: Decided | None
    complete: bool


def story(choices: Sequence[Judged], final: int | None) -> Story:
    """The story of a match. `final` is the result for seat 0 if the rules have ended it: 1, 0 or -1, else None."""
    standings = [standing(choice) for choice in choices]
    if final is not None:
        standings.append(ResultAt(final, 0 if final else None))
    marks = [mark for ply, choice in enumerate(choices, 1) if (mark := mark_of(choice, ply)) is not None]
    complete = all(len(choice.values) == choice.legal for choice in choices)
    return Story(tuple(standings), tuple(marks), _mattered(choices), _decided(standings), complete)


def standing(choice: Judged) -> ResultAt:
    """The value of a position for seat 0."""
    value = worth(choice)
    if value is None:
        return ResultAt(None)
    return ResultAt(value.result if choice.seat == 0 else -value.result, value.plies)


def worth(choice: Judged) -> Worth | None:
    """The value of the position for the player to move: proved by one win, or by the values of all moves."""
    values, whole = choice.values.values(), len(choice.values) == choice.legal
    result = max((value.result for value in values), default=LOST)
    if not values or not (whole or result == WON):
        return None
    ends = [value.plies for value in values if value.result == result]
    known = [plies for plies in ends if plies is not None]
    if result == DRAWN or not whole or len(known) < len(ends):
        return Worth(result)
    return Worth(result, min(known) if result == WON else max(known))


def mark_of(choice: Judged, ply: int) -> Mark | None:
    """The mark on move number `ply`; None for most moves."""
    before, made = worth(choice), choice.values.get(choice.played)
    if before is None or made is None or not choice.own:
        return None
    better = keeping(choice, before.result)
    if made.result < before.result:
        kind: MarkKind = "threw_away_win" if before.result == WON else "missed_draw"
        return Mark(ply, choice.seat, kind, better, choice.values[better[0]])
    if _is_only_move(choice, before.result):
        return Mark(ply, choice.seat, "only_move", better, made)
    return None


def keeping(choice: Judged, result: int) -> tuple[str, ...]:
    """The moves that lead to this result: the quickest win or the longest resistance first."""
    found = [move for move, value in choice.values.items() if value.result == result]

    def order(move: str) -> tuple[bool, int]:
        plies = choice.values[move].plies
        return plies is None, 0 if plies is None else plies if result == WON else -plies

    return tuple(sorted(found, key=order))


def _is_only_move(choice: Judged, result: int) -> bool:
    """Whether the others, at least two, all lead to a worse result, and not because the match would end at once."""
    if choice.legal < 3 or len(choice.values) < choice.legal:
        return False
    others = [value for move, value in choice.values.items() if move != choice.played]
    if any(value.result >= result for value in others) or choice.values[choice.played].plies == 1:
        return False
    return not all(value == Worth(LOST, 2) for value in others)


def _mattered(choices: Sequence[Judged]) -> tuple[tuple[int, int], tuple[int, int]]:
    """For both seats: among their moves that mattered, the number that kept the best result, and the number of all."""
    kept, counted = [0, 0], [0, 0]
    for choice in choices:
        before, made = worth(choice), choice.values.get(choice.played)
        if before is None or made is None or not choice.own:
            continue
        if any(value.result < before.result for value in choice.values.values()):
            counted[choice.seat] += 1
            kept[choice.seat] += made.result == before.result
    return (kept[0], counted[0]), (kept[1], counted[1])


def _decided(standings: Sequence[ResultAt]) -> Decided | None:
    results = [each.result for each in standings]
    last = results[-1] if results else None
    if last is None:
        return None
    since = len(results) - 1
    while since and results[since - 1] == last:
        since -= 1
    return Decided(since, last, since > 0 and results[since - 1] is None)
