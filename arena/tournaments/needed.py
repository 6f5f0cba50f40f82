"""The players and machines that an event needs now, read from its sheet."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from arena.bots.process import starting
from arena.core.hub import LiveMatch
from arena.models import Entry
from arena.tournaments import players as entry_players
from arena.tournaments.sheet import PairingLine, Sheet

BEGUN = ("running", "paused")
# What can be played meanwhile waits for no more than that.
MOST_S = 2.0


def players(sheet: Sheet) -> frozenset[int | None]:
    """The players who are needed now."""
    return staying(sheet) if sheet.tournament.state == "running" else frozenset()


def staying(sheet: Sheet) -> frozenset[int | None]:
    """The players who are needed now or after a pause; nobody after the end."""
    if sheet.tournament.state not in BEGUN:
        return frozenset()
    there = (entry for pk, entry in sheet.entries.items() if pk not in sheet.gone)
    return frozenset(entry.player_id for entry in there if entry.player_id)


def machines(sheet: Sheet) -> str:
    """The class of machines that plays its matches between programs, "" for any."""
    return str(sheet.tournament.settings.get("machines", ""))


def waiting(sheet: Sheet) -> list[PairingLine]:
    return [line for line in sheet.lines if line.status == "waiting"]


def ready(sheet: Sheet) -> tuple[list[PairingLine], list[str]]:
    """The waiting pairings whose programs this machine can start, and the bots that keep back the others."""
    lines = waiting(sheet)
    held = not_starting(sheet, lines)
    found = [line for line in lines if not held.intersection((line.a, line.b))]
    return found, sorted(sheet.names[pk] for pk in held if entry_players.cannot_start(sheet.entries[pk]))


def not_starting(sheet: Sheet, lines: Iterable[PairingLine]) -> frozenset[int]:
    """The entries of these pairings that this machine is to run, and cannot start or has not tried."""
    of = {pk for line in lines for pk in (line.a, line.b) if pk is not None}
    return frozenset(pk for pk in of if _is_held(sheet.entries[pk]))


def _is_held(entry: Entry) -> bool:
    return entry_players.cannot_start(entry) or entry_players.is_untried(entry)


def look(sheet: Sheet) -> bool:
    """Find out which bots of this event this machine can start, for some seconds: call it in a thread. Whether some
    have not been tried yet.
    """
    entries = [sheet.entries[pk] for pk in sheet.entries.keys() - sheet.gone]
    starting.look_for(MOST_S, [bot for entry in entries if (bot := entry_players.run_here(entry)) is not None])
    return any(entry_players.is_untried(entry) for entry in entries)


def disabled(sheet: Sheet) -> list[Entry]:
    """The bots with a match to play that may not play, most often because they are in quarantine."""
    due = (sheet.entries[pk] for pk in _due(sheet)) if sheet.tournament.state in BEGUN else ()
    shut = [each for each in due if each.kind == Entry.Kind.BOT and each.player and not each.player.bot.enabled]
    return sorted(shut, key=lambda each: each.seed)


def kept_elsewhere(sheet: Sheet, busy: Collection[int]) -> list[str]:
    """The bots whose match here does not begin, because they, the players `busy`, play in another event."""
    return sorted(sheet.names[pk] for pk in at_play((sheet.entries[pk] for pk in _due(sheet)), busy))


def _due(sheet: Sheet) -> frozenset[int]:
    """The entries with a match to play that has not begun."""
    return frozenset(pk for line in waiting(sheet) for pk in (line.a, line.b) if pk is not None)


def at_play(entries: Iterable[Entry], busy: Collection[int]) -> frozenset[int]:
    """Those of these whose players are `busy`, and play one match at a time: bots that connect to us."""
    bots = ((each.pk, each.player) for each in entries if each.kind == Entry.Kind.BOT)
    return frozenset(pk for pk, bot in bots if bot is not None and bot.pk in busy and bot.bot.command is None)


def players_of(matches: Iterable[LiveMatch]) -> set[int]:
    """The players of those of these matches that belong to an event."""
    setups = (live.state.setup for live in matches if live.state.setup.pairing is not None)
    return {seat.player for setup in setups for seat in setup.seats if seat.player is not None}


def who_come(sheet: Sheet, line: PairingLine) -> list[int]:
    """The entries of a pairing that connect to us, and can sit in only one room at a time."""
    return [pk for pk in (line.a, line.b or 0) if not entry_players.is_local(sheet.entries[pk])]
