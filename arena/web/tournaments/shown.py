"""A tournament as its page shows it: from a sheet to words, cells and addresses. Asks no database.

Entries stand in addresses by their seed, which never changes: `/t/<slug>/2/5/` is what seeds 2 and 5 played.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from arena.match.clock import parse_clock
from arena.match.elo import places
from arena.models import Entry, Tournament
from arena.play.thinking import title as level_title
from arena.tournaments import leaving, words
from arena.tournaments.actions import WHEN_HERE
from arena.tournaments.knockout import THIRD_PLACE
from arena.tournaments.players import is_here
from arena.tournaments.sheet import NO_SHOW, PairingLine, PairingMatch, Sheet
from arena.tournaments.tiebreaks import TIE_BREAKS, points
from arena.web.people.records import CAUSES
from arena.web.words import clock_words, held_words, title
from games import variant

# A crosstable of more is a page of its own, which does not change by itself: every watcher would be sent all of it.
MOST_IN_TABLE = 32
ALL_PLAY_ALL = ("round-robin", "gauntlet")
NEXT_SHOWN = 5
State = Tournament.State
# The tag beside the name.
STATES = {"draft": "Draft", "waiting": "Open", "running": "Live", "paused": "Paused", "finished": "Finished"}
# What a line of the schedule is, where it has no result.
STATUS = {
    "waiting": "not played yet",
    "running": "running",
    "void": "counts for nobody",
    "handed": "the organiser decides",
    "drawn": "given as a draw",
    "dropped": "not played",
    "bye": "bye",
}


class CrossCell(NamedTuple):
    """What two made of each other: `spoken` is the whole name of its link; `running` where a match is being played."""

    text: str
    spoken: str
    address: str
    running: bool
    opponent: str


class Sum(NamedTuple):
    """A tie-break of an entry: its number, and the sum it comes from."""

    title: str
    number: str
    explained: str


class StandingRow(NamedTuple):
    """A line of the table. `cells` has None on the diagonal and stays empty where there is no crosstable."""

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
    """An encounter of a round: `score` is "" where nothing counts yet, `status` says then what it waits for."""

    a: str
    b: str
    score: str
    status: str
    address: str
    running: bool
    about: str = ""


class Ruled(NamedTuple):
    """A decision of staff: the ending that stays, what counts, and why."""

    names: str
    ended: str
    counts: str
    reason: str
    actor: str
    address: str


def shown(sheet: Sheet, here: Collection[int] = (), tie_break: str = "") -> dict[str, Any]:
    """Everything that the live part of the page says. `here` are the players of bots that are connected, `tie_break`
    the one that this viewer wants to see first, "" for the order of the event, which decides.
    """
    tournament, progress = sheet.tournament, sheet.progress
    ordered = sheet.by(tie_break)
    crossed = sheet.tournament.format in ALL_PLAY_ALL and bool(sheet.lines)
    strength = any(entry.kind != Entry.Kind.PERSON for entry in sheet.entries.values())
    table = rows(ordered, crossed=crossed and len(ordered.standings) <= MOST_IN_TABLE)
    return {
        "tournament": tournament,
        "about": about(sheet),
        "tag": STATES[tournament.state],
        "says": says(sheet, here),
        "progress": progress,
        "begun": bool(sheet.lines),
        "rows": table,
        "crossed": bool(table and table[0].cells),
        "elsewhere": crossed and len(table) > MOST_IN_TABLE,
        "titles": [(TIE_BREAKS[slug].title, TIE_BREAKS[slug].says) for slug in ordered.tie_breaks],
        "order": words.tie_break_order(ordered),
        "breaks": [] if sheet.is_knockout else _breaks(tie_break),
        "numbers": _numbers(sheet, strength),
        "tie_break": tie_break,
        "strength": strength,
        "knockout": sheet.is_knockout,
        "entrants": entrants(sheet, here),
        "next": [_names(sheet, line) for line in sheet.lines if line.status == "waiting"][:NEXT_SHOWN],
        "handed": [(_names(sheet, line), address(sheet, line)) for line in sheet.lines if line.status == "handed"],
        "rounds": rounds(sheet),
        "ruled": rulings(sheet),
        "given_up": [given_up(sheet, entry) for entry in sheet.entries.values() if entry.absent],
        "annulled": ", ".join(sheet.names[pk] for pk in sheet.annulled),
    }


def _breaks(tie_break: str) -> list[tuple[str, str, str, bool]]:
    return [(each.slug, each.title, each.says, each.slug == tie_break) for each in TIE_BREAKS.values()]


def _numbers(sheet: Sheet, strength: bool) -> list[tuple[str, str]]:
    """What each column counts, in a sentence."""
    bye = f"a bye {points(float(sheet.legs))}" if sheet.tournament.format in ("swiss", "knockout") else ""
    said = [
        ("Points", f"a win is worth 1, a draw ½{f', {bye}' if bye else ''}; a forfeit is a win of the opponent."),
        ("Played, W, D, L", "matches that count, forfeits among them, byes not. Both can lose a match by forfeit."),
    ]
    if sheet.is_knockout:
        said.insert(0, ("Reached", "the last round that somebody came to; it decides the place."))
    if strength:
        said += [
            (
                "Elo (95 %)",
                "how much stronger than its opponents here, by the matches at the board, with the interval that holds "
                "the true difference 95 times of 100. One win and one loss are added: a few matches say little.",
            ),
            ("By Elo", "the places that the intervals leave open: those whose intervals overlap are tied."),
            ("LOS", "how likely it is stronger than its opponents here. Draws say nothing about it."),
        ]
    return [*said, ("Failed", "matches lost by time, by a crash, by a wrong output or by not coming.")]


def about(sheet: Sheet) -> str:
    """`Connect Four 7 × 6, round robin, 8 take part, 2 rounds each, 10 s a move`."""
    tournament = sheet.tournament
    each = "1 round each" if sheet.legs == 1 else f"{sheet.legs} rounds each"
    there = sum(entry.withdrawn is None for entry in sheet.entries.values())
    said = [
        title(variant(tournament.variant)),
        words.in_a_sentence(words.FORMATS[tournament.format]),
        f"{there} take part",
        each,
    ]
    clock = clock_words(parse_clock(tournament.settings.get("clock", "none")))
    held = held_words(tournament.settings.get("adjudicate", 0))
    return ", ".join(filter(None, [*said, clock, held]))


def says(sheet: Sheet, here: Collection[int] = ()) -> str:
    """The state in a sentence."""
    tournament, progress = sheet.tournament, sheet.progress
    why = f" {tournament.why}" if tournament.why else ""
    match tournament.state:
        case State.DRAFT:
            return "A draft: only its organiser sees it." + why
        case State.WAITING:
            there = sum(is_here(entry, here) for entry in sheet.entries.values())
            return f"{there} of {len(sheet.entries)} are connected. {begins(tournament)}{why}"
        case State.PAUSED:
            return f"Paused at {progress.played} of {progress.total}: what runs is played to its end, nothing begins."
        case State.FINISHED:
            won = words.winner_of(sheet)
            final = f" Final table, published at {at(tournament.published)}." if tournament.published else ""
            return (f"{won}." if won else "Finished.") + why + final
    return f"{progress.played} of {progress.total} played." + why


def begins(tournament: Tournament) -> str:
    """When one that waits begins: `Starts when all are here or at 18:00 UTC on 21 Nov.`"""
    whens = ["when all are here"] if tournament.settings.get(WHEN_HERE) else []
    whens += [f"at {at(tournament.starts)}"] if tournament.starts else []
    return f"Starts {' or '.join(whens)}." if whens else "The organiser starts it."


def at(moment: datetime) -> str:
    """`18:00 UTC on 21 Nov`."""
    utc = moment.astimezone(UTC)
    return f"{utc:%H:%M} UTC on {utc.day} {utc:%b}"


def entrants(sheet: Sheet, here: Collection[int]) -> list[tuple[int, str, str, bool]]:
    """Seed, name, what it is, whether it could play now."""
    there = [entry for entry in sheet.entries.values() if entry.withdrawn is None]
    return [(entry.seed, entry.name, kind_of(entry), is_here(entry, here)) for entry in there]


def given_up(sheet: Sheet, entry: Entry) -> str:
    """`delta3 missed two calls at 18:04 UTC on 21 Nov: 20 pairings are lost by forfeit. …`"""
    assert entry.absent is not None, "it was given up"
    lost = sum(line.by_absence and entry.pk in (line.a, line.b) for line in sheet.lines)
    said = f"{entry.name} missed two calls by {at(entry.absent)}: "
    said += f"{lost} {'pairing is' if lost == 1 else 'pairings are'} lost by forfeit."
    until = at(entry.absent + leaving.TAKEN_BACK)
    return f"{said} The organiser can take that back until {until}." if leaving.may_be_taken_back(entry) else said


def kind_of(entry: Entry) -> str:
    return f"built-in, {level_title(entry.level)}" if entry.kind == Entry.Kind.BUILTIN else entry.get_kind_display()


# -- the table ---------------------------------------------------------------------------------------------------------


def rows(sheet: Sheet, *, crossed: bool = True) -> list[StandingRow]:
    """The table, with the cells of a crosstable or without."""
    order = [line.entry for line in sheet.standings] if crossed else []
    met = _lines_by_pair(sheet)
    failed, likely = sheet.failures, places(sheet.strengths)
    found = []
    for number, line in enumerate(sheet.standings, 1):
        entry = sheet.entries[line.entry]
        sums = [_sum(sheet, slug, value) for slug, value in line.values.items()]
        found.append(
            StandingRow(
                line.rank,
                number,
                entry.name,
                _of_player(entry),
                entry.kind,
                points(line.points),
                *(line.played, line.won, line.drawn, line.lost),
                sums,
                *_strength(sheet, line.entry, likely),
                _failed(failed[line.entry]),
                [_cell(sheet, met, line.entry, other) for other in order],
                sheet.reached.get(line.entry, ""),
            )
        )
    return found


def _strength(sheet: Sheet, entry: int, likely: Mapping[int, tuple[int, int]]) -> tuple[str, str, str]:
    """The same as on the command line, with the signs of print."""
    difference, place, los = words.strength(sheet, entry, likely)
    if difference == "-":
        return "–", "–", "–"
    return difference.replace("-", "\N{MINUS SIGN}"), place.replace("-", "–"), los.replace("%", " %")


def _sum(sheet: Sheet, slug: str, value: Any) -> Sum:
    number = "–" if value.number is None else points(value.number)
    return Sum(TIE_BREAKS[slug].title, number, value.explained(sheet.names) or f"Nothing to add up: {number}.")


def _failed(causes: Mapping[str, int]) -> str:
    """`3: clock 2, did not come 1`; "" for none."""
    if not causes:
        return ""
    said = (f"{cause_words(cause)} {number}" for cause, number in sorted(causes.items(), key=lambda item: -item[1]))
    return f"{sum(causes.values())}: {', '.join(said)}"


def cause_words(cause: str) -> str:
    return "did not come" if cause == NO_SHOW else CAUSES.get(cause, cause.replace("_", " "))


def _of_player(entry: Entry) -> str:
    return entry.player.get_absolute_url() if entry.player is not None else ""


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
    score = f"{points(cell.scored)} to {points(cell.other)}" if cell else ""
    said = [score] if score else []
    said += ["running"] if running else []
    where = f"/t/{sheet.tournament.slug}/{sheet.entries[entry].seed}/{sheet.entries[other].seed}/" if lines else ""
    spoken = f"{mine} against {theirs}: {', '.join(said) or STATUS['waiting']}"
    return CrossCell(points(cell.scored) if cell else "", spoken, where, running, theirs)


# -- rounds, decisions -------------------------------------------------------------------------------------------------


def rounds(sheet: Sheet) -> list[tuple[str, list[Met]]]:
    """Of a Swiss event the newest round first, of a knockout the first one first; none of an all-play-all."""
    if sheet.tournament.format in ALL_PLAY_ALL:
        return []
    by_round: dict[int, dict[int, list[PairingLine]]] = {}
    for line in sheet.lines:
        by_round.setdefault(line.round, {}).setdefault(line.number, []).append(line)
    ordered = sorted(by_round.items(), reverse=sheet.tournament.format == "swiss")
    return [(_round_title(sheet, number), [_met(sheet, lines) for lines in met.values()]) for number, met in ordered]


def _round_title(sheet: Sheet, round: int) -> str:
    return sheet.bracket.round_title(round) if sheet.is_knockout else f"Round {round}"


def _met(sheet: Sheet, lines: list[PairingLine]) -> Met:
    a, b = lines[0].a, lines[0].b
    if b is None:
        return Met(sheet.names[a], "", "", STATUS["bye"], "", False)
    results = [result for line in lines if (result := line.result(sheet.legs)) is not None]
    mine = sum(each.score_a if each.a == a else each.score_b for each in results)
    theirs = sum(each.score_a if each.a == b else each.score_b for each in results)
    score = f"{points(mine)} – {points(theirs)}" if results else ""
    running = any(line.status == "running" for line in lines)
    status = "running" if running else "" if results else STATUS.get(lines[0].status, lines[0].status)
    about = "For the third place" if sheet.is_knockout and _is_for_third(sheet, lines[0]) else ""
    return Met(sheet.names[a], sheet.names[b], score, status, address(sheet, lines[0]), running, about)


def _is_for_third(sheet: Sheet, line: PairingLine) -> bool:
    return (line.round, line.number) == (sheet.bracket.rounds, THIRD_PLACE)


def rulings(sheet: Sheet) -> list[Ruled]:
    """Every decision that the table follows."""
    found = []
    for line in sheet.lines:
        if line.match is not None and line.match.verdict:
            match = line.match
            names = _names(sheet, line)
            said = ended(sheet, line, match)
            found.append(Ruled(names, said, counts(sheet, line, match), match.ruled_reason, match.actor, match.id))
    return found


def ended(sheet: Sheet, line: PairingLine, match: PairingMatch) -> str:
    """How a match ended by itself: `won by gravity-9: clock`, `drawn`, `running`."""
    if match.ended is None:
        return "running"
    cause = cause_words(match.termination or "")
    if match.winner is not None:
        winner = line.a if match.winner == 0 else line.b
        return f"{sheet.names[winner or 0]} won: {cause}"
    return "drawn" if match.score is not None or match.termination in ("normal", "max_plies") else f"no result: {cause}"


def counts(sheet: Sheet, line: PairingLine, match: PairingMatch) -> str:
    """What staff decided: `a win of delta3`, `a draw`, `nothing`."""
    if match.verdict == "win":
        winner = line.a if match.ruled_winner == 0 else line.b
        return f"a win of {sheet.names[winner or 0]}"
    return "a draw" if match.verdict == "draw" else "nothing"


def address(sheet: Sheet, line: PairingLine) -> str:
    """The page of what these two played."""
    seeds = (sheet.entries[line.a].seed, sheet.entries[line.b].seed if line.b is not None else 0)
    return f"/t/{sheet.tournament.slug}/{seeds[0]}/{seeds[1]}/"


def _names(sheet: Sheet, line: PairingLine) -> str:
    return f"{sheet.names[line.a]} – {sheet.names[line.b] if line.b is not None else 'bye'}"
