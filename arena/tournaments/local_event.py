"""Plays an event of programs and built-in players without a server: the blocking driver runs in one process for each
match at a time.

This process holds the lease, as the host does. It alone reads and writes rows: each finished match is stored in one
append under the number of the lease, then what the bots said. If it is killed, only matches that were not over are
lost.
"""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from django.db import Error, connection

from arena.bots.failure.failure import with_failure
from arena.bots.session.wire_store import store_wires
from arena.cluster.lease import HostLease, NotTheHost, by_holder, fence_of, lease_of_host
from arena.core.log_statements import Fenced
from arena.core.log_store import FAILURES, Append, DatabaseStore, Stale
from arena.core.played import enter, take_in, take_in_waiting, taken
from arena.match.commands import Abort
from arena.match.decide import decide
from arena.match.endings import counts
from arena.match.evolve import replay
from arena.match.ids import Ids
from arena.models import Tournament
from arena.play.crew import Crew, Done
from arena.tournaments import actions, needed, players
from arena.tournaments.encounters import is_elsewhere, look_at_stall, spec_of
from arena.tournaments.report import TournamentReport
from arena.tournaments.sheet import PairingLine, Sheet, read
from arena.work.rows import MOST_FAULTS, RunVoid

ALL_PLAYED, NEEDS_ORGANISER, INTERRUPTED = 0, 1, 130
LOOK_S, AGAIN_S = 0.25, 1.0


class Elsewhere(Exception):
    """The event cannot be played here: another process is the host, or a participant has to connect."""


def is_playable_here(sheet: Sheet) -> bool:
    """Whether this machine may play it, nobody has to connect, no moves are shown singly, and no proof ends a match."""
    said = sheet.tournament.settings
    cannot = said.get("pace_ms") or said.get("adjudicate") or is_elsewhere(needed.machines(sheet))
    return not cannot and all(map(players.is_local, sheet.entries.values()))


def play_here(sheet: Sheet, report: TournamentReport, concurrency: int | None = None) -> int:
    """Become the host and play it, `concurrency` matches at a time if that is given, else as many as the event says.

    Returns 0 when everything is played, 1 when the rest waits for the organiser, 130 after Ctrl-C or SIGTERM. Raises
    Elsewhere, PoolBroke and OSError. However it ends, no process is left behind and every finished match is stored.
    """
    if not is_playable_here(sheet):
        raise Elsewhere
    connection.close()  # the crew's processes inherit none of ours
    at_once = concurrency or sheet.tournament.settings.get("concurrency", 1)
    crew = Crew(max(1, min(at_once, sheet.progress.total)))
    lease = lease_of_host(f"{os.uname().nodename[:40]} {secrets.token_hex(6)}")
    try:
        if not lease.take():
            raise Elsewhere
        with closing(connection):
            event = LocalEvent(sheet.tournament.pk, crew, lease, report)
            with _signals(event.interrupt):
                return event.play()
    finally:
        crew.stop()


