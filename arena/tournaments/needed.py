"""Who and what an event needs now, read from its sheet."""

from __future__ import annotations

from arena.tournaments import players as entry_players
from arena.tournaments.sheet import PairingLine, Sheet


def players(sheet: Sheet) -> frozenset[int | None]:
    """Who is needed now."""
    return staying(sheet) if sheet.tournament.state == "running" else frozenset()


def staying(sheet: Sheet) -> frozenset[int | None]:
    """Who is needed, also after a pause: nobody after the end."""
    if sheet.tournament.state not in ("running", "paused"):
        return frozenset()
    there = (entry for pk, entry in sheet.entries.items() if pk not in sheet.gone)
    return frozenset(entry.player_id for entry in there if entry.player_id)


def machines(sheet: Sheet) -> str:
    """The class that plays its matches of programs, "" for any."""
    return str(sheet.tournament.settings.get("machines", ""))


def waiting(sheet: Sheet) -> list[PairingLine]:
    return [line for line in sheet.lines if line.status == "waiting"]


def who_come(sheet: Sheet, line: PairingLine) -> list[int]:
    """Those of a pairing who come to us, and can sit in one room only."""
    return [pk for pk in (line.a, line.b or 0) if not entry_players.is_local(sheet.entries[pk])]
