"""Matches as work: somebody else plays two of our programs, for an event or a command, and the host judges and stores
the log.

The player of the match may lie, answer late or answer twice. Of an answer we trust only what nobody else can know: the
moves, their times and how a program failed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.db import DataError, IntegrityError, connection
from django.db.models import QuerySet

from arena.bots.failure.failure import with_failure
from arena.bots.process.guests import FUNCTION
from arena.bots.process.programs import has_program
from arena.bots.session.wire_store import add_wires
from arena.cluster.lease import Fence
from arena.core.log_store import Append, DatabaseStore, Inconsequent
from arena.core.storage_watch import writing
from arena.match.endings import UNCOUNTED, counts
from arena.match.ids import Ids
from arena.match.quota import MOST_A_DAY, midnight
from arena.match.state import LogEvent
from arena.models import Bot, Entry, Machine, Match, Pairing, Work
from arena.play.driver import Log
from arena.play.setups import setup_of
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.ratings.pairs import rated_since
from arena.tournaments import actions, batches, needed, players, told
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.told import PLACE, NotContinued
from arena.work import rows
from arena.work.kinds import PLAY, Where
from arena.work.machine_class import own_class
from arena.work.rows import UNREADABLE, Answered, AnswerRefused, Came, Kind, RunVoid, WorkRun, WorkRunKey
from arena.work.rules_version import rules_version

log = logging.getLogger("arena.tournaments")

T = TypeVar("T")
KIND = PLAY
PRIORITY = 20
# A match is void if the program that measures its time stood still for this long; after this many such matches, the
# limit doubles with each further one.
STALL_MS, PATIENT_VOIDS, MOST_VOIDS = 50, 2, 10
MOST_KNOWN = 1000  # how many workers' classes are remembered


def is_for_anybody(sheet: Sheet, line: PairingLine) -> bool:
    """Whether it can be played anywhere: no side has to come, no moves are shown singly, and no proof ends it."""
    said = sheet.tournament.settings
    both = [sheet.entries[pk] for pk in (line.a, line.b) if pk is not None]
    return (
        len(both) == 2
        and not (said.get("pace_ms") or said.get("adjudicate"))
        and all(map(players.plays_anywhere, both))
    )


def is_elsewhere(machines: str) -> bool:
    """Whether this machine is of another class than an event names."""
    return machines not in ("", own_class())


def is_for_others(sheet: Sheet, line: PairingLine) -> bool:
    """Whether it waits for machines of another class."""
    return is_for_anybody(sheet, line) and is_elsewhere(needed.machines(sheet))


def key_of(line: PairingLine) -> str:
    """The key of the work; a match that had no result is played again under a new one."""
    return f"pairing:{line.pk}:{line.faults + 1}"


def submit(sheet: Sheet, line: PairingLine) -> bool:
    """Have this pairing played. False if this work exists already."""
    match = spec_of(sheet, line)
    spec = {"event": sheet.tournament.pk, "pairing": line.pk, "since": time.time(), "spec": match.to_data()}
    if match.further.get("rated"):
        spec["rated"] = sorted(pair_of(match))
    if machines := needed.machines(sheet):
        spec["machines"] = machines
    return rows.submit(KIND, [(key_of(line), spec)], PRIORITY, needs_of(match, machines)) > 0


def needs_of(match: Spec, machines: str = "") -> str:
    """The machines that may have it, if an event names this class: the host's own processes play what cannot travel,
    whether workers are there or not.
    """
    commands = [seat for seat in match.seats if isinstance(seat, CommandSeat)]
    stays = any(not (seat.program and settings.ARENA_WORKER_URL) for seat in commands)
    return Work.HOST if stays and not is_elsewhere(machines) else machines


def spec_of(sheet: Sheet, line: PairingLine) -> Spec:
    """The match of this pairing, as a server would play it."""
    said, seats = sheet.tournament.settings, []
    for pk in (line.a, line.b):
        assert pk is not None, "a bye is not played"
        seats.append(_seat(sheet.entries[pk], f"{said.get('seed', 0)} {line.round} {line.number} {line.leg}"))
    further = {"opening": line.opening, "pairing": line.pk, "offers": said.get("offers", False)}
    spec = Spec(
        sheet.tournament.variant,
        (seats[0], seats[1]),
        clock=said.get("clock", "none"),
        settings=said.get("variant", {}),
        wires=True,
        further=further,
        freeze=not said.get("pondering", False),
        stall_ms=0 if said.get("clock", "none") == "none" else STALL_MS,
    )
    if said.get("rated") and _may_be_rated(spec):
        return spec._replace(further={**further, "rated": True})
    return spec


def pair_of(spec: Spec) -> frozenset[int]:
    """The players of this match who are registered here."""
    return frozenset(seat.player for seat in setup_of(spec, 1).seats if seat.player is not None)


def out_of(pair: frozenset[int]) -> QuerySet[Work]:
    """The work of these two that is not done. SQLite only uses the index if the query says what is not in it."""
    open_now = Work.objects.filter(state__in=(Work.State.WAITING, Work.State.OUT)).exclude(state=Work.State.DONE)
    return open_now.filter(kind=KIND, spec__rated=sorted(pair))


def _may_be_rated(spec: Spec) -> bool:
    """Whether the match may be rated, by the rule of `Referee.open`, counting those still out with workers."""
    setup = setup_of(spec, 1)
    if setup.why_friendly:
        return False
    pair = pair_of(spec)
    others = out_of(pair).exclude(spec__pairing=spec.further["pairing"]).count()
    return others + rated_since(pair, midnight(time.time())) < MOST_A_DAY


def _seat(entry: Entry, seed: str) -> BuiltinSeat | CommandSeat:
    if entry.kind == Entry.Kind.BUILTIN:
        return BuiltinSeat(entry.level, entry.name, players.dice(entry, seed))
    if entry.player is not None:
        return seat_of(entry.player.bot)
    return CommandSeat(entry.protocol, tuple(entry.command or ()), entry.name, entry.cwd)


def seat_of(bot: Bot) -> CommandSeat:
    """The seat of a bot that this server runs."""
    words, name = tuple(bot.command or ()), bot.player.name
    return CommandSeat(bot.protocol, words, name, player=bot.pk, owner=bot.owner_id, program=bot.program)


class _Judged(NamedTuple):
    """The match that a run has played, as it will be stored."""

    run: WorkRun
    append: Append
    played: Log


class Encounters:
    """The kind of work `play`, for one host."""

    def __init__(self) -> None:
        self._store: DatabaseStore | None = None
        self._ids = Ids()
        self._classes: dict[str, str] = {}
        storing = (self._take_in, float("inf"), where, self._take_all_in, self._take_slice_in)
        self.kind = Kind(FUNCTION, _job, *storing)

    def _take_in(self, run: WorkRun, found: Any, fence: Fence | None) -> bool:
        """Take in one answer. Raises AnswerRefused or RunVoid, and then nothing is stored."""
        judged = self._judged(run, found, fence)
        try:
            return self._is_stored(judged, fence)
        except AnswerRefused:
            if run.match:
                self._judged(run, found, fence)  # void if slices have opened its match and it was ended meanwhile
            if run.match or (name := self._free(judged.append.match)) == judged.append.match:
                raise
            return self._is_stored(judged._replace(append=judged.append._replace(match=name)), fence)

    def _is_stored(self, judged: _Judged, fence: Fence | None) -> bool:
        """Whether it came in time. Raises AnswerRefused if the database refuses it."""
        try:
            return judged.run.key_of_run in self._stored([judged], fence)
        except (IntegrityError, DataError) as why:
            raise AnswerRefused(f"the database refused it: {why}") from None

    def _take_all_in(self, answers: Sequence[Answered], fence: Fence | None) -> list[Came]:
        """Take them in in one transaction, or one by one if one of them blocks the others."""
        looked = [_or_why(self._judged, run, found, fence) for run, found in answers]
        judged = [each for each in looked if isinstance(each, _Judged)]
        try:
            newest = self._stored(judged, fence)
        except (IntegrityError, DataError, Inconsequent, *UNREADABLE):
            return [_or_why(self._take_in, run, found, fence) for run, found in answers]
        return [each.run.key_of_run in newest if isinstance(each, _Judged) else each for each in looked]

    def _judged(self, run: WorkRun, found: Any, fence: Fence | None) -> _Judged:
        """Raises AnswerRefused, RunVoid, ValueError."""
        played = told.checked(run.spec, found)
        look_at_stall(played, run.voids)
        timed = told.at_our_time(played.events, datetime.now(UTC))
        if run.match:
            return self._ending(run, played, timed, fence)
        played = played._replace(events=timed)
        append = Append(
            self._name(played.match, run.spec["since"]), self._with_place(with_failure(played), run), _answered
        )
        return _Judged(run, append, played)

    def _ending(self, run: WorkRun, played: Log, timed: tuple[LogEvent, ...], fence: Fence | None) -> _Judged:
        """The rest of a match that slices have opened."""
        try:
            stored = told.must_be_open(self._store_of(fence).read, run.match)
        except NotContinued as why:
            raise RunVoid(str(why)) from None
        rest = told.not_before(stored[-1].at, told.rest_of(timed, stored))
        whole = played._replace(match=run.match, events=(*stored, *rest))
        append = Append(run.match, with_failure(whole)[len(stored) :], _answered, stored)
        return _Judged(run, append, whole)

    def _take_slice_in(self, run: WorkRun, found: Any, fence: Fence | None) -> str:
        """Take in one slice. Raises AnswerRefused and errors of the database, and then nothing is stored."""
        store = self._store_of(fence)
        setup = setup_of(Spec.from_data(run.spec["spec"]), 1)
        try:
            stored = told.must_be_open(store.read, run.match) if run.match else []
        except NotContinued:
            return ""
        events = told.at_our_time(told.slice_of(found, stored, setup), datetime.now(UTC))
        events = told.not_before(stored[-1].at, events) if stored else self._with_place(events, run)
        match = run.match or self._free(self._name(found.get("match"), run.spec["since"]))

        def enter() -> None:
            if run.spec["pairing"] not in _open_of([run.spec["pairing"]], [run.match]):
                raise AnswerRefused("its pairing waits for nobody")
            store.write_within([Append(match, events, _answered, stored)])

        with writing():
            return match if rows.keep_slice(run, match, enter, fence) else ""

    def _store_of(self, fence: Fence | None) -> DatabaseStore:
        if self._store is None or self._store.fence != fence:
            self._store = DatabaseStore(fence)
        return self._store

    def _stored(self, judged: Sequence[_Judged], fence: Fence | None) -> frozenset[WorkRunKey]:
        """The answers that did not come too late."""
        store = self._store_of(fence)

        def enter(newest: Collection[WorkRunKey]) -> None:
            _enter(store, [each for each in judged if each.run.key_of_run in newest])

        with writing():
            return rows.answer_all([each.run for each in judged], enter, fence)

    def _with_place(self, events: tuple[LogEvent, ...], run: WorkRun) -> tuple[LogEvent, ...]:
        """The same log, naming machine and programs unless only this machine and its commands played."""
        programs = [seat.get("program", "") for seat in run.spec["spec"]["seats"]]
        foreign = self._class_of(run.worker)
        if not foreign and not any(programs):
            return events
        place = {"worker": run.worker, "class": foreign or own_class(), "rules": rules_version(), "programs": programs}
        return (events[0]._replace(data={**events[0].data, PLACE: place}), *events[1:])

    def _class_of(self, worker: str) -> str:
        """The class of a machine that is not ours; a worker never changes its class."""
        if worker not in self._classes:
            found = Machine.objects.filter(name=worker).values_list("machine_class", flat=True).first()
            self._classes = {**self._classes, worker: found or ""} if len(self._classes) < MOST_KNOWN else {}
            return found or ""
        return self._classes[worker]

    def _name(self, said: str, since: float) -> str:
        """The match's name: the one that its bots were told, if we could have given it in that time."""
        return told.name_of(said, since, time.time()) or self._ids.new(time.time())

    def _free(self, name: str) -> str:
        """This name, or another if a match has it: a worker that begins one in the same tick of 37 µs has not lied."""
        return self._ids.new(time.time()) if Match.objects.filter(pk=name).exists() else name


