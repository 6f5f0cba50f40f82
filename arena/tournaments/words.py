"""What is said of a tournament in sentences and tables of text, the same on pages and on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.match.elo import los_words, places
from arena.tournaments.knockout import THIRD_PLACE_TITLE as THIRD_PLACE
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import Problem
from arena.tournaments.standings import possible
from arena.tournaments.tiebreaks import TIE_BREAKS, points

_NAMES = ("Sonneborn", "Buchholz", "Swiss")
FORMATS = {"round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss", "knockout": "Knockout"}


def winner_of(sheet: Sheet) -> str:
    """`gravity-9 wins with 12½ of 14 points`, `gravity-9 and delta3 share first place with 5 of 6 points`.

    "" before the end, and where nobody has a point.
    """
    if sheet.tournament.state != "finished" or not sheet.standings:
        return ""
    if sheet.is_knockout:
        return _knockout_ended(sheet)
    first = [line for line in sheet.standings if line.rank == 1]
    names = [sheet.names[line.entry] for line in first]
    most = {possible(line.entry, sheet.results) for line in first}
    if not first[0].points:
        return "Nobody has a point"
    with_points = f"with {points(first[0].points)}" + (
        f" of {points(most.pop())} points" if len(most) == 1 else " points"
    )
    return f"{names[0]} wins {with_points}" if len(names) == 1 else f"{_and(names)} share first place {with_points}"


def _knockout_ended(sheet: Sheet) -> str:
    """`delta3 wins the final against gravity-9, 1½ – ½; ada is third`."""
    bracket, names = sheet.bracket, sheet.names
    best, final = bracket.champion, bracket.final
    if best is None:
        return "Nobody wins: both have forfeited the final" if final else "Nobody wins: nobody is left for the final"
    said = f"{names[best]} wins {_final(sheet, best)}"
    third = [names[entry] for entry, reached in sheet.reached.items() if reached == THIRD_PLACE]
    return f"{said}; {third[0]} is third" if third else said


def _final(sheet: Sheet, best: int) -> str:
    met = sheet.bracket.final
    other = None if met is None else met.b if met.a == best else met.a
    if other is None:
        return "without a final: nobody was left to play it"
    cell, name = sheet.crosstable.get((best, other)), sheet.names[other]
    if cell is None:
        return f"the final against {name}"
    if not set(cell.results) - {"+", "-"}:
        return f"the final by forfeit of {name}"
    seeded = ", as the higher seed" if cell.scored == cell.other else ""
    return f"the final against {name}, {points(cell.scored)} to {points(cell.other)}{seeded}"


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def sentences(problems: Sequence[Problem]) -> str:
    """`name: …; legs: ….`"""
    return "; ".join(f"{problem.key}: {problem.sentence}" for problem in problems) + "."


def tie_break_order(sheet: Sheet) -> str:
    """The sentence under the table."""
    if sheet.is_knockout:
        return "Order: the round reached. Who goes out in the same round shares a place."
    order = ", then ".join(in_a_sentence(TIE_BREAKS[slug].title) for slug in sheet.tie_breaks)
    return f"Order: points, then {order}." if order else "Order: points."


def in_a_sentence(title: str) -> str:
    """The title of a tie-break or a format within a sentence: those that bear a name keep their capital."""
    return title if title.startswith(_NAMES) else f"{title[:1].lower()}{title[1:]}"


def table(sheet: Sheet) -> str:
    """The table as text, with a column for each opponent and the failures."""
    names, order = sheet.names, [line.entry for line in sheet.standings]
    likely = places(sheet.strengths)
    head = ["Rank", "Name", *(["Reached"] if sheet.is_knockout else []), "Points", "Played", "Won", "Drawn", "Lost"]
    head += ["Elo (95 %)", "By Elo", "LOS", "Failed"]
    rows = [head + [TIE_BREAKS[slug].title for slug in sheet.tie_breaks] + [str(n) for n in range(1, len(order) + 1)]]
    for line in sheet.standings:
        failed = sum(sheet.failures[line.entry].values())
        row = [str(line.rank), names[line.entry], *([sheet.reached.get(line.entry, "")] if sheet.is_knockout else [])]
        row += [points(line.points), str(line.played), str(line.won), str(line.drawn), str(line.lost)]
        row += [*strength(sheet, line.entry, likely), str(failed)]
        row += ["-" if value.number is None else points(value.number) for value in line.values.values()]
        rows.append(row + [_cell(sheet, line.entry, opponent) for opponent in order])
    return _aligned(rows)


def strength(sheet: Sheet, entry: int, likely: Mapping[int, tuple[int, int]]) -> tuple[str, str, str]:
    """Elo with its interval, the places by Elo that the intervals leave open, and the likelihood of superiority.

    `likely` are the places of everybody. Of who has not played at the board nothing is known.
    """
    if entry not in sheet.strengths:
        return "-", "-", "-"
    won, _, lost = sheet.records[entry]
    best, worst = likely[entry]
    return str(sheet.strengths[entry]), str(best) if best == worst else f"{best}-{worst}", los_words(won, lost)


def _cell(sheet: Sheet, entry: int, opponent: int) -> str:
    if entry == opponent:
        return "*"
    cell = sheet.crosstable.get((entry, opponent))
    return "." if cell is None else cell.results


def _aligned(rows: list[list[str]]) -> str:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if n == 1 else text.rjust(width)
            for n, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
