"""What is said of a tournament in sentences and tables of text, the same on pages and on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from arena.ratings.elo import elo, los
from arena.tournaments.rounds import champion
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import Problem
from arena.tournaments.tiebreaks import TIE_BREAKS, points

_NAMES = ("Sonneborn", "Buchholz", "Swiss")
FORMATS = {"round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss", "knockout": "Knockout"}


def winner_of(sheet: Sheet) -> str:
    """`gravity-9 wins with 12½ of 14`, `gravity-9 and delta3 share first place with 5 of 6`; "" before the end."""
    if sheet.tournament.state != "finished" or not sheet.standings:
        return ""
    if sheet.tournament.format == "knockout":
        best = champion(sheet)
        return "" if best is None else f"{sheet.names[best]} wins the knockout"
    first = [line for line in sheet.standings if line.rank == 1]
    names = [sheet.names[line.entry] for line in first]
    of = f"with {points(first[0].points)} of {first[0].played}"
    return (
        f"{names[0]} wins {of}"
        if len(names) == 1
        else f"{', '.join(names[:-1])} and {names[-1]} share first place {of}"
    )


def sentences(problems: Sequence[Problem]) -> str:
    """`name: …; legs: ….`"""
    return "; ".join(f"{problem.key}: {problem.sentence}" for problem in problems) + "."


def tie_break_order(sheet: Sheet) -> str:
    """The sentence under the table."""
    order = ", then ".join(in_a_sentence(TIE_BREAKS[slug].title) for slug in sheet.tie_breaks)
    return f"Order: points, then {order}." if order else "Order: points."


def in_a_sentence(title: str) -> str:
    """The title of a tie-break or a format within a sentence: those that bear a name keep their capital."""
    return title if title.startswith(_NAMES) else f"{title[:1].lower()}{title[1:]}"


def table(sheet: Sheet) -> str:
    """The table as text, with a column for each opponent and the failures."""
    names, order = sheet.names, [line.entry for line in sheet.standings]
    head = ["Rank", "Name", "Points", "Played", "Won", "Drawn", "Lost", "Elo", "LOS", "Failed"]
    rows = [head + [TIE_BREAKS[slug].title for slug in sheet.tie_breaks] + [str(n) for n in range(1, len(order) + 1)]]
    for line in sheet.standings:
        failed = sum(sheet.failures[line.entry].values())
        row = [str(line.rank), names[line.entry], points(line.points), str(line.played)]
        row += [str(line.won), str(line.drawn), str(line.lost), str(elo(line.won, line.drawn, line.lost))]
        row += [f"{los(line.won, line.lost):.0%}", str(failed)]
        row += ["-" if value.number is None else points(value.number) for value in line.values.values()]
        rows.append(row + [_cell(sheet, line.entry, opponent) for opponent in order])
    return _aligned(rows)


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
