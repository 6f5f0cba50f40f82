"""Tie-breaks: for each entry a number and the sum it comes from, so that a page can show why. Pure.

Sonneborn-Berger is the score against an opponent times that opponent's points, summed over all matches; Buchholz is the
sum of the opponents' points, each once a round. The direct encounter decides only if all tied entries have met.

In a Swiss event not everyone plays in every round, so unplayed rounds (byes, forfeits, rounds without a pairing) are
evened out, as in FIDE's handbook until 2023 for opponents and since then for oneself (C.07): an opponent's unplayed
round counts as a draw in its points, one's own as a match against a dummy with one's own points. Elsewhere a forfeit
counts as played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from arena.match.said import said


class PairingResult(NamedTuple):
    """One pairing that counts: what `a` and `b` (None: a bye) scored.

    `played` is False for byes and forfeits. `failed` are the sides that lost by a failure or did not come, by `cause`.
    A bye counts for as many `legs` as an encounter has.
    """

    round: int
    a: int
    b: int | None
    score_a: float
    score_b: float
    played: bool = True
    failed: tuple[int, ...] = ()
    cause: str = ""
    legs: int = 1


class Term(NamedTuple):
    """One summand, `factor` times `value`, for this opponent; None is an unplayed round, against oneself."""

    opponent: int | None
    value: float
    factor: float = 1.0


class Value(NamedTuple):
    """The value of a tie-break for an entry; None if it says nothing, for the reason in `note`."""

    number: float | None
    terms: tuple[Term, ...] = ()
    note: str = ""

    def explained(self, names: Mapping[int, str], speak: Callable[[str], str] = str) -> str:
        """The sum in words: `1 × 7 (delta) + ½ × 6.5 (gravity) = 10.25`. `speak` translates its words."""
        if self.number is None or not self.terms:
            return speak(self.note) if self.note else ""
        summands = " + ".join(_summand(term, names, speak) for term in self.terms)
        return f"{summands} = {points(self.number)}" + (f"; {speak(self.note)}" if self.note else "")


class OpponentResult(NamedTuple):
    """A result seen from one of its entries."""

    round: int
    opponent: int | None
    scored: float
    other: float
    played: bool
    failed: bool


class Field(NamedTuple):
    """Everyone's opponents, their points, and what they are worth in their opponents' tie-breaks."""

    opponents: Mapping[int, Sequence[OpponentResult]]
    points: Mapping[int, float]
    worth: Mapping[int, float]
    swiss: bool


class TieBreak(NamedTuple):
    """`of(field, entry, tied)` is the value among the `tied` entries; the higher value is ahead, or the lower."""

    slug: str
    title: str
    says: str
    of: Callable[[Field, int, Sequence[int]], Value]
    higher_wins: bool = True

    def key(self, value: Value) -> float:
        """The key to sort by, best first."""
        if value.number is None:
            return 0.0
        return -value.number if self.higher_wins else value.number


def field(entries: Sequence[int], results: Sequence[PairingResult], *, swiss: bool = False) -> Field:
    """The field that the tie-breaks examine."""
    opponents: dict[int, list[OpponentResult]] = {entry: [] for entry in entries}
    for result in sorted(results, key=lambda result: result.round):
        for entry, opponent, scored, other in _sides(result):
            opponents[entry].append(
                OpponentResult(result.round, opponent, scored, other, result.played, entry in result.failed)
            )
    total = {entry: sum(against.scored for against in met) for entry, met in opponents.items()}
    worth = dict(total)
    for result in results if swiss else ():
        for entry, _, scored, _ in () if result.played else _sides(result):
            worth[entry] += result.legs / 2 - scored
    return Field(opponents, total, worth, swiss)


def points(number: float) -> str:
    """`7`, `½`, `7½`, `10.25`."""
    whole, rest = divmod(number, 1)
    if rest == 0.5:
        return f"{int(whole) or ''}½"
    return f"{number:g}"


def _sides(result: PairingResult) -> list[tuple[int, int | None, float, float]]:
    mine = (result.a, result.b, result.score_a, result.score_b)
    return [mine] if result.b is None else [mine, (result.b, result.a, result.score_b, result.score_a)]


def _summand(term: Term, names: Mapping[int, str], speak: Callable[[str], str]) -> str:
    name = speak(said("unplayed")) if term.opponent is None else names[term.opponent]
    factor = "" if term.factor == 1 else f"{points(term.factor)} × "
    return f"{factor}{points(term.value)} ({name})"


def _direct(field: Field, entry: int, tied: Sequence[int]) -> Value:
    others = [other for other in tied if other != entry]
    if not others:
        return Value(None, note=said("nobody is tied with it"))
    if not _all_met(field, tied):
        return Value(None, note=said("not all tied players have met"))
    terms = [Term(m.opponent, m.scored) for m in field.opponents[entry] if m.opponent in others]
    return Value(sum(term.value for term in terms), _gathered(terms))


def _all_met(field: Field, tied: Sequence[int]) -> bool:
    return all({against.opponent for against in field.opponents[entry]} >= set(tied) - {entry} for entry in tied)


def _gathered(terms: Sequence[Term]) -> tuple[Term, ...]:
    """One term for each opponent."""
    total: dict[int | None, float] = {}
    for term in terms:
        total[term.opponent] = total.get(term.opponent, 0.0) + term.value
    return tuple(Term(opponent, value) for opponent, value in total.items())


def _wins(field: Field, entry: int, tied: Sequence[int]) -> Value:
    won = Counter(m.opponent for m in field.opponents[entry] if m.played and m.scored > m.other)
    return Value(float(won.total()), tuple(Term(opponent, float(count)) for opponent, count in won.items()))


def _sonneborn_berger(field: Field, entry: int, tied: Sequence[int]) -> Value:
    terms = [_against(field, entry, m, m.scored) for m in field.opponents[entry] if m.scored]
    return Value(sum(term.factor * term.value for term in terms), tuple(terms))


def _against(field: Field, entry: int, result: OpponentResult, factor: float = 1.0) -> Term:
    """The points of an opponent, or of the dummy of an unplayed round."""
    if result.opponent is None or (field.swiss and not result.played):
        return Term(None, field.points[entry], factor)
    return Term(result.opponent, field.worth[result.opponent], factor)


def _opponents(field: Field, entry: int) -> list[Term]:
    """Each opponent once a round, however many legs it took."""
    met = {(m.round, m.opponent): _against(field, entry, m) for m in field.opponents[entry]}
    return list(met.values())


def _buchholz(field: Field, entry: int, tied: Sequence[int]) -> Value:
    terms = _opponents(field, entry)
    return Value(sum(term.value for term in terms), tuple(terms))


def _buchholz_cut_1(field: Field, entry: int, tied: Sequence[int]) -> Value:
    terms = _opponents(field, entry)
    if terms:
        terms.remove(min(terms, key=lambda term: term.value))
    return Value(sum(term.value for term in terms), tuple(terms), said("the lowest is left out"))


def _failures(field: Field, entry: int, tied: Sequence[int]) -> Value:
    failed = Counter(m.opponent for m in field.opponents[entry] if m.failed)
    return Value(float(failed.total()), tuple(Term(opponent, float(count)) for opponent, count in failed.items()))


_ALL = (
    TieBreak("direct", said("Direct encounter"), said("points from the matches among tied players"), _direct),
    TieBreak("wins", said("Wins"), said("matches won at the board"), _wins),
    TieBreak(
        "sonneborn-berger",
        said("Sonneborn-Berger"),
        said("points of beaten opponents, and half the points of opponents in drawn matches"),
        _sonneborn_berger,
    ),
    TieBreak("buchholz", said("Buchholz"), said("points of all opponents"), _buchholz),
    TieBreak("buchholz-cut-1", said("Buchholz cut 1"), said("points of all opponents but the lowest"), _buchholz_cut_1),
    TieBreak(
        "failures",
        said("Fewer failures"),
        said("matches lost by a failure; fewer are better"),
        _failures,
        higher_wins=False,
    ),
)
TIE_BREAKS: dict[str, TieBreak] = {tie_break.slug: tie_break for tie_break in _ALL}
DEFAULT_TIE_BREAKS = {
    "round-robin": ("direct", "wins", "sonneborn-berger", "failures"),
    "gauntlet": ("wins", "failures"),
    "swiss": ("buchholz-cut-1", "buchholz", "sonneborn-berger", "direct", "failures"),
    "knockout": (),
}
