"""Events whose matches are played by processes of their own: what is given away, called back, lost and played again."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from arena.bots.process import guests
from arena.bots.process.sandbox import best_level
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Bot, Entry, Match, Pairing, Tournament, Work
from arena.tournaments import actions, encounters, pace
from arena.tournaments.director import Director
from arena.tournaments.giving import Given, whys
from arena.tournaments.slots import Slots
from arena.tournaments.spec import TournamentSpec
from arena.work import rows
from tests.kit.browsing import Person, text
from tests.kit.commands import processes_of
from tests.kit.holding import HELD, hold, let_go
from tests.kit.hosting import serving
from tests.kit.tournaments import a_begun, a_spec, begun, builtins, finished, sheet, sheet_when
from tests.kit.until import asked_until, until
from tests.tournaments.working import LEFT, Office, a_travelling_bot, command_bots, given_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

# Stops the process that has started it for a while, the first time that it is asked for a move.
STOPS_ONCE = """import os, signal, sys, time
for line in sys.stdin:
    if not os.path.exists("stopped"):
        open("stopped", "w").close()
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(0.3)
        os.kill(os.getppid(), signal.SIGCONT)
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""


# From its third move on it waits until it may make it: until a file with the move's number is there.
WAITS = """import pathlib, sys, time
for number, line in enumerate(sys.stdin, 1):
    while number > 2 and not pathlib.Path(f"move-{number}").exists():
        time.sleep(0.02)
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""


@pytest.fixture
async def slots(settings: Any, transactional_db: None) -> AsyncIterator[Host]:
    settings.ARENA_PLAY_SLOTS = 2
    async with serving() as host:
        yield host


def an_event(folder: Path, *more: str, pause_s: float = 0, **values: Any) -> TournamentSpec:
    """Three programs that wait so long before each move, and a built-in player."""
    return a_spec(entries=command_bots(folder, 3, pause_s), clock="60s", seed=5, **values)


def a_held_event(folder: Path) -> TournamentSpec:
    """Its programs begin to play when the test lets them."""
    event = an_event(folder)
    (folder / "left.py").write_text(HELD + LEFT)
    hold(folder)
    return event


@sync_to_async
def states() -> Counter[str]:
    return Counter(Work.objects.values_list("state", flat=True))


async def out(count: int) -> list[Work]:
    """As soon as this many runs are out at once."""
    await asked_until(lambda: Work.objects.filter(state="out").acount(), lambda found: found == count)
    return [row async for row in Work.objects.filter(state="out")]


async def test_an_event_of_programs_is_played_away_from_the_host(
    slots: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event is not read again after each result: neither the next matches nor the end wait for that."""
    monkeypatch.setattr(pace, "RESTS", 1e12)
    monkeypatch.setattr(pace, "MOST_REST_S", 1e12)
    await a_begun(an_event(tmp_path, legs=2, opening_plies=2))
    found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 12}
    assert all(len(line.matches) == 1 for line in found.lines)
    assert await states() == {"done": 12} and slots.hub.lives == {}
    assert {row.key async for row in Work.objects.all()} == {f"pairing:{line.pk}:1" for line in found.lines}
    assert sum(line.points for line in found.standings) == 12


def test_to_give_away_a_pairing_takes_one_statement_unless_it_was_given_away_before(
    django_assert_num_queries: Any,
) -> None:
    event = begun(a_spec(entries=builtins(4)))
    found, given = sheet(event.slug), Given(event.pk)
    with django_assert_num_queries(len(found.lines)):
        given.add(found, found.lines)
    with django_assert_num_queries(5):  # with those of a transaction
        given.add(found, found.lines[:1])
    assert given.pairings == {line.pk for line in found.lines} and Work.objects.count() == len(found.lines)


def test_what_is_asked_before_each_rated_match_reads_no_work_that_is_done() -> None:
    assert "work_of_plays" in encounters.out_of(frozenset({1, 2})).explain()


async def test_who_has_played_away_from_the_host_has_missed_no_call_since(slots: Host, tmp_path: Path) -> None:
    cup = await sync_to_async(actions.create)(an_event(tmp_path))
    await Entry.objects.filter(seed__lte=2).aupdate(calls=1)
    await sync_to_async(actions.start)(cup)
    await finished("spring-cup")
    await asked_until(lambda: Entry.objects.filter(calls=0).acount(), lambda found: found == 4)


