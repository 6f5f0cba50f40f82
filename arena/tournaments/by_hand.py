"""What an organiser has set for the rounds of a Swiss event: who never meets, and pairings of the next round.

Both are in the settings of the event, by the names of its entries: names stay, in a file as well. Who never meets stays
until it is taken out; pairings are used once. Which ones were set so is kept for everybody to read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from arena.tournaments.schedule import Encounter, Slot
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.spec import EntrySpec

APART, NEXT, USED = "apart", "next_pairs", "paired_by_hand"

Pair = tuple[int, int]


def settings_of(entries: Sequence[EntrySpec]) -> dict[str, Any]:
    """What the settings of a new event say of whom these are kept apart from, and meet first."""
    apart = [[entry.name, other] for entry in entries for other in entry.apart]
    following = [[entry.name, entry.meets] for entry in entries if entry.meets]
    return {name: pairs for name, pairs in ((APART, apart), (NEXT, following)) if pairs}


def apart(sheet: Sheet) -> list[Pair]:
    """The entries that are never paired with each other."""
    return _pairs(sheet, APART)


def next_pairs(sheet: Sheet) -> list[Pair]:
    """The pairings that are set for the next round, the first mover first."""
    return _pairs(sheet, NEXT)


def fixed(sheet: Sheet, present: Collection[int]) -> list[Encounter]:
    """`next_pairs` of those who are present: whoever has left is paired with nobody."""
    return [Encounter(a, b) for a, b in next_pairs(sheet) if a in present and b in present]


def is_by_hand(sheet: Sheet, line: PairingLine) -> bool:
    return [line.round, line.number] in sheet.tournament.settings.get(USED, ())


def used(sheet: Sheet, slots: Sequence[Slot]) -> dict[str, Any]:
    """The settings once these slots are paired: what was set for their round is used up, and marked as set so."""
    set_so = set(next_pairs(sheet))
    marks = [[slot.round, slot.number] for slot in slots if (slot.a, slot.b) in set_so and slot.leg == 1]
    kept: Mapping[str, Any] = sheet.tournament.settings
    return {name: value for name, value in kept.items() if name != NEXT} | {USED: [*kept.get(USED, ()), *marks]}


def _pairs(sheet: Sheet, name: str) -> list[Pair]:
    numbers = {entry.name: pk for pk, entry in sheet.entries.items()}
    pairs = sheet.tournament.settings.get(name, ()) if sheet.tournament.format == "swiss" else ()
    return [(numbers[a], numbers[b]) for a, b in pairs if a in numbers and b in numbers]
