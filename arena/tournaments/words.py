"""A tournament in sentences and tables of text, the same on pages and on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.match.elo import los_words, places
from arena.match.said import Said, said
from arena.tournaments.knockout import THIRD_PLACE_TITLE as THIRD_PLACE
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.spec import Problem, swiss_rounds
from arena.tournaments.standings import possible
from arena.tournaments.tiebreaks import TIE_BREAKS, points

FORMATS = {
    "round-robin": said("Round robin"),
    "gauntlet": said("Gauntlet"),
    "swiss": said("Swiss"),
    "knockout": said("Knockout"),
}
# Who meets whom in each of them.
FORMATS_SAY = {
    "round-robin": said("Everyone meets everyone."),
    "gauntlet": said("Seed 1 meets everyone else; the others do not meet each other."),
    "swiss": said("In each round players with equal points meet, and nobody meets the same opponent twice."),
    "knockout": said("Losers are out. If places in the first round stay free, the best seeds skip it."),
}

_STATES = {
    "draft": said("a draft"),
    "waiting": said("open"),
    "running": said("under way"),
    "paused": said("paused"),
    "finished": said("finished"),
}
# Titles that keep their capital within a sentence, because they contain a name.
_IN_A_SENTENCE = {
    "Round robin": said("round robin"),
    "Gauntlet": said("gauntlet"),
    "Knockout": said("knockout"),
    "Direct encounter": said("direct encounter"),
    "Wins": said("wins"),
    "Fewer failures": said("fewer failures"),
}


def winner_of(sheet: Sheet) -> str:
    """`gravity-9 wins with 12½ of 14 points`, `gravity-9 and delta3 share first place with 5 of 6 points`.

    "" before the end. Nobody wins a gauntlet, in which only one entry has met all others: its points are told.
    """
    if sheet.tournament.state != "finished" or not sheet.standings:
        return ""
    if sheet.is_knockout:
        return _knockout_ended(sheet)
    if sheet.tournament.format == "gauntlet":
        return _gauntlet_ended(sheet)
    first = [line for line in sheet.standings if line.rank == 1]
    names = [sheet.names[line.entry] for line in first]
    most = {possible(line.entry, sheet.results) for line in first}
    if not first[0].points:
        return said("Nobody has a point")
    told = {"points": points(first[0].points), "all": points(most.pop()) if len(most) == 1 else ""}
    if len(names) == 1:
        if told["all"]:
            return said("{name} wins with {points} of {all} points", name=names[0], **told)
        return said("{name} wins with {points} points", name=names[0], **told)
    if told["all"]:
        return said("{names} share first place with {points} of {all} points", names=_and(names), **told)
    return said("{names} share first place with {points} points", names=_and(names), **told)


def _gauntlet_ended(sheet: Sheet) -> str:
    """`gravity-9 scored 5½ of 8 points in the gauntlet`."""
    one = next(iter(sheet.entries))
    has = [line.points for line in sheet.standings if line.entry == one]
    if not has:
        return said("{name} withdrew", name=sheet.names[one])
    told = {"points": points(has[0]), "all": points(possible(one, sheet.results))}
    return said("{name} scored {points} of {all} points in the gauntlet", name=sheet.names[one], **told)


def _knockout_ended(sheet: Sheet) -> str:
    """`delta3 wins the final against gravity-9, 1½ to ½; ada is third`."""
    bracket, names = sheet.bracket, sheet.names
    best, final = bracket.champion, bracket.final
    if best is None:
        if final and not bracket.is_nobodys:  # staff have ruled on a match after the end
            return said("The final has no winner: play one of its matches again, or decide it otherwise")
        if final:
            return said("Nobody wins: both have forfeited the final")
        return said("Nobody wins: nobody is left for the final")
    won = _final(sheet, best)
    third = [names[entry] for entry, reached in sheet.reached.items() if reached == THIRD_PLACE]
    return said("{won}; {name} is third", won=won, name=third[0]) if third else won


def _final(sheet: Sheet, best: int) -> Said:
    met, name = sheet.bracket.final, sheet.names[best]
    other = None if met is None else met.b if met.a == best else met.a
    if other is None:
        return said("{name} wins without a final: nobody was left to play it", name=name)
    cell, lost = sheet.crosstable.get((best, other)), sheet.names[other]
    if cell is None:
        return said("{name} wins the final against {other}", name=name, other=lost)
    if not set(cell.results) - {"+", "-"}:
        return said("{name} wins the final by forfeit of {other}", name=name, other=lost)
    told = {"name": name, "other": lost, "scored": points(cell.scored), "lost": points(cell.other)}
    if cell.scored == cell.other:
        return said("{name} wins the final against {other}, {scored} to {lost}, as the higher seed", **told)
    return said("{name} wins the final against {other}, {scored} to {lost}", **told)


def _and(names: Sequence[str]) -> str:
    return said("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def withdrew(name: str) -> Said:
    return said("{name} withdrew", name=name)


def did_not_come(name: str) -> Said:
    return said("{name} did not come", name=name)


def both_away(first: str, second: str) -> Said:
    return said("{first} and {second} did not come", first=first, second=second)


def one_and_other(one: str, other: str) -> Said:
    return said("{one} and {other}", one=one, other=other)


def reason_said(sheet: Sheet, line: PairingLine) -> str:
    """Why a pairing has its result. Stored as text; ours are built again, for pages in any language."""
    names = [sheet.names[pk] for pk in (line.a, line.b) if pk is not None]
    ours = [words(name) for name in names for words in (withdrew, did_not_come)]
    ours += [both_away(one, other) for one in names for other in names if one != other]
    ours += [one_and_other(one, other) for one in ours for other in ours]
    return next((words for words in ours if line.by_absence and words == line.reason), line.reason)


def why_said(sheet: Sheet) -> str:
    """Why an event has ended early or could not begin, built again in the same way."""
    why = sheet.tournament.why
    ended = early(sheet.round, swiss_rounds(len(sheet.entries), sheet.rounds) if sheet.entries else 0)
    ours = [ended, *(stuck(sheet.round + 1, rules) for rules in ("apart", "next_pairs", "both"))]
    return next((words for words in ours if words == why), why)


def early(round: int, rounds: int) -> Said:
    return said(
        "Finished after round {round} of {rounds}. No further round can be paired: everyone has met everyone that is "
        "left.",
        round=round,
        rounds=rounds,
    )


def stuck(round: int, rules: str) -> Said:
    """Why a round cannot be paired as its organiser has set it: because of those `apart`, the `next_pairs`, or both. At
    most 200 letters.
    """
    if rules == "apart":
        return said(
            "Round {n} cannot be paired without two who are kept apart. Let some of them meet (“Pairings”), then "
            "resume.",
            n=round,
        )
    if rules == "next_pairs":
        return said(
            "Round {n} cannot be paired beside the pairings that are set for it. Take some back (“Pairings”), then "
            "resume.",
            n=round,
        )
    return said(
        "Round {n} cannot be paired with those who are kept apart and the pairings that are set for it. Take some back "
        "(“Pairings”), then resume.",
        n=round,
    )


def state_words(state: str) -> str:
    """`running`, in a sentence about an event."""
    return _STATES.get(state, state)


def sentences(problems: Sequence[Problem]) -> str:
    """`name: …; legs: ….`"""
    return said("{all}.", all=listed([said("{key}: {why}", key=each.key, why=each.sentence) for each in problems]))


def listed(parts: Sequence[str]) -> str:
    """`…; …`, "" for none."""
    whole = parts[0] if parts else ""
    for each in parts[1:]:
        whole = said("{some}; {more}", some=whole, more=each)
    return whole


def tie_break_order(sheet: Sheet) -> str:
    """The sentence under the table."""
    if sheet.is_knockout:
        return said("Order: the round reached. Players who go out in the same round share a place.")
    return order_of(sheet.tie_breaks)


def order_of(tie_breaks: Sequence[str]) -> Said:
    """The tie-breaks that decide between equal points, in order."""
    if not tie_breaks:
        return said("Order: points.")
    order = in_a_sentence(TIE_BREAKS[tie_breaks[0]].title)
    for slug in tie_breaks[1:]:
        order = said("{before}, then {title}", before=order, title=in_a_sentence(TIE_BREAKS[slug].title))
    return said("Order: points, then {order}.", order=order)


def in_a_sentence(title: str) -> str:
    """The title of a tie-break or a format within a sentence: titles that contain a name keep their capital."""
    return _IN_A_SENTENCE.get(title, title)


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
    """Elo with its interval, the places by Elo that the intervals allow, and the likelihood of superiority.

    `likely` are the places of everybody. Entries that have not played at the board are left out.
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