async def test_a_process_that_is_killed_costs_its_match_and_no_other(slots: Host, tmp_path: Path) -> None:
    await a_begun(a_held_event(tmp_path))
    await out(2)
    assert slots.director is not None and slots.director.slots is not None
    engine: Any = slots.director.slots.engine
    await until(lambda: 0 in engine._processes)
    os.kill(engine._processes[0].pid, signal.SIGKILL)
    let_go(tmp_path)
    found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 6}
    assert await Match.objects.acount() == 6
    assert sorted([row.faults async for row in Work.objects.all()]) == [0, 0, 0, 0, 0, 1]
    assert {line.faults for line in found.lines} == {0}, "no fault of the pairing"


async def test_a_match_is_void_whose_time_was_measured_by_a_process_that_stood_still(
    slots: Host, tmp_path: Path
) -> None:
    """It is played again, and the table knows nothing of it."""
    bots = command_bots(tmp_path, 1)[:1] + builtins(1, "random")
    (tmp_path / "left.py").write_text(STOPS_ONCE)
    await a_begun(a_spec(entries=bots, clock="60s", seed=5))
    found = await finished("spring-cup")
    assert (tmp_path / "stopped").exists()
    row = await Work.objects.aget()
    assert row.voids >= 1 and row.faults == 0 and found.lines[0].faults == 0
    assert await Match.objects.acount() == 1 and found.lines[0].status == "played"


async def test_two_directors_play_nothing_twice(slots: Host, tmp_path: Path) -> None:
    other = Director(slots.lobby, slots.thinkers, slots=Slots(1, slots.fence))
    try:
        await a_begun(an_event(tmp_path, legs=2))
        found = await finished("spring-cup")
    finally:
        await other.stop()
    assert await Match.objects.acount() == 12 == len(found.lines)
    assert await states() == {"done": 12}


