"""What the page of an event shows to staff: settings in words, table, pairings by need, entries, what was done."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.admin.event_actions import EventAction, history, offered
from arena.models import Entry
from arena.tournaments import words
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.tiebreaks import points
from arena.web.tournaments import shown as of_page

# The order of a round: what needs somebody stands on top.
BY_NEED = {"handed": 0, "waiting": 1, "running": 2}
MOST_LINES = 200


class ListedPairing(NamedTuple):
    """`matches`: number and how it ended. `address` is the page of what these two played."""

    pk: int
    first: str
    second: str
    status: str
    score: str
    reason: str
    matches: list[tuple[str, str]]
    address: str
    needs: bool
    acts: list[EventAction]


class ListedEntry(NamedTuple):
    pk: int
    seed: int
    name: str
    kind: str
    player: int | None
    state: str
    acts: list[EventAction]


def shown(sheet: Sheet, asked: str, acts: bool) -> dict[str, Any]:
    """`asked` is the round to show, "" for the one that is played; with `acts` also what can be done."""
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else _round(sheet)
    lines = sorted(sheet.lines, key=lambda line: (BY_NEED.get(line.status, 3), line.number, line.leg))
    needy = [line for line in lines if line.status == "handed" and line.round != number]
    of_round = [line for line in lines if line.round == number]
    order, table = words.tie_break_order(sheet), of_page.rows(sheet, crossed=False)
    return {
        "about": of_page.about(sheet),
        "state": of_page.STATES[sheet.tournament.state],
        "says": of_page.says(sheet),
        "rated": bool(sheet.tournament.settings.get("rated")),
        "order": order,
        "event_acts": offered(sheet, "event") if acts else [],
        "rows": table,
        "tie_breaks": [summed.title for row in table[:1] for summed in row.sums],
        "round": number,
        "rounds": sorted({line.round for line in sheet.lines}),
        "pairings": [_pairing(sheet, line, acts) for line in [*needy, *of_round][:MOST_LINES]],
        "entries": [_entry(sheet, entry, acts) for entry in sheet.entries.values()],
        "ruled": of_page.rulings(sheet),
        "history": history(sheet.tournament),
    }


def _round(sheet: Sheet) -> int:
    """The first one in which something is to be played or decided, else the last."""
    open_rounds = [line.round for line in sheet.lines if line.status in BY_NEED]
    return min(open_rounds, default=sheet.round)


def _pairing(sheet: Sheet, line: PairingLine, acts: bool) -> ListedPairing:
    result = line.result(sheet.legs)
    return ListedPairing(
        line.pk,
        sheet.names[line.a],
        sheet.names[line.b] if line.b is not None else "bye",
        of_page.STATUS.get(line.status, line.status),
        f"{points(result.score_a)} – {points(result.score_b)}" if result is not None else "",
        line.reason,
        [(match.id, of_page.ended(sheet, line, match)) for match in line.matches],
        of_page.address(sheet, line) if line.b is not None else "",
        line.status == "handed",
        offered(sheet, "pairing", line) if acts else [],
    )


def _entry(sheet: Sheet, entry: Entry, acts: bool) -> ListedEntry:
    state = "withdrawn" if entry.withdrawn else "given up: missed two calls" if entry.absent else ""
    if not state and entry.calls:
        state = f"missed {entry.calls} call{'' if entry.calls == 1 else 's'}"
    kind = of_page.kind_of(entry)
    return ListedEntry(
        *(entry.pk, entry.seed, entry.name, kind, entry.player_id, state or "takes part"),
        offered(sheet, "entry", entry) if acts else [],
    )
