"""A tournament as a file: JSON that holds every match and can be read again, and tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from arena.match.endings import Termination
from arena.match.endings import result as result_of
from arena.match.evolve import replay
from arena.match.export import timestamp
from arena.match.export import to_json as match_json
from arena.models import Entry, Event, Tournament
from arena.models.whole_logs import logs_of
from arena.tournaments import by_hand
from arena.tournaments.sheet import DECIDED, PairingLine, PairingMatch, Sheet
from games import variant

FORMAT = "arena-tournament-1"
# What an export says of a pairing in the words of its row.
PLACE, HOW = ("round", "number", "leg", "attempt"), ("faults", "calls", "forfeited_by", "reason")


class WrongExport(ValueError):
    """The file is not an export of a tournament. The message says what was expected."""


# -- out ---------------------------------------------------------------------------------------------------------------


def to_json(sheet: Sheet) -> dict[str, Any]:
    """Everything: entries, the schedule with replaced pairings, whole matches, the table."""
    return _whole(sheet, _logs(sheet))


def summary(sheet: Sheet) -> dict[str, Any]:
    """The same without moves: each match with its ending."""
    played = [match for line in [*sheet.lines, *sheet.replaced] for match in line.matches]
    return _whole(sheet, {match.id: _ending(match) for match in played})


def _ending(match: PairingMatch) -> dict[str, Any]:
    return {
        "winner": match.winner,
        "result": result_of(match.winner, match.termination),
        "termination": match.termination,
        "reason": match.reason,
    }


def _whole(sheet: Sheet, logs: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    tournament = sheet.tournament
    return {
        "format": FORMAT,
        "slug": tournament.slug,
        "name": tournament.name,
        "variant": tournament.variant,
        "type": tournament.format,
        "state": tournament.state,
        "why": tournament.why,
        "settings": _settings(tournament),
        "entries": [_entry(entry) for entry in sheet.entries.values()],
        "pairings": [_pairing(sheet, line, logs) for line in [*sheet.lines, *sheet.replaced]],
        "standings": _standings(sheet),
    }


def to_csv(sheet: Sheet) -> str:
    """The table with its tie-breaks and the crosstable, a line an entry. A cell has the points of its own line only: of
    `1-1`, spreadsheets make a date.
    """
    order = [line.entry for line in sheet.standings]
    reached = ["reached"] if sheet.is_knockout else []
    head = ["rank", "name", *reached, "points", "played", "won", "drawn", "lost", *sheet.tie_breaks, "failed"]
    rows: list[list[Any]] = [head + [_safe(sheet.names[entry]) for entry in order]]
    for line in sheet.standings:
        values = ["" if value.number is None else f"{value.number:g}" for value in line.values.values()]
        failed = sum(sheet.failures[line.entry].values())
        cells = ["*" if other == line.entry else _cell(sheet, line.entry, other) for other in order]
        numbers = [f"{line.points:g}", line.played, line.won, line.drawn, line.lost]
        came = [sheet.reached.get(line.entry, "")] if sheet.is_knockout else []
        rows.append([line.rank, _safe(sheet.names[line.entry]), *came, *numbers, *values, failed, *cells])
    return _written(rows)


def pairings_csv(sheet: Sheet) -> str:
    """The schedule with its results, a line a pairing. Where staff have ruled, the termination is that of the ruling;
    `reason` is theirs, or why there was no match.
    """
    played, how = ["round", "number", "leg", "first", "second", "status"], ["termination", "match", "reason"]
    rows: list[list[Any]] = [[*played, "first_points", "second_points", *how]]
    for line in sheet.lines:
        match, result = None if line.status in DECIDED else line.match, line.result(sheet.legs)
        score = [f"{result.score_a:g}", f"{result.score_b:g}"] if result else ["", ""]
        second = _safe(sheet.names[line.b]) if line.b is not None else "bye"
        ended = [match.counted_as or "", match.id] if match else ["", ""]
        why = _safe(match.ruled_reason if match else line.reason)
        rows.append(
            [line.round, line.number, line.leg, _safe(sheet.names[line.a]), second, line.status, *score, *ended, why]
        )
    return _written(rows)


def _settings(tournament: Tournament) -> dict[str, Any]:
    """Without the seed until the event is over, which tells later openings and the dice of built-in players, and
    without the pairings to come.
    """
    hidden = () if tournament.state == Tournament.State.FINISHED else ("seed", by_hand.NEXT)
    return {name: value for name, value in tournament.settings.items() if name not in hidden}


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "seed": entry.seed,
        "name": entry.name,
        "kind": entry.kind,
        "level": entry.level or None,
        "protocol": entry.protocol or None,
        "late": entry.late,
        "withdrawn": _time(entry.withdrawn),
        "absent": _time(entry.absent),
    }


def _pairing(sheet: Sheet, line: PairingLine, logs: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    names = sheet.names
    return {
        **{name: getattr(line, name) for name in PLACE},
        "first": names[line.a],
        "second": names[line.b] if line.b is not None else None,
        **{name: getattr(line, name) for name in ("opening", "state", "status", *HOW)},
        "by_absence": line.by_absence,
        "matches": [_match(match, logs.get(match.id, {})) for match in line.matches],
    }


def _match(match: PairingMatch, log: dict[str, Any]) -> dict[str, Any]:
    ruling = {
        "verdict": match.verdict,
        "winner": match.ruled_winner,
        "reason": match.ruled_reason,
        "actor": match.actor,
    }
    times = {"started": _time(match.started), "ended": _time(match.ended)}
    return log | {"id": match.id} | times | {"ruling": ruling if match.verdict else None}


def _standings(sheet: Sheet) -> list[dict[str, Any]]:
    return [
        {
            "rank": line.rank,
            "name": sheet.names[line.entry],
            **({"reached": sheet.reached.get(line.entry, "")} if sheet.is_knockout else {}),
            **{name: getattr(line, name) for name in ("points", "played", "won", "drawn", "lost")},
            "tie_breaks": {
                slug: {"number": value.number, "sum": value.explained(sheet.names)}
                for slug, value in line.values.items()
            },
            "failures": dict(sheet.failures[line.entry]),
        }
        for line in sheet.standings
    ]


def _logs(sheet: Sheet) -> dict[str, dict[str, Any]]:
    """Whole matches by their id, read in one query. Raises DamagedLog."""
    found = logs_of(Event.objects.filter(match__pairing__tournament=sheet.tournament))
    return {match: match_json(match, replay(events), events) for match, events in found}


def _cell(sheet: Sheet, entry: int, other: int) -> str:
    cell = sheet.crosstable.get((entry, other))
    return "" if cell is None else f"{cell.scored:g}"


def _safe(name: str) -> str:
    """A name that a spreadsheet does not take for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name


