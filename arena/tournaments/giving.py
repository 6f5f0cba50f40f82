"""Which pairings of an event are given away as work, which are called back, and which nobody could play.

It holds nothing that counts: after a crash everything is found in the rows.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, KeysView, Sequence
from dataclasses import replace

from django.db import transaction

from arena.match.endings import counts
from arena.models import Match, Pairing, Tournament, Work
from arena.tournaments import actions, leaving, needed
from arena.tournaments.encounters import KIND, key_of, submit
from arena.tournaments.next_up import NextUp
from arena.tournaments.sheet import PairingLine, Sheet
from arena.work import rows

log = logging.getLogger("arena.tournaments")

State = Work.State
# Somebody has it, or will.
OPEN = frozenset({State.WAITING, State.OUT})
# Nobody will: it was lost again and again, or somebody cancelled it.
GIVEN_UP = frozenset({State.FAILED, State.CANCELLED})


class Given:
    """The work of one event: `pairings` that somebody plays or will. Read and write it in a thread."""

    def __init__(self, event: int) -> None:
        self._event = event
        self._states: dict[str, str] = {}
        self._unwanted: list[str] = []
        self._given_up: list[int] = []
        self._decided: list[str] = []
        self._added = set[int]()
        self._came: list[int] = []
        self._watched = False
        self._keys: dict[int, str] = {}
        self._sheet: Sheet | None = None
        self._next = NextUp()

    @property
    def pairings(self) -> KeysView[int]:
        return self._keys.keys()

    def read(self) -> None:
        """Find what is open and what is given up. Read the event afterwards, so that it shows what is done."""
        self._states = states(self._event)

    def look(self, sheet: Sheet) -> bool:
        """Whether there is anything to `settle`."""
        lines = sheet.lines if sheet.tournament.state in needed.BEGUN else []  # of one that is over nothing is awaited
        waiting = {key_of(line): line.pk for line in lines if line.status in ("waiting", "running")}
        stays = {"running": OPEN, "paused": frozenset({State.OUT})}.get(sheet.tournament.state, frozenset())
        found = self._states.items()
        self._keys = {waiting[key]: key for key, now in found if key in waiting and now in OPEN}
        self._given_up = [waiting[key] for key, now in found if key in waiting and now in GIVEN_UP]
        self._unwanted = [key for key, now in found if now in OPEN and not (key in waiting and now in stays)]
        undecided = waiting.keys() | _handed(lines).keys()
        self._decided = [key for key, now in found if now in GIVEN_UP and key not in undecided]
        over = [line for line in sheet.lines if line.pk in self._added and line.status not in ("waiting", "running")]
        self._added.difference_update(line.pk for line in over)
        both = [sheet.entries[pk] for line in over if line.status == "played" for pk in (line.a, line.b) if pk]
        self._came = [entry.pk for entry in both if entry.calls and not entry.absent]
        return bool(self._given_up or self._unwanted or self._decided or self._came)

    def settle(self, sheet: Sheet) -> None:
        """Call back what should not be played any more; a match of a paused event that has begun is played to its end.
        Hand what nobody could play to the organiser, whose decision settles that work. Who has played has missed no
        call since.
        """
        rows.withdraw(self._unwanted)
        Work.objects.filter(key__in=self._decided, state__in=GIVEN_UP).update(state=State.DONE)
        for entry in self._came:
            leaving.count_came(entry)
        for pairing in self._given_up:
            log.warning("%s: pairing %s is handed to the organiser: nobody could play it", sheet.tournament, pairing)
            actions.count_fault(pairing, hand_over=True)

    def is_news(self, watched: bool) -> bool:
        """Whether somebody has begun to watch the event, or the last one has left: then `watch` is due."""
        return watched != self._watched

    def watch(self, watched: bool) -> None:
        """Say whether its matches are to be reported while they are played."""
        rows.watch(KIND, self._event, watched)
        self._watched = watched

    def add(self, sheet: Sheet, lines: Sequence[PairingLine]) -> None:
        """Have these played."""
        for line in lines:
            self._keys[line.pk] = key = key_of(line)
            self._added.add(line.pk)
            if submit(sheet, line):
                continue
            with transaction.atomic():
                ended = Match.objects.filter(pairing=line.pk).values_list("termination", flat=True)
                if not any(termination is None or counts(termination) for termination in ended):
                    rows.submit_again(key)
        if self._watched:
            rows.watch(KIND, self._event, True)

    def expect(self, sheet: Sheet, found: NextUp) -> None:
        """Remember what follows."""
        self._sheet, self._next = sheet, found

    def replace(self, over: Collection[int]) -> bool:
        """Have the next pairings played in place of these. False if only another look at the event shows what follows:
        nothing is left of what was known, or somebody has acted on the event.
        """
        keys = {self._keys[pk]: pk for pk in over if pk in self._keys}
        now = dict(Work.objects.filter(key__in=keys).values_list("key", "state"))
        if self._sheet is None or not GIVEN_UP.isdisjoint(now.values()):
            return False
        done = [pk for key, pk in keys.items() if now.get(key) not in OPEN]
        for pk in done:
            del self._keys[pk]
        ahead = self._next.ahead
        lines, self._next = ahead[: len(done)], self._next._replace(ahead=ahead[len(done) :])
        if not _may_begin(lines) or needed.not_starting(self._sheet, lines):
            return False
        self.add(self._sheet, lines)
        return bool(self._keys) and (len(lines) == len(done) or self._next.is_all)


def _may_begin(lines: Sequence[PairingLine]) -> bool:
    """Whether all of these still wait in an event that runs."""
    still = Pairing.objects.filter(pk__in=[line.pk for line in lines], state=Pairing.State.OPEN)
    return still.filter(tournament__state="running").count() == len(lines)


def states(event: int) -> dict[str, str]:
    """The work of this event that is open or given up, by its keys."""
    found = Work.objects.filter(kind=KIND, spec__event=event).exclude(state=State.DONE)
    return dict(found.values_list("key", "state"))


def settle_over() -> None:
    """Settle what nobody could play in events that are over by now: somebody has decided it while nobody directed."""
    given_up = Work.objects.filter(kind=KIND, state__in=GIVEN_UP, spec__has_key="pairing")
    events = set(given_up.values_list("spec__event", flat=True))
    begun = Tournament.objects.filter(pk__in=events, state__in=needed.BEGUN)
    for event in events.difference(begun.values_list("pk", flat=True)):
        given_up.filter(spec__event=event).update(state=State.DONE)


def whys(lines: Iterable[PairingLine]) -> dict[int, str]:
    """Why nobody could play these pairings, of those that wait for the organiser: what the last one who tried said."""
    keys = _handed(lines)
    found = Work.objects.filter(key__in=keys, state__in=GIVEN_UP).exclude(why="").values_list("key", "why")
    return {keys[key]: why for key, why in found} if keys else {}


def _handed(lines: Iterable[PairingLine]) -> dict[str, int]:
    """The pairings that wait for the organiser, by the keys of the work that nobody could do."""
    handed = [line for line in lines if line.status == "handed"]
    return {key_of(replace(line, faults=line.faults - 1)): line.pk for line in handed}  # as before it was handed over