def _job(run: WorkRun) -> dict[str, Any] | None:
    """None for a pairing of which this machine lacks a program, as one that has just become the host may: it waits for
    the files like those that have not been given away. Raises ValueError if nobody could play it.
    """
    programs: dict[str, dict[str, str]] = {}
    for seat in run.spec["spec"]["seats"]:
        if sha256 := seat.get("program"):
            bot = Bot.objects.select_related("player").filter(pk=seat["player"]).first()
            if bot is None or not has_program(bot, sha256):
                if "pairing" not in run.spec:
                    raise ValueError(f"the program {sha256[:12]} of {seat['called']} is not kept here any more")
                rows.withdraw([run.key])
                return None
            programs[sha256] = {"of": bot.player.slug, "at": f"{settings.ARENA_WORKER_URL}/work/programs/{sha256}"}
    job = {"spec": run.spec["spec"], "machines": run.spec.get("machines", "")}
    if programs:
        job |= {"programs": programs, "sandbox": settings.ARENA_SANDBOX_MIN}
    if is_elsewhere(job["machines"]) and where(job).needs == Work.HOST:
        raise ValueError(
            f"a program of it plays on this machine only, which is {own_class()}; the event wants {job['machines']}"
        )
    return job


def where(job: dict[str, Any]) -> Where:
    """Where it can be played: files of a command are here alone, as are programs that no worker can fetch."""
    if any("argv" in seat and not seat.get("program") for seat in job["spec"]["seats"]):
        return Where(Work.HOST)
    if not any(seat.get("program") for seat in job["spec"]["seats"]):
        return Where(job["machines"])
    return Where(job["machines"], job["sandbox"]) if settings.ARENA_WORKER_URL else Where(Work.HOST)


