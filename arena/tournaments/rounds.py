"""Pairings to play next: the schedule, later rounds of a Swiss event or a knockout. Writes nothing."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from arena.tournaments import by_hand, knockout, schedule, swiss
from arena.tournaments.openings import openings
from arena.tournaments.schedule import Encounter, Slot, legs_of
from arena.tournaments.sheet import TO_PLAY, Sheet
from arena.tournaments.spec import swiss_rounds
from arena.tournaments.words import early, stuck

# No more openings than this are looked for; after the last one they are used again from the first.
MOST_OPENINGS = 256


class Next(NamedTuple):
    """Slots to be added; `finished` when there is nothing more to play, `why` if that was not planned. Without slots,
    `why` alone says that the organiser has to change something first.
    """

    slots: Sequence[Slot] = ()
    finished: bool = False
    why: str = ""


def next_slots(sheet: Sheet) -> Next:
    """The slots that follow from the results so far; none while the last round is being played."""
    if not sheet.lines:
        return _first(sheet)
    if any(line.status in TO_PLAY for line in sheet.lines):
        return Next()
    later = {"swiss": _swiss, "knockout": _knockout}.get(sheet.tournament.format)
    return Next(finished=True) if later is None else later(sheet)


def with_openings(sheet: Sheet, slots: Sequence[Slot]) -> list[tuple[Slot, str]]:
    """Each slot with its opening: legs 1 and 2 of an encounter share one, and so do 3 and 4."""
    said = sheet.tournament.settings
    plies = said.get("opening_plies", 0)
    pairs = list(dict.fromkeys(_pair_of_legs(slot) for slot in slots if slot.b is not None))
    before = len({(line.round, line.number, (line.leg - 1) // 2) for line in sheet.lines if line.b is not None})
    count = min(MOST_OPENINGS, before + len(pairs))
    rng = random.Random(said.get("seed"))
    book = openings(sheet.tournament.variant, said.get("variant", {}), plies, count, rng) if plies else []
    number = {pair: n for n, pair in enumerate(pairs, before)}
    return [
        (slot, book[number[_pair_of_legs(slot)] % len(book)] if book and slot.b is not None else "") for slot in slots
    ]


def late_slots(sheet: Sheet, entry: int) -> list[Slot]:
    """The slots that an entry to an all-play-all event, which is late or was away, still has to play: in a gauntlet
    against the first entry, even if that has withdrawn.
    """
    if sheet.tournament.format == "gauntlet":
        others = list(sheet.entries)[:1]
    else:
        others = [pk for pk, other in sheet.entries.items() if not other.withdrawn]
    met = {entry, *(pk for line in sheet.lines if entry in (line.a, line.b) for pk in (line.a, line.b))}
    return schedule.late(entry, [pk for pk in others if pk not in met], sheet.legs, sheet.round)


def _first(sheet: Sheet) -> Next:
    entries = [pk for pk, entry in sheet.entries.items() if not entry.withdrawn]
    match sheet.tournament.format:
        case "round-robin":
            return Next(schedule.round_robin(entries, sheet.legs))
        case "gauntlet":
            return Next(schedule.gauntlet(entries, sheet.legs))
        case "knockout":
            return Next(_legs(1, knockout.first_round(entries), sheet.legs))
    return _swiss(sheet)


def _legs(round: int, encounters: Sequence[Encounter], legs: int) -> list[Slot]:
    return [slot for number, met in enumerate(encounters, 1) for slot in legs_of(round, number, met, legs)]


def _pair_of_legs(slot: Slot) -> tuple[int, int, int]:
    return slot.round, slot.number, (slot.leg - 1) // 2


# -- Swiss -------------------------------------------------------------------------------------------------------------


def _swiss(sheet: Sheet) -> Next:
    present = [pk for pk in sheet.entries if pk not in sheet.gone]
    rounds = swiss_rounds(len(sheet.entries), sheet.rounds)
    if sheet.round >= rounds:
        return Next(finished=True)
    pairing = _Pairing(sheet, present, rounds)
    fixed, apart = by_hand.fixed(sheet, present), by_hand.apart(sheet)
    if (encounters := pairing.with_rules(fixed, apart)) is not None:
        return Next(_legs(sheet.round + 1, encounters, sheet.legs))
    for rules, left in (("apart", (fixed, ())), ("next_pairs", ((), apart)), ("both", ((), ()))):
        if (fixed or apart) and pairing.with_rules(*left) is not None:
            return Next(why=stuck(sheet.round + 1, rules))
    return Next(finished=True, why=early(sheet.round, rounds))


class _Pairing(NamedTuple):
    sheet: Sheet
    present: Sequence[int]
    rounds: int

    def with_rules(self, fixed: Sequence[Encounter], apart: Sequence[by_hand.Pair]) -> list[Encounter] | None:
        """The next round with these encounters in it and nobody of these pairs together; None if there is none."""
        taken = {pk for met in fixed for pk in met}
        free = [pk for pk in self.present if pk not in taken]
        if not free:
            return list(fixed) or None
        seats_matter = self.sheet.legs % 2 == 1
        try:
            return [*fixed, *swiss.pair(histories(self.sheet), self.rounds, free, apart, seats_matter=seats_matter)]
        except swiss.NoPairing:
            return None


def histories(sheet: Sheet) -> dict[int, list[schedule.Round]]:
    """Everyone's result in each round so far, an encounter counting as one match: won, drawn or lost."""
    scored: dict[tuple[int, int], float] = defaultdict(float)
    met: dict[tuple[int, int], schedule.Round] = {}
    for line in sheet.lines:
        result = line.result(sheet.legs)
        if result is not None:
            scored[line.round, line.a] += result.score_a
            if result.b is not None:
                scored[line.round, result.b] += result.score_b
        if line.leg == 1:
            played = line.status in ("played", "void", "drawn")
            met[line.round, line.a] = schedule.Round(line.b, 0.0, True, played)
            if line.b is not None:
                met[line.round, line.b] = schedule.Round(line.a, 0.0, False, played)
    return {
        entry: [_round(met.get((n, entry)), scored, n, entry) for n in range(1, sheet.round + 1)]
        for entry in sheet.entries
    }


def _round(found: schedule.Round | None, scored: dict[tuple[int, int], float], n: int, entry: int) -> schedule.Round:
    if found is None:
        return schedule.Round(None, 0.0, played=False)
    mine = scored[n, entry]
    if found.opponent is None:
        return found._replace(points=1.0, played=False)
    other = scored[n, found.opponent]
    return found._replace(points=1.0 if mine > other else 0.5 if mine == other and mine else 0.0)


# -- knockout ----------------------------------------------------------------------------------------------------------


def _knockout(sheet: Sheet) -> Next:
    bracket, round = sheet.bracket, sheet.round
    further = [
        slot
        for (of, number), (met, verdict) in sorted(bracket.encounters.items())
        if of == round and verdict is not None and verdict.further
        for slot in legs_of(round, number, met, verdict.further, _legs_played(sheet, round, number))
    ]
    if further:
        return Next(further)
    following = bracket.next_round(round)
    slots = [slot for number, met in following for slot in legs_of(round + 1, number, met, sheet.legs)]
    return Next(slots) if slots else Next(finished=True)


def _legs_played(sheet: Sheet, round: int, number: int) -> int:
    return sum((line.round, line.number) == (round, number) for line in sheet.lines)