class LocalEvent:
    """One event while this process is the host, which plays nothing else and gives the lease back at the end."""

    def __init__(self, pk: int, crew: Crew, lease: HostLease, report: TournamentReport) -> None:
        self._pk = pk
        self._crew = crew
        self._lease = lease
        self._report = report
        self._store = DatabaseStore(fence_of(lease))
        self._ids = Ids()
        self._over: list[Done] = []
        self._voids: Counter[int] = Counter()
        self._lost: Counter[int] = Counter()
        self._interrupted = self._failing = False
        self._renewed = time.monotonic()

    def interrupt(self) -> None:
        """Begin nothing more, and end the running matches; they are played again when somebody resumes the event."""
        self._interrupted = True

    def play(self) -> int:
        """Raises Elsewhere if the lease was lost, or a player who has to connect has entered."""
        try:
            while True:
                try:
                    code = self._step()
                except FAILURES as why:
                    code = self._wait_for_storage(why)
                if code is not None:
                    return code
        except (NotTheHost, Fenced):
            self._hand_over()
            raise Elsewhere from None
        finally:
            self._end()

    # -- what is to be done --------------------------------------------------------------------------------------------

    def _step(self) -> int | None:
        """Store what is over, begin what may begin, await news. Returns the exit status when all is done."""
        self._keep_lease()
        self._store_all()
        take_in_waiting(self._store)
        sheet, self._failing = self._look(), False
        playing = self._crew.playing
        if sheet.tournament.state == Tournament.State.FINISHED:
            return ALL_PLAYED
        if self._interrupted:
            return INTERRUPTED
        if not is_playable_here(sheet):
            raise Elsewhere
        if not playing and waits_for_organiser(sheet):
            return NEEDS_ORGANISER
        if sheet.tournament.state == Tournament.State.RUNNING:
            self._begin(sheet)
        self._report.show(sheet, self._crew.playing)
        self._over += self._crew.wait(LOOK_S)
        return None

    def _look(self) -> Sheet:
        sheet = actions.go_on(Tournament.objects.get(pk=self._pk))
        left = [line for line in sheet.lines if line.status == "running"]
        for line in left:
            self._abort(line)
        if left:
            found = read(sheet.tournament.slug)
            assert found is not None, "nobody deletes an event that runs"
            sheet = found
        self._report.show(sheet, self._crew.playing)
        return sheet

    def _begin(self, sheet: Sheet) -> None:
        """Begin in the order of the schedule."""
        playing = self._crew.playing
        waiting = [line for line in sheet.lines if line.status == "waiting" and line.pk not in playing]
        for line in sorted(waiting, key=lambda line: (line.round, line.number, line.leg))[: self._crew.free]:
            self._crew.give(line.pk, spec_of(sheet, line))

    def _abort(self, line: PairingLine) -> None:
        """Abort a match that a host left in the middle when it went away."""
        assert line.match is not None, "a running pairing has a match"
        match, events = line.match.id, self._store.read(line.match.id)
        abort = Abort("server_abort", "the server was restarted; the match is played again")
        ended = decide(replay(events), abort, datetime.now(UTC))
        try:
            self._store.write([Append(match, ended, lambda error: None, events)])
        except Stale:
            return  # it is looked at again

    # -- what is over --------------------------------------------------------------------------------------------------

    def _store_all(self) -> None:
        """Store the finished matches; if storage fails, the rest is stored later."""
        while self._over:
            self._store_one(self._over[0])
            del self._over[0]

    def _store_one(self, done: Done) -> None:
        log, why = done.log, done.why
        if done.lost and self._is_tried_again(done.key):
            return
        if log is not None:
            try:
                look_at_stall(log, self._voids[done.key])
            except RunVoid:
                self._voids[done.key] += 1
                return
            except ValueError as stall:
                log, why = None, str(stall)
        if log is not None:
            events = with_failure(log)
            why = take_in(self._store, log.match, events)
            if why == taken(log.match):  # by two processes of the crew, each of which names its matches itself
                log = log._replace(match=self._ids.new(time.time()))
                why = take_in(self._store, log.match, events)
            if not why and log.wires is not None:
                store_wires({log.match: log.wires})
            if not why and counts(log.state.termination or ""):
                return
        if why:
            self._report.note(f"A match could not be played or stored: {why}")
        with by_holder(self._store.fence):
            actions.count_fault(done.key, hand_over=done.lost)

    def _is_tried_again(self, pairing: int) -> bool:
        """Whether it is tried again, though not at once: the death of a process costs its match, and is no fault of the
        pairing until it has cost so many.
        """
        self._lost[pairing] += 1
        return self._lost[pairing] < MOST_FAULTS

    # -- the lease, and the end ----------------------------------------------------------------------------------------

    def _keep_lease(self) -> None:
        """Renew the lease. Raises NotTheHost when another process holds it."""
        if time.monotonic() - self._renewed >= self._lease.every_s:
            if not self._lease.renew():
                raise NotTheHost("the lease is another's")
            self._renewed = time.monotonic()

    def _wait_for_storage(self, why: Exception) -> int | None:
        """Wait until storage works again. Matches that have begun continue meanwhile."""
        connection.close()
        if not self._failing:
            self._report.note(f"The database does not answer, trying again: {why}")
        self._failing = True
        if self._interrupted:
            return INTERRUPTED
        time.sleep(AGAIN_S)
        return None

    def _end(self) -> None:
        """Store what was over when the processes ended, then let the next host come."""
        try:
            self._over += self._crew.stop()
            self._store_all()
        except (NotTheHost, Fenced):
            self._hand_over()
        except Error as why:
            self._report.note(f"{len(self._over)} matches could not be stored and are played again: {why}")
        finally:
            connection.close()
            self._lease.release()

    def _hand_over(self) -> None:
        """Hand finished matches to the new host, which stores them."""
        over = [*self._over, *self._crew.stop()]
        self._over = []
        enter([(done.log.match, with_failure(done.log)) for done in over if done.log is not None])


@contextmanager
def _signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """For Ctrl-C and SIGTERM, in place of an exception that could strike while a match is being stored."""
    before = {number: signal.signal(number, lambda *_: interrupt()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def waits_for_organiser(sheet: Sheet) -> bool:
    """Whether nothing runs and nothing can start, because the rest was handed to the organiser, or no round can be
    paired as is set by hand.
    """
    left = {line.status for line in sheet.lines} & {"waiting", "running", "handed"}
    state = sheet.tournament.state
    return (left == {"handed"} and state == "running") or (
        not left and state == "paused" and bool(sheet.tournament.why)
    )