def look_at_stall(played: Log, voids: int) -> None:
    """Raises RunVoid if the program that measured the time stood still, and ValueError if that happens again and again.

    A machine that cannot do better is tolerated: after some void matches it may stand still for longer.
    """
    allowed_ms = STALL_MS * 2 ** max(0, voids - PATIENT_VOIDS)
    if played.stalled_ms >= allowed_ms:
        why = f"what measures the time stood still for {played.stalled_ms} ms in a turn"
        if voids >= MOST_VOIDS:
            raise ValueError(f"{why}, after {voids} matches that were void because of that")
        raise RunVoid(why)


# Those of these pairings that are open, and of which no match counts or runs except these. Through the ORM this query
# costs more than judging the match.
OPEN_PAIRINGS = """
SELECT pairing.id FROM arena_pairing pairing JOIN arena_tournament event ON event.id = pairing.tournament_id
WHERE pairing.id IN ({pairings}) AND pairing.state IN (%s, %s) AND NOT EXISTS (
    SELECT 1 FROM arena_match other WHERE other.pairing_id = pairing.id AND other.id NOT IN ({matches})
    AND (other.termination IS NULL OR other.termination NOT IN ({uncounted}))
)
"""


def _open_of(pairings: Sequence[int], matches: Sequence[str]) -> set[int]:
    """The pairings for which these matches may count. They and their events are locked, as by every act on them."""
    if not pairings:
        return set()
    never = sorted(UNCOUNTED)
    sql = OPEN_PAIRINGS.replace("{uncounted}", ", ".join(["%s"] * len(never)))
    sql = sql.replace("{pairings}", ", ".join(["%s"] * len(pairings)))
    sql = sql.replace("{matches}", ", ".join(["%s"] * len(matches)))
    if connection.features.has_select_for_update:
        sql += "ORDER BY pairing.id FOR UPDATE OF event, pairing"
    with connection.cursor() as cursor:
        states = (Pairing.State.OPEN.value, Pairing.State.HANDED.value)
        cursor.execute(sql, [*pairings, *states, *matches, *map(str, never)])
        return {pairing for (pairing,) in cursor.fetchall()}


