"""A tournament as its page shows it: from a sheet to words, cells and addresses. Queries no database.

Addresses name entries by their seed, which never changes: `/t/<slug>/2/5/` shows the matches of seeds 2 and 5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from arena.match.elo import places
from arena.match.endings import counts as is_counted
from arena.models import Entry, Tournament
from arena.tournaments import needed, words
from arena.tournaments.by_hand import is_by_hand
from arena.tournaments.knockout import THIRD_PLACE
from arena.tournaments.sheet import NO_SHOW, PairingLine, PairingMatch, Sheet
from arena.tournaments.tiebreaks import TIE_BREAKS
from arena.web.entries import scored
from arena.web.people.records import CAUSES
from arena.web.tournaments.sentences import STATES, about, given_up, numbers, says, spoken_sheet, why_away
from arena.web.words import level_name, spoken, together

# Every watcher gets the whole page each time. So a larger crosstable, the sums of more entries, and earlier rounds than
# those with so many encounters have pages of their own, which do not update by themselves.
MOST_IN_TABLE = 32
MOST_MET = 200
ALL_PLAY_ALL = ("round-robin", "gauntlet")
NEXT_SHOWN = 5
State = Tournament.State
# The state of a line of the schedule without a result.
STATUS = {
    "waiting": gettext_noop("not played yet"),
    "running": gettext_noop("running"),
    "void": gettext_noop("counts for nobody"),
    "handed": gettext_noop("the organiser decides"),
    "drawn": gettext_noop("given as a draw"),
    "dropped": gettext_noop("not played"),
    "bye": gettext_noop("bye"),
}


class CrossCell(NamedTuple):
    """The result between two entries: `spoken` is the full name of its link; `running`: a match is being played."""

    text: str
    spoken: str
    address: str
    running: bool
    opponent: str


class Sum(NamedTuple):
    """A tie-break of an entry: its number, and the sum it comes from, "" if that is on another page."""

    title: str
    number: str
    explained: str


class StandingRow(NamedTuple):
    """A line of the table. `cells` has None on the diagonal and stays empty if there is no crosstable."""

    rank: int
    number: int
    name: str
    address: str
    kind: str
    points: str
    played: int
    won: int
    drawn: int
    lost: int
    sums: list[Sum]
    elo: str
    by_elo: str
    los: str
    failed: str
    cells: list[CrossCell | None]
    reached: str = ""


class Met(NamedTuple):
    """An encounter of a round: `score` is "" if nothing counts yet, then `status` says what it waits for.

    `by_hand`: its organiser has set it.
    """

    a: str
    b: str
    score: str
    status: str
    address: str
    running: bool
    about: str = ""
    by_hand: bool = False


class Ruled(NamedTuple):
    """A ruling by staff: the ending, which stays, what counts instead, and why."""

    names: str
    ended: str
    counts: str
    reason: str
    actor: str
    address: str


def shown(
    sheet: Sheet,
    here: Collection[int] = (),
    lacking: Collection[int] = (),
    tie_break: str = "",
    in_full: bool = False,
) -> dict[str, Any]:
    """Everything in the live part of the page. `here` are the players of connected bots, `lacking` of those that this
    server cannot start, `tie_break` the one that this viewer wants to see first, "" for the order of the event, which
    decides. `in_full`: all sums and rounds of a large event too.
    """
    sheet = spoken_sheet(sheet)
    tournament, progress = sheet.tournament, sheet.progress
    ordered = sheet.by(tie_break)
    crossed = sheet.tournament.format in ALL_PLAY_ALL and bool(sheet.lines)
    strength = any(entry.kind != Entry.Kind.PERSON for entry in sheet.entries.values())
    fits = len(ordered.standings) <= MOST_IN_TABLE
    table = rows(ordered, crossed=crossed and fits, summed=fits or in_full)
    newest = rounds(sheet, None if in_full else MOST_MET)
    return {
        "tournament": tournament,
        "about": together(about(sheet)),
        "tag": _(STATES[tournament.state]),
        "says": says(sheet, here, lacking),
        "progress": progress,
        "begun": bool(sheet.lines),
        "rows": table,
        "crossed": bool(table and table[0].cells),
        "elsewhere": crossed and not fits,
        "summed": fits or in_full,
        "titles": [(spoken(TIE_BREAKS[slug].title), spoken(TIE_BREAKS[slug].says)) for slug in ordered.tie_breaks],
        "order": spoken(words.tie_break_order(ordered)),
        "breaks": [] if sheet.is_knockout else _breaks(tie_break),
        "numbers": numbers(sheet, strength),
        "tie_break": tie_break,
        "strength": strength,
        "knockout": sheet.is_knockout,
        "entrants": entrants(sheet, here, lacking),
        "next": [_names(sheet, line) for line in sheet.lines if line.status == "waiting"][:NEXT_SHOWN],
        "handed": [(_names(sheet, line), address(sheet, line)) for line in sheet.lines if line.status == "handed"],
        "rounds": newest,
        "earlier": sheet.tournament.format == "swiss" and len(newest) < len({line.round for line in sheet.lines}),
        "ruled": rulings(sheet),
        "disabled": [(each.name, each.player.get_absolute_url()) for each in needed.disabled(sheet) if each.player],
        "given_up": [given_up(sheet, entry) for entry in sheet.entries.values() if entry.absent],
        "annulled": ", ".join(sheet.names[pk] for pk in sheet.annulled),
    }


def _breaks(tie_break: str) -> list[tuple[str, str, str, bool]]:
    return [(each.slug, spoken(each.title), spoken(each.says), each.slug == tie_break) for each in TIE_BREAKS.values()]


def score_between(sheet: Sheet, match: str) -> str:
    """The score so far between the two players of a running match in this event, the first mover on the left."""
    line = next((line for line in sheet.lines if line.match is not None and line.match.id == match), None)
    met = line and sheet.crosstable.get((line.a, line.b or 0))
    return f"{scored(met.scored)} – {scored(met.other)}" if met else "0 – 0"


def entrants(sheet: Sheet, here: Collection[int], lacking: Collection[int]) -> list[tuple[int, str, str, str]]:
    """Seed, name, kind, and why it could not play now."""
    there = [entry for entry in sheet.entries.values() if entry.withdrawn is None]
    return [(entry.seed, entry.name, kind_of(entry), why_away(entry, here, lacking)) for entry in there]


def kind_of(entry: Entry) -> str:
    if entry.kind == Entry.Kind.BUILTIN:
        return _("built-in, {level}").format(level=level_name(entry.level))
    return _(entry.get_kind_display())


# -- the table ---------------------------------------------------------------------------------------------------------


def rows(sheet: Sheet, *, crossed: bool = True, summed: bool = True) -> list[StandingRow]:
    """The table, with or without the cells of a crosstable and the sums of its tie-breaks."""
    order = [line.entry for line in sheet.standings] if crossed else []
    met = _lines_by_pair(sheet)
    failed, likely = sheet.failures, places(sheet.strengths)
    found = []
    for number, line in enumerate(sheet.standings, 1):
        entry = sheet.entries[line.entry]
        sums = [_sum(sheet, slug, value, summed) for slug, value in line.values.items()]
        found.append(
            StandingRow(
                line.rank,
                number,
                entry.name,
                entry.player.get_absolute_url() if entry.player is not None else "",
                entry.kind,
                scored(line.points),
                *(line.played, line.won, line.drawn, line.lost),
                sums,
                *_strength(sheet, line.entry, likely),
                _failed(failed[line.entry]),
                [_cell(sheet, met, line.entry, other) for other in order],
                spoken(sheet.reached.get(line.entry, "")),
            )
        )
    return found


def _strength(sheet: Sheet, entry: int, likely: Mapping[int, tuple[int, int]]) -> tuple[str, str, str]:
    """The same as on the command line, with typographic signs."""
    difference, place, los = words.strength(sheet, entry, likely)
    if difference == "-":
        return "–", "–", "–"
    low, high = difference.replace("-", "\N{MINUS SIGN}").split(" to ")
    return _("{low} to {high}").format(low=low, high=high), place.replace("-", "–"), _percent(los)


def _percent(text: str) -> str:
    return text.replace("%", " %").replace(".", get_format("DECIMAL_SEPARATOR"))


def _sum(sheet: Sheet, slug: str, value: Any, summed: bool) -> Sum:
    number = "–" if value.number is None else scored(value.number)
    if not summed:
        return Sum(spoken(TIE_BREAKS[slug].title), number, "")
    nothing = _("Nothing to add up: {n}.").format(n=number)
    return Sum(spoken(TIE_BREAKS[slug].title), number, value.explained(sheet.names, spoken) or nothing)


def _failed(causes: Mapping[str, int]) -> str:
    """`3: clock 2, did not come 1`; "" for none."""
    if not causes:
        return ""
    said = (f"{cause_words(cause)} {number}" for cause, number in sorted(causes.items(), key=lambda item: -item[1]))
    return f"{sum(causes.values())}: {', '.join(said)}"


def cause_words(cause: str) -> str:
    return _("did not come") if cause == NO_SHOW else _(CAUSES.get(cause, cause.replace("_", " ")))


def _lines_by_pair(sheet: Sheet) -> dict[frozenset[int], list[PairingLine]]:
    found: dict[frozenset[int], list[PairingLine]] = {}
    for line in sheet.lines:
        if line.b is not None:
            found.setdefault(frozenset((line.a, line.b)), []).append(line)
    return found


def _cell(sheet: Sheet, met: Mapping[frozenset[int], list[PairingLine]], entry: int, other: int) -> CrossCell | None:
    if entry == other:
        return None
    lines = met.get(frozenset((entry, other)), [])
    mine, theirs = sheet.names[entry], sheet.names[other]
    running = any(line.status == "running" for line in lines)
    cell = sheet.crosstable.get((entry, other))
    score = _("{scored} to {other}").format(scored=scored(cell.scored), other=scored(cell.other)) if cell else ""
    said = [score] if score else []
    said += [_("running")] if running else []
    where = f"/t/{sheet.tournament.slug}/{sheet.entries[entry].seed}/{sheet.entries[other].seed}/" if lines else ""
    who = _("{first} against {second}").format(first=mine, second=theirs)
    name = f"{who}: {', '.join(said) or _(STATUS['waiting'])}"
    return CrossCell(scored(cell.scored) if cell else "", name, where, running, theirs)


# -- rounds, decisions -------------------------------------------------------------------------------------------------


def rounds(sheet: Sheet, most: int | None = None) -> list[tuple[str, list[Met]]]:
    """The rounds: newest first in a Swiss event, in order in a knockout; none in an all-play-all event. Earlier rounds
    of a Swiss event with more encounters than `most` are left out.
    """
    if sheet.tournament.format in ALL_PLAY_ALL:
        return []
    by_round: dict[int, dict[int, list[PairingLine]]] = {}
    for line in sheet.lines:
        by_round.setdefault(line.round, {}).setdefault(line.number, []).append(line)
    ordered = sorted(by_round.items(), reverse=sheet.tournament.format == "swiss")
    if most is not None and sheet.tournament.format == "swiss":
        so_far = list(accumulate(len(met) for _, met in ordered))
        ordered = [each for each, count in zip(ordered, so_far, strict=True) if count <= most] or ordered[:1]
    return [(_round_title(sheet, number), [_met(sheet, lines) for lines in met.values()]) for number, met in ordered]


def _round_title(sheet: Sheet, round: int) -> str:
    return spoken(sheet.bracket.round_title(round)) if sheet.is_knockout else _("Round {n}").format(n=round)


def _met(sheet: Sheet, lines: list[PairingLine]) -> Met:
    a, b = lines[0].a, lines[0].b
    if b is None:
        return Met(sheet.names[a], "", "", _(STATUS["bye"]), "", False)
    results = [result for line in lines if (result := line.result(sheet.legs)) is not None]
    mine = sum(each.score_a if each.a == a else each.score_b for each in results)
    theirs = sum(each.score_a if each.a == b else each.score_b for each in results)
    score = f"{scored(mine)} – {scored(theirs)}" if results else ""
    running = any(line.status == "running" for line in lines)
    status = STATUS["running"] if running else "" if results else STATUS.get(lines[0].status, lines[0].status)
    where = lines[0].round, lines[0].number
    is_for_third = sheet.is_knockout and where == (sheet.bracket.rounds, THIRD_PLACE)
    about = _("For the third place") if is_for_third else ""
    told = (score, status and _(status), address(sheet, lines[0]), running, about, is_by_hand(sheet, lines[0]))
    return Met(sheet.names[a], sheet.names[b], *told)


def rulings(sheet: Sheet) -> list[Ruled]:
    """Every ruling that the table takes into account."""
    found = []
    for line in sheet.lines:
        if line.match is not None and line.match.verdict:
            match = line.match
            names = _names(sheet, line)
            said = ended(sheet, line, match)
            found.append(Ruled(names, said, counts(sheet, line, match), match.ruled_reason, match.actor, match.id))
    return found


def ended(sheet: Sheet, line: PairingLine, match: PairingMatch) -> str:
    """How a match ended on its own: `won by gravity-9: clock`, `drawn`, `running`."""
    if match.ended_at is None:
        return _(STATUS["running"])
    cause = cause_words(match.termination or "")
    if match.winner is not None:
        winner = line.a if match.winner == 0 else line.b
        return _("{name} won: {why}").format(name=sheet.names[winner or 0], why=cause)
    if is_counted(match.termination or ""):  # whatever staff have ruled since
        return _("drawn")
    return _("no result: {why}").format(why=cause)


def counts(sheet: Sheet, line: PairingLine, match: PairingMatch) -> str:
    """The result of a ruling: `a win of delta3`, `a draw`, `nothing`."""
    if match.verdict == "win":
        winner = line.a if match.ruled_winner == 0 else line.b
        return _("a win of {name}").format(name=sheet.names[winner or 0])
    return _("a draw") if match.verdict == "draw" else _("nothing")


def address(sheet: Sheet, line: PairingLine) -> str:
    """The address of the page with the matches of these two."""
    seeds = (sheet.entries[line.a].seed, sheet.entries[line.b].seed if line.b is not None else 0)
    return f"/t/{sheet.tournament.slug}/{seeds[0]}/{seeds[1]}/"


def _names(sheet: Sheet, line: PairingLine) -> str:
    return f"{sheet.names[line.a]} – {sheet.names[line.b] if line.b is not None else _(STATUS['bye'])}"
