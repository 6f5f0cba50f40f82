"""What actions on a tournament share: one transaction under a lock on its row, so that of two who act at once the
second hears what the first did; pairings added, forfeited, reopened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import F

from arena.cluster.lease import let_go_after
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Audit, Entry, Pairing, Tournament
from arena.tournaments import by_hand
from arena.tournaments.rounds import with_openings
from arena.tournaments.schedule import Slot
from arena.tournaments.sheet import PairingLine, Sheet, sheet_of
from arena.tournaments.words import did_not_come, one_and_other, withdrew

# A process that was stopped during an act keeps the tournament from the next host for this long.
LONGEST_PAIRING_S = 30


@contextmanager
def locked(tournament: Tournament, actor: str, act: str, **data: str) -> Iterator[Sheet]:
    """The tournament as it stands while nobody else can act on it; the act is recorded if somebody did it.

    `data` is recorded with it; a value "" was not given.
    """
    with transaction.atomic():
        sheet = lock(tournament)
        yield sheet
        touch(tournament.pk)
        if actor:
            given = {name: value for name, value in data.items() if value}
            Audit.objects.note(actor, f"tournament {act}", tournament.slug, **given)


def lock(tournament: Tournament) -> Sheet:
    """Raises Refusal if somebody has deleted it."""
    let_go_after(LONGEST_PAIRING_S)
    row = Tournament.every.select_for_update().filter(pk=tournament.pk).first()
    if row is None:
        why = said("{event} was deleted in the meantime. Nothing was done.", event=tournament.name)
        raise Refusal("not_found", why)
    return sheet_of(row)


def touch(tournament: int) -> None:
    Tournament.objects.filter(pk=tournament).update(version=F("version") + 1)


def update(sheet: Sheet, **values: Any) -> None:
    for name, value in values.items():
        setattr(sheet.tournament, name, value)
    sheet.tournament.save(update_fields=list(values))


def add(sheet: Sheet, slots: Sequence[Slot]) -> None:
    """Add pairings; those of an entry that has left are lost at once, and what was set for their round is used up."""
    Pairing.objects.bulk_create(
        Pairing(
            tournament=sheet.tournament,
            round=slot.round,
            number=slot.number,
            leg=slot.leg,
            a_id=slot.a,
            b_id=slot.b,
            opening=opening,
            state=Pairing.State.OPEN if slot.b is not None else Pairing.State.BYE,
        )
        for slot, opening in with_openings(sheet, slots)
    )
    if sheet.tournament.settings.get(by_hand.NEXT) and any(slot.round > sheet.round for slot in slots):
        update(sheet, settings=by_hand.used(sheet, slots))
    gone = sheet.gone
    for slot in slots:
        if slot.b is not None and (lost := gone & {slot.a, slot.b}):
            row = Pairing.objects.get(tournament=sheet.tournament, round=slot.round, number=slot.number, leg=slot.leg)
            forfeit(row.pk, sheet, lost, _why_gone(sheet, lost), by_absence=True)


def forfeit(
    pairing: int, sheet: Sheet, losers: Collection[int | None], reason: str, *, by_absence: bool = False
) -> None:
    """These sides lose it without a match, and so do entries that have left. `by_absence`: until they are back."""
    row = Pairing.objects.get(pk=pairing)
    lost = {row.a_id, row.b_id} & {*losers, *sheet.gone}
    row.forfeited_by = _sides(row.a_id, row.b_id, lost)
    row.state, row.reason, row.by_absence = Pairing.State.FORFEITED, reason[:200], by_absence
    row.save(update_fields=["forfeited_by", "state", "reason", "by_absence"])


def forfeit_of_gone(sheet: Sheet) -> bool:
    """Whether pairings waited for entries that have left, as after a match without a result: now they are lost."""
    gone = sheet.gone
    found = [(line, lost) for line in sheet.lines if line.status == "waiting" and (lost := gone & {line.a, line.b})]
    for line, lost in found:
        forfeit(line.pk, sheet, lost, _why_gone(sheet, lost), by_absence=True)
    return bool(found)


def reopen(sheet: Sheet, entry: Entry) -> int:
    """Reopen the pairings that this entry lost by its absence, except those on which a later round was paired.

    Returns how many. If the opponent has left as well, it now loses instead.
    """
    open_again = 0
    gone = sheet.gone - {entry.pk}
    for line in sheet.lines:
        if not line.by_absence or entry.pk not in (line.a, line.b) or not can_be_reopened(sheet, line):
            continue
        lost = {line.a, line.b} & gone
        if lost:
            still = {"forfeited_by": _sides(line.a, line.b, lost), "reason": _why_gone(sheet, lost)}
            Pairing.objects.filter(pk=line.pk).update(**still)
        else:
            open_states = {"state": Pairing.State.OPEN, "forfeited_by": "", "reason": "", "by_absence": False}
            Pairing.objects.filter(pk=line.pk).update(calls=0, **open_states)
            open_again += 1
    return open_again


def can_be_reopened(sheet: Sheet, line: PairingLine) -> bool:
    """Whether no round was paired on its result."""
    return line.round == sheet.round or sheet.tournament.format in ("round-robin", "gauntlet")


def _why_gone(sheet: Sheet, gone: Collection[int | None]) -> str:
    """`delta3 withdrew`, `ada and bob did not come`."""
    rows = [sheet.entries[pk] for pk in gone if pk is not None]
    first, *more = sorted(withdrew(row.name) if row.withdrawn else did_not_come(row.name) for row in rows)
    return one_and_other(first, more[0]) if more else first


def _sides(a: int, b: int | None, lost: Collection[int | None]) -> str:
    return "both" if a in lost and b in lost else "a" if a in lost else "b"