def _enter(store: DatabaseStore, judged: Sequence[_Judged]) -> None:
    """Store them with their consequences, except those that nobody waits for any more. Those of a command wait in
    their rows until it reads them.
    """
    paired = [each for each in judged if "pairing" in each.run.spec]
    still_open = _open_of([run.spec["pairing"] for run, _, _ in paired], [run.match for run, _, _ in paired])
    entered = [each for each in paired if each.run.spec["pairing"] in still_open]
    others = [each for each in judged if "pairing" not in each.run.spec]
    stored = [*entered, *(each for each in others if each.run.spec.get("save"))]
    if stored:
        store.write_within([append for _, append, _ in stored])
        add_wires({append.match: played.wires or () for _, append, played in stored})
    for run, append, played in others:
        rows.keep_answer(run.work, batches.in_row(played, append))
    for run, append, _ in entered:
        ended = next(event for event in append.events if event.kind == "ended")
        if not counts(ended.data["termination"]):
            actions.count_fault(run.spec["pairing"], hand_over=False)


def _answered(error: Exception | None) -> None:
    """Tell what came of them."""


def _or_why(do: Callable[..., T], *answered: Any) -> T | Exception:
    try:
        return do(*answered)
    except (AnswerRefused, RunVoid, *UNREADABLE) as why:
        return why
