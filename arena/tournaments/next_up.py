"""Which of the waiting pairings of an event start now, where, and which follow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from arena.tournaments import needed, players
from arena.tournaments.calls import missed
from arena.tournaments.encounters import is_for_anybody, is_for_others
from arena.tournaments.sheet import PairingLine, Sheet

# This many pairings are known ahead, more than slots play until the next look at the event.
MOST_AHEAD = 200


class NextUp(NamedTuple):
    """Pairings to start `here` and to give `away`; `ahead` come after those; `is_all` if there are no others."""

    here: Sequence[PairingLine] = ()
    away: Sequence[PairingLine] = ()
    ahead: Sequence[PairingLine] = ()
    is_all: bool = False


def next_up(
    sheet: Sheet,
    waiting: Sequence[PairingLine],
    here: Collection[int],
    busy: Collection[int],
    free: int,
    *,
    gives: bool,
) -> NextUp:
    """What starts on so many `free` places, in the order of the schedule, players who missed a call last. Entries that
    are `busy` start nothing. If this host `gives` nothing away, everything starts here.
    """
    starts, away, ahead = list[PairingLine](), list[PairingLine](), list[PairingLine]()
    busy = set(busy)
    for line in sorted(waiting, key=lambda line: (missed(sheet, line), line.round, line.number, line.leg)):
        if not all(players.is_here(sheet.entries[pk], here) for pk in (line.a, line.b or 0)):
            continue
        if gives and is_for_anybody(sheet, line):
            if len(ahead) == MOST_AHEAD:
                return NextUp(starts, away, ahead)
            (away if free > 0 else ahead).append(line)
        elif is_for_others(sheet, line) or busy.intersection(who := needed.who_come(sheet, line)):
            continue
        elif free > 0:
            busy.update(who)
            starts.append(line)
        else:
            return NextUp(starts, away, ahead)
        free -= 1
    return NextUp(starts, away, ahead, is_all=True)
