"""The table: ranks by points and tie-breaks, the crosstable, failures by cause. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.tournaments.tiebreaks import TIE_BREAKS, Field, PairingResult, Value, field


class Standing(NamedTuple):
    """A line of the table. Entries that cannot be told apart share a rank. `values` are the tie-breaks by slug."""

    rank: int
    entry: int
    points: float
    played: int
    won: int
    drawn: int
    lost: int
    values: Mapping[str, Value]


class CrossResult(NamedTuple):
    """The result between two entries, seen from the first: points of both, and `1½0` match by match."""

    scored: float
    other: float
    results: str


def standings(
    entries: Sequence[int], results: Sequence[PairingResult], tie_breaks: Sequence[str], *, swiss: bool = False
) -> list[Standing]:
    """All `entries` from first to last; seeds decide only the order of entries that share a rank."""
    all_of_them = field(entries, results, swiss=swiss)
    ranked: list[Standing] = []
    for group in _groups(entries, lambda entry: -all_of_them.points[entry]):
        values: dict[int, dict[str, Value]] = {entry: {} for entry in group}
        for shared in _split(all_of_them, group, tie_breaks, values):
            ranked += [_line(all_of_them, entry, len(ranked) + 1, values[entry]) for entry in shared]
            rank = len(ranked) - len(shared) + 1
            ranked[-len(shared) :] = [line._replace(rank=rank) for line in ranked[-len(shared) :]]
    return ranked


def ranked_by(
    entries: Sequence[int], results: Sequence[PairingResult], levels: Mapping[int, float], first: int = 1
) -> list[Standing]:
    """All `entries`, the highest level first; equal levels share a rank. Ranks begin at `first`."""
    all_of_them = field(entries, results)
    ranked: list[Standing] = []
    for group in _groups(entries, lambda entry: -levels.get(entry, 0.0)):
        rank = first + len(ranked)
        ranked += [_line(all_of_them, entry, rank, {}) for entry in group]
    return ranked


def crosstable(results: Iterable[PairingResult]) -> dict[tuple[int, int], CrossResult]:
    """The cells by (entry, opponent), for those who have met."""
    cells: dict[tuple[int, int], CrossResult] = {}
    for result in results:
        if result.b is not None:
            _add(cells, (result.a, result.b), result.score_a, result.score_b, result.played)
            _add(cells, (result.b, result.a), result.score_b, result.score_a, result.played)
    return cells


def at_the_board(results: Iterable[PairingResult]) -> dict[int, tuple[int, int, int]]:
    """Matches won, drawn and lost, without forfeits and byes, for entries that have played one."""
    found: dict[int, tuple[int, int, int]] = {}
    for result in results:
        if result.played and result.b is not None:
            both = (result.a, result.score_a, result.score_b), (result.b, result.score_b, result.score_a)
            for entry, mine, other in both:
                won, drawn, lost = found.get(entry, (0, 0, 0))
                found[entry] = (won + (mine > other), drawn + (mine == other), lost + (mine < other))
    return found


def possible(entry: int, results: Iterable[PairingResult]) -> float:
    """The points that an entry could have made in the pairings that count: one a match, and the worth of its byes."""
    return sum(float(result.legs) for result in results if entry in (result.a, result.b))


def failures(entries: Sequence[int], results: Iterable[PairingResult]) -> dict[int, Counter[str]]:
    """How often each entry failed, by cause."""
    found: dict[int, Counter[str]] = {entry: Counter() for entry in entries}
    for result in results:
        for entry in result.failed:
            found[entry][result.cause] += 1
    return found


def _split(
    all_of_them: Field, group: Sequence[int], tie_breaks: Sequence[str], values: dict[int, dict[str, Value]]
) -> Iterator[Sequence[int]]:
    """The group in order, split into parts that the tie-breaks cannot tell apart. Fills `values` for every entry."""
    if not tie_breaks:
        yield group
        return
    slug, *others = tie_breaks
    tie_break = TIE_BREAKS[slug]
    for entry in group:
        values[entry][slug] = tie_break.of(all_of_them, entry, group)
    for part in _groups(group, lambda entry: tie_break.key(values[entry][slug])):
        yield from _split(all_of_them, part, others, values)


def _groups(entries: Sequence[int], key: Callable[[int], float]) -> list[list[int]]:
    found: dict[float, list[int]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return [found[value] for value in sorted(found)]


def _line(all_of_them: Field, entry: int, rank: int, values: Mapping[str, Value]) -> Standing:
    met = [against for against in all_of_them.opponents[entry] if against.opponent is not None]
    won = sum(against.scored > against.other for against in met)
    lost = sum(against.scored < against.other or against.scored + against.other == 0 for against in met)
    played = len(met)
    return Standing(rank, entry, all_of_them.points[entry], played, won, played - won - lost, lost, values)


def _add(
    cells: dict[tuple[int, int], CrossResult], key: tuple[int, int], scored: float, other: float, played: bool
) -> None:
    cell = cells.get(key, CrossResult(0, 0, ""))
    signs = {1.0: "1", 0.5: "½", 0.0: "0"} if played else {1.0: "+", 0.5: "½", 0.0: "-"}
    sign = signs[scored]
    cells[key] = CrossResult(cell.scored + scored, cell.other + other, cell.results + sign)