async def test_what_somebody_looks_at_is_seen_while_it_is_played(
    slots: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what had begun before. Nothing is void here because this machine is busy."""
    monkeypatch.setattr(encounters, "STALL_MS", 60_000)
    assert slots.director is not None
    event = an_event(tmp_path)
    (tmp_path / "left.py").write_text(WAITS)
    await a_begun(event)
    begun = {row.pk for row in await out(2)}
    slots.director.watch({"spring-cup"})
    live = await _shown(slots, begun)
    for number in range(3, 30):
        assert number > 4 or not live.over, "move by move"
        seen = len(live.events)
        (tmp_path / f"move-{number}").touch()
        await until(partial(_went_on, live, seen))
    assert live.state.termination == "normal"
    await finished("spring-cup")
    assert await states() == {"done": 6} and not slots.hub.running()
    assert await Match.objects.acount() == 6, "one that was shown counts like any other"


async def test_a_match_that_was_seen_is_ended_where_its_process_is_killed(
    slots: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encounters, "STALL_MS", 60_000)
    assert slots.director is not None and slots.director.slots is not None
    slots.director.watch({"spring-cup"})
    event = an_event(tmp_path)
    (tmp_path / "left.py").write_text(WAITS)
    await a_begun(event)
    live = await _shown(slots, {row.pk for row in await out(2)})
    engine: Any = slots.director.slots.engine
    for process in tuple(engine._processes.values()):
        os.kill(process.pid, signal.SIGKILL)
    await until(lambda: live.over)
    assert live.state.termination == "server_abort"
    for number in range(3, 30):
        (tmp_path / f"move-{number}").touch()
    found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 6} and {line.faults for line in found.lines} == {
        0
    }
    assert not await Work.objects.exclude(match="").aexists()


def _went_on(live: LiveMatch, seen: int) -> bool:
    return live.over or len(live.events) > seen


async def _shown(host: Host, works: set[int]) -> LiveMatch:
    """The first match of these that is seen."""
    row = await asked_until(Work.objects.filter(pk__in=works).exclude(match="").afirst, bool)
    assert row is not None, "asked until there was one"
    await until(lambda: row.match in host.hub.lives)
    return host.hub.lives[row.match]


async def test_an_event_that_is_stopped_at_once_stores_nothing_of_what_was_out(slots: Host, tmp_path: Path) -> None:
    tournament = await a_begun(an_event(tmp_path, pause_s=60))
    taken = await out(2)
    await sync_to_async(actions.pause)(tournament, at_once=True)
    await asked_until(states, lambda found: found == {})
    await asked_until(sync_to_async(lambda: processes_of(tmp_path)), lambda found: found == [])
    assert not await Match.objects.aexists()
    command_bots(tmp_path, 3, 0)  # the same programs, faster
    await sync_to_async(actions.resume)(tournament)
    await finished("spring-cup")
    assert await Match.objects.acount() == 6
    assert not await Work.objects.filter(pk__in=[row.pk for row in taken]).aexists()


async def test_a_pause_lets_what_has_begun_end_and_begins_nothing(slots: Host, tmp_path: Path) -> None:
    tournament = await a_begun(a_held_event(tmp_path))
    await out(2)
    await sync_to_async(actions.pause)(tournament)
    let_go(tmp_path)
    await asked_until(states, lambda found: not (found["out"] or found["waiting"]))
    assert await Match.objects.acount() == (await states())["done"] < 6


async def test_what_nobody_can_play_is_handed_to_the_organiser(slots: Host) -> None:
    tournament = await sync_to_async(actions.create)(a_spec(2))
    await sync_to_async(actions.start)(tournament)
    await Pairing.objects.aupdate(opening="4 x")
    found = await sheet_when("spring-cup", lambda found: found.lines[0].status == "handed")
    assert found.lines[0].faults > 0 and not await Match.objects.aexists()
    row = await Work.objects.aget()
    assert row.state == "failed" and "expected a column" in row.why
    assert await sync_to_async(whys)(found.lines) == {found.lines[0].pk: row.why}


async def test_work_that_staff_cancel_is_for_the_organiser(slots: Host, tmp_path: Path) -> None:
    await a_begun(an_event(tmp_path, pause_s=60))
    taken = await out(2)
    works = Work.objects.filter(pk__in=[row.pk for row in taken])
    await sync_to_async(rows.cancel)(works, "by mira")
    found = await sheet_when("spring-cup", lambda found: found.progress.handed == 2)
    assert {line.pk for line in found.lines if line.status == "handed"} == {row.spec["pairing"] for row in taken}


async def test_work_that_failed_waits_for_nobody_once_the_organiser_has_decided(slots: Host, tmp_path: Path) -> None:
    """One match is played again, and the other one, the last of the event, is decided without being played."""
    tournament = await a_begun(a_held_event(tmp_path))
    taken = await out(2)
    await sync_to_async(rows.cancel)(Work.objects.filter(pk__in=[row.pk for row in taken]), "by mira")
    found = await sheet_when("spring-cup", lambda found: found.progress.handed == 2)
    again, other = [await Pairing.objects.aget(pk=line.pk) for line in found.lines if line.status == "handed"]
    let_go(tmp_path)
    await sync_to_async(actions.rerun)(again, "it was a mistake")
    await sheet_when("spring-cup", lambda found: found.progress.played == 5)
    await asked_until(states, lambda found: found == {"done": 6, "cancelled": 1})
    assert (await Work.objects.aget(state="cancelled")).spec["pairing"] == other.pk
    await sync_to_async(actions.award)(other, "a", "the other one was ill")
    await finished(tournament.slug)
    await asked_until(states, lambda found: found == {"done": 7})


async def test_work_that_failed_waits_for_nobody_once_its_sample_is_deleted(slots: Host) -> None:
    tournament = await sync_to_async(actions.create)(a_spec(2))
    await Tournament.objects.aupdate(settings={**tournament.settings, actions.SAMPLE: True})
    await sync_to_async(actions.start)(tournament)
    await Pairing.objects.aupdate(opening="4 x")
    await sheet_when("spring-cup", lambda found: found.lines[0].status == "handed")
    assert await states() == {"failed": 1}
    await sync_to_async(actions.delete)(tournament)
    await asked_until(states, lambda found: found == {"done": 1})


async def test_work_that_failed_waits_for_nobody_once_its_match_is_decided_without_a_server(
    settings: Any, transactional_db: None
) -> None:
    over, running = [await a_begun(a_spec(2, name=name)) for name in ("Over", "Running")]
    for event in (over, running):
        pairing = await Pairing.objects.filter(tournament=event).select_related("tournament").afirst()
        assert pairing is not None, "two players meet"
        spec = {"event": event.pk, "pairing": pairing.pk}
        await Work.objects.acreate(kind=encounters.KIND, key=f"pairing:{pairing.pk}:1", spec=spec, state="failed")
        await sync_to_async(actions.count_fault)(pairing.pk, hand_over=True)
        if event is over:
            await sync_to_async(actions.award)(pairing, "a", "the other one was ill")
            await sync_to_async(actions.go_on)(event)
    await Work.objects.acreate(kind=encounters.KIND, key="match:1:1", spec={"event": "match:1"}, state="failed")
    settings.ARENA_PLAY_SLOTS = 2
    async with serving():
        states = Work.objects.order_by("pk").values_list("state", flat=True)
        assert [state async for state in states] == ["done", "failed", "failed"]


@pytest.fixture
def folder(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Of a server that starts bots: pytest's own folders can be entered by their owner only."""
    monkeypatch.setenv(guests.LEVEL, str(int(best_level())))
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        settings.ARENA_DATA, settings.ARENA_BOTS = Path(name, "data"), Path(name, "bots")
        settings.ARENA_PLAY_SLOTS, settings.ARENA_SANDBOX_MIN = 2, 0
        yield Path(name)


@pytest.mark.parametrize("how", ["missing", "missing pack", "closed", "broken"])
async def test_matches_of_a_bot_wait_while_it_cannot_be_started_and_the_page_says_so(
    folder: Path, transactional_db: None, how: str
) -> None:
    """As on a host that has taken over without its files, where its user may not enter their folder, or where a library
    is missing: nobody loses a match by that.
    """
    command_bots(folder, 1)
    bot = await sync_to_async(a_travelling_bot)(folder)
    files, elsewhere = folder / "data" / "programs" / "left", folder / "elsewhere"
    if how != "missing pack":
        await Bot.objects.aupdate(program="")
        files = folder / "bots" / "left"
        shutil.copytree(folder / "files", files)
    program = (files / "left.py").read_text() if how == "broken" else ""
    if how == "broken":
        (files / "left.py").write_text("import a_library_of_1999\n")
    else:
        files.chmod(0o700) if how == "closed" else files.rename(elsewhere)
    event = await a_begun(a_spec(entries=(bot, *builtins(2, "random"))))
    sentence = "This server cannot start <b>left</b>. The matches of this bot wait until it can"
    async with serving():
        await sheet_when(event.slug, lambda found: found.progress.played == 1)
        await asked_until(lambda: Person().get(f"/t/{event.slug}/"), lambda page: sentence in text(page))
        # Also on a page that was open before: its updates are made once for all readers.
        assert "manage.py doctor" in text(await Person().get(f"/t/{event.slug}/"))
        if how == "broken":
            (files / "left.py").write_text(program)
        else:
            files.chmod(0o755) if how == "closed" else elsewhere.rename(files)
        found = await finished(event.slug)
        assert sentence not in text(await Person().get(f"/t/{event.slug}/"))
    assert {match.termination for line in found.lines for match in line.matches} == {"normal"}
    assert sum(len(line.matches) for line in found.lines) == len(found.lines) == 3


async def test_what_a_host_gave_away_waits_for_the_files_where_the_next_one_has_none(
    folder: Path, transactional_db: None
) -> None:
    """It is not handed to the organiser as what nobody can play, and the program is the one that the bot has then."""
    command_bots(folder, 1)
    bot = await sync_to_async(a_travelling_bot)(folder)
    event = await a_begun(a_spec(entries=(bot, *builtins(1, "random")), legs=2))
    keys = await sync_to_async(given_away)(event)
    files, elsewhere = folder / "data" / "programs" / "left", folder / "elsewhere"
    files.rename(elsewhere)
    async with serving():
        await asked_until(Work.objects.filter(key__in=keys).acount, lambda found: found == 0)
        elsewhere.rename(files)
        found = await finished(event.slug)
    assert [match.termination for line in found.lines for match in line.matches] == ["normal", "normal"]


def test_what_cannot_travel_waits_for_no_worker(tmp_path: Path, settings: Any) -> None:
    """The host's own processes take it at once, also where no worker is there to whom anything could be lent."""
    settings.ARENA_DATA = tmp_path / "data"
    office = Office(tmp_path, registered=True)

    def submitted() -> list[str]:
        Work.objects.all().delete()
        office.submit()
        return sorted(Work.objects.values_list("needs", flat=True))

    assert submitted() == ["", Work.HOST, Work.HOST], "nobody could ask for its files"
    settings.ARENA_WORKER_URL = "https://arena.example.org"
    assert submitted() == ["", "", ""]
    Bot.objects.update(program="")
    assert submitted() == ["", Work.HOST, Work.HOST]
