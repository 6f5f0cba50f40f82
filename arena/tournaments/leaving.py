"""Entries that leave an event or do not come. One that misses two calls in a row, each for all its pairings, is given
up: the rest is lost at once, and reopened if the organiser takes that back within the hour.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.match.commands import Refusal
from arena.match.said import said, said_of_many
from arena.models import Entry, Pairing, Tournament
from arena.tournaments.rounds import late_slots
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.transactions import add, can_be_reopened, forfeit, lock, locked, reopen, touch, update
from arena.tournaments.words import both_away, did_not_come, withdrew

State = Tournament.State
MOST_MISSED = 2
TAKEN_BACK = timedelta(hours=1)


def withdraw(tournament: Tournament, entry: Entry, actor: str = "", reason: str = "") -> None:
    """Withdraw it: before the start it is removed, afterwards it forfeits its open pairings."""
    with locked(tournament, actor, "withdraw", entry=entry.name, reason=reason) as sheet:
        row = sheet.entries.get(entry.pk)
        if row is None or row.withdrawn or sheet.tournament.state == State.FINISHED:
            raise Refusal("not_there", said("{name} no longer takes part.", name=entry.name))
        if not sheet.lines:
            row.delete()
            return
        Entry.objects.filter(pk=entry.pk).update(withdrawn=timezone.now(), absent=None)  # gone once: undone once
        for line in sheet.lines:
            if line.status in ("waiting", "handed") and entry.pk in (line.a, line.b):
                forfeit(line.pk, sheet, {entry.pk}, withdrew(entry.name), by_absence=True)


def withdrawal_says(sheet: Sheet, entry: Entry) -> str:
    """What a withdrawal does to matches already played, for the dialog."""
    if not sheet.lines:
        return said("{name} is taken off the list.", name=entry.name)
    mine = [line for line in sheet.lines if entry.pk in (line.a, line.b)]
    played = sum(line.status == "played" for line in mine)
    undone = said("It can be undone until the next round is paired.")
    if sheet.tournament.format in ("round-robin", "gauntlet"):
        undone = said("It can be undone while the event is running.")
        if 2 * played < len(mine):
            return said(
                "{name} has played {played} of {all} matches, which is less than half: its results stay on record and "
                "count for nobody. {undone}",
                **{"name": entry.name, "played": played, "all": len(mine), "undone": undone},
            )
    return said_of_many(
        "{name} keeps its {played} result; any match left to play is lost by forfeit. {undone}",
        "{name} keeps its {played} results; any match left to play is lost by forfeit. {undone}",
        played,
        **{"name": entry.name, "played": played, "undone": undone},
    )


def undo_withdrawal(tournament: Tournament, entry: Entry, actor: str = "", reason: str = "") -> None:
    """Reopen the pairings that it lost by withdrawing; where all meet, it also meets those who have come since. Raises
    Refusal if the next round was paired without it.
    """
    with locked(tournament, actor, "undo withdrawal", entry=entry.name, reason=reason) as sheet:
        row = sheet.entries.get(entry.pk)
        if row is None or not row.withdrawn:
            raise Refusal("not_withdrawn", said("{name} has not withdrawn.", name=entry.name))
        if why := why_it_stays(sheet, row):
            raise Refusal("too_late", why)
        Entry.objects.filter(pk=entry.pk).update(withdrawn=None, calls=0)
        row.withdrawn = None
        reopen(sheet, row)
        if sheet.tournament.format in ("round-robin", "gauntlet"):
            add(sheet, late_slots(sheet, row.pk))


def why_it_stays(sheet: Sheet, entry: Entry) -> str:
    """Why a withdrawal can no longer be undone, "" if it can."""
    if sheet.tournament.state == State.FINISHED:
        return said("{event} is over: the withdrawal of {name} stays.", event=sheet.tournament.name, name=entry.name)
    was_late = entry.late == sheet.round  # it was to be paired in the next round
    if was_late or any(can_be_reopened(sheet, line) for line in sheet.lines if entry.pk in (line.a, line.b)):
        return ""
    return said("Round {n} was paired without {name}: its withdrawal stays.", n=sheet.round, name=entry.name)


# -- who does not come -------------------------------------------------------------------------------------------------


def count_calls(entries: Collection[int]) -> None:
    """Count a call that all of these have missed, as the two of a pairing."""
    with transaction.atomic():
        for entry in entries:
            count_call(entry)


def count_call(entry: int) -> None:
    """Count a missed call: the first time its pairings go to the end of the queue, the second time it is given up.

    Does nothing if it has nothing left to play, unless its opponent was given up a moment ago for the same call.
    """
    with transaction.atomic():
        row = Entry.objects.select_related("tournament").get(pk=entry)
        sheet = lock(row.tournament)
        waiting = [line for line in sheet.lines if line.status == "waiting" and entry in (line.a, line.b)]
        if not (waiting or _won_from_absent(sheet, row)):
            return
        if entry in sheet.gone or sheet.tournament.state == State.FINISHED:
            return
        Pairing.objects.filter(pk__in=[line.pk for line in waiting]).update(calls=F("calls") + 1)
        row.calls = sheet.entries[entry].calls + 1
        row.absent = timezone.now() if row.calls >= MOST_MISSED else None
        row.save(update_fields=["calls", "absent"])
        if row.absent:
            _give_up(sheet, row, waiting)
        touch(row.tournament_id)


def _give_up(sheet: Sheet, entry: Entry, waiting: list[PairingLine]) -> None:
    """Its remaining pairings are lost; to nobody, if the opponent was given up and has not been seen since."""
    for line in waiting:
        forfeit(line.pk, sheet, {entry.pk}, did_not_come(entry.name), by_absence=True)
    for line, other in _won_from_absent(sheet, entry):
        forfeit(line.pk, sheet, {entry.pk}, both_away(other.name, entry.name), by_absence=True)


def _won_from_absent(sheet: Sheet, entry: Entry) -> list[tuple[PairingLine, Entry]]:
    """What this entry has won because its opponent was given up, and would lose as well if it does not come either."""
    found = []
    for line in sheet.lines:
        if line.status == "forfeited" and line.by_absence and entry.pk in (line.a, line.b):
            other = sheet.entries[line.a if line.b == entry.pk else line.b or 0]
            if other.absent and can_be_reopened(sheet, line) and not _seen_since(sheet, entry, other):
                found.append((line, other))
    return found


def _seen_since(sheet: Sheet, entry: Entry, other: Entry) -> bool:
    """Whether it has played since the other one was given up."""
    assert other.absent is not None, "only who was given up is asked for"
    mine = (match for line in sheet.lines if entry.pk in (line.a, line.b) for match in line.matches)
    return any(match.started is not None and match.started > other.absent for match in mine)


def count_came(entry: int) -> None:
    """It has played: forget the calls that it missed."""
    Entry.objects.filter(pk=entry).update(calls=0)


def may_be_taken_back(entry: Entry) -> bool:
    return entry.absent is not None and timezone.now() - entry.absent <= TAKEN_BACK


def take_back(tournament: Tournament, entry: Entry, actor: str = "", reason: str = "") -> None:
    """Let an entry that was given up play on: the pairings that it lost are reopened, except those on which a later
    round was paired. Raises Refusal an hour after it was given up.
    """
    with locked(tournament, actor, "take back forfeits", entry=entry.name, reason=reason) as sheet:
        row = sheet.entries.get(entry.pk)
        if row is None or row.absent is None:
            raise Refusal("not_absent", said("{name} has not been given up.", name=entry.name))
        if not may_be_taken_back(row):
            raise Refusal(
                "too_late", said("{name} was given up more than an hour ago: its forfeits stay.", name=entry.name)
            )
        Entry.objects.filter(pk=entry.pk).update(absent=None, calls=0)
        row.absent = None
        opened = reopen(sheet, row)
        state = sheet.tournament.state
        if not opened and (state == State.FINISHED or sheet.is_knockout):
            raise Refusal(
                "too_late", said("{name} can play nothing more: later rounds were paired without it.", name=entry.name)
            )
        if state == State.FINISHED:
            update(sheet, state=State.RUNNING, finished=None, published=None, why="")