def _written(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _time(at: datetime | None) -> str | None:
    return timestamp(at) if at else None


# -- in ----------------------------------------------------------------------------------------------------------------


def from_json(said: Any) -> Sheet:
    """The event of an export, in memory, with every match replayed and the table computed. Raises WrongExport."""
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise WrongExport(f'this is not an export of a tournament: expected "format": "{FORMAT}"')
    try:
        return _sheet(said)
    except WrongExport:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as why:
        raise WrongExport(f"the export is broken at {why!r}: export the tournament again") from None


def _sheet(said: dict[str, Any]) -> Sheet:
    tournament = Tournament(
        slug=said["slug"],
        name=said["name"],
        variant=said["variant"],
        format=said["type"],
        state=said["state"],
        why=said["why"],
        settings=said["settings"],
    )
    entries = [_entry_of(entry) for entry in said["entries"]]
    numbers = {entry.name: entry.pk for entry in entries}
    lines = [_line_of(n, pairing, numbers) for n, pairing in enumerate(said["pairings"])]
    return Sheet(tournament, entries, lines)


def _entry_of(said: dict[str, Any]) -> Entry:
    return Entry(
        pk=said["seed"],
        seed=said["seed"],
        name=said["name"],
        kind=said["kind"],
        level=said["level"] or "",
        protocol=said["protocol"] or "",
        late=said["late"],
        withdrawn=_at(said["withdrawn"]),
        absent=_at(said.get("absent")),
    )


def _line_of(pk: int, said: dict[str, Any], numbers: Mapping[str, int]) -> PairingLine:
    second = said["second"]
    return PairingLine(
        pk=pk,
        a=numbers[said["first"]],
        b=None if second is None else numbers[second],
        by_absence=said.get("by_absence", False),
        matches=tuple(_played_of(match) for match in said["matches"]),
        **{name: said[name] for name in (*PLACE, "opening", "state", *HOW)},
    )


def _played_of(said: dict[str, Any]) -> PairingMatch:
    if "moves" in said:  # a summary has none
        _play_through(said)
    ruling = said["ruling"] or {"verdict": "", "winner": None, "reason": "", "actor": ""}
    times = (_if_time(said["started"]), _if_time(said["ended"]))
    ended = (said["winner"], said["termination"], said["reason"])
    return PairingMatch(
        said["id"], *times, *ended, ruling["verdict"], ruling["winner"], ruling["reason"], ruling["actor"]
    )


def _play_through(said: Mapping[str, Any]) -> None:
    """Raises WrongExport if the moves of a match do not lead to its stated ending."""
    position = variant(said["variant"]).start(**said["settings"])
    for number, move in enumerate(said["moves"], 1):
        text = move["move"]
        if move["ply"] != number or position.outcome() is not None or text not in position.legal_moves():
            raise WrongExport(f"match {said['id']}, move {number}: {text!r} cannot be played there, by the rules")
        position = position.play(text)
    outcome = position.outcome()
    if str(position) != said["position"] or (outcome is not None) != (said["termination"] == Termination.NORMAL):
        raise WrongExport(f"match {said['id']}: its moves do not lead to the ending {said['termination']}")
    if outcome is not None and outcome.winner != said["winner"]:
        raise WrongExport(f"match {said['id']}: by its moves the winner is {outcome.winner}, not {said['winner']}")


def _if_time(text: str | None) -> str | None:
    """The text of a time, as it is. Raises ValueError for any other."""
    return text if _at(text) else None


def _at(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
