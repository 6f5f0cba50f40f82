"""The processes that play what events give away; what is played by them is in `test_giving`."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from arena.bots.process import guests, sandbox
from arena.bots.process.programs import programs
from arena.models import Match, Work
from arena.tournaments.encounters import KIND
from arena.tournaments.slots import Slots, slot_environment
from arena.work import rows
from arena.work.engine import LocalEngine
from tests.kit.commands import finished, manage, processes_of, start
from tests.kit.holding import hold, let_go
from tests.kit.server import migrate
from tests.kit.until import asked_until, until
from tests.tournaments.test_local_event import IN_A_LOOP, an_event, heard, logs
from tests.tournaments.test_local_event import rows as rows_of
from tests.tournaments.working import Office

# After which match the host is killed; tools/soak kills it more often.
KILLED_AFTER = (3,)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


async def test_a_slot_is_told_which_sandbox_holds_once_the_host_has_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else it attacks for itself, a second and a half of computing before its first match."""
    monkeypatch.delenv(guests.LEVEL, raising=False)
    sandbox.self_test.cache_clear()
    engine = LocalEngine(1, nice=0, env=slot_environment)
    assert await engine.run(0, "os:getenv", guests.LEVEL) is None
    level = await asyncio.to_thread(sandbox.best_level)
    engine.end(0)
    assert await engine.run(0, "os:getenv", guests.LEVEL) == str(int(level))
    assert await engine.run(0, "os:getenv", guests.FOLDER) == str(programs())
    await engine.close()


async def test_what_is_stored_is_told_and_what_is_not_is_for_the_next(tmp_path: Path) -> None:
    office = await sync_to_async(Office)(tmp_path)
    stored, over = list[None](), list[tuple[int, int]]()
    slots = Slots(1, office.fence, lambda: stored.append(None))
    slots.on_over = lambda event, pairing: over.append((event, pairing))
    await sync_to_async(rows.submit)(KIND, [("of no event", {})], 99)
    slots.call()
    await asked_until(Work.objects.filter(state="failed").acount, bool)
    await until(lambda: len(stored) == rows.MOST_FAULTS)
    assert over == []
    await sync_to_async(office.submit)()
    slots.call()
    # A run in which this machine stood still counts for nothing, and is told as well.
    await asked_until(Match.objects.acount, lambda found: found == 3)
    await until(lambda: len(stored) >= rows.MOST_FAULTS + 3)
    pairings = [pk async for pk in office.event.pairings.values_list("pk", flat=True)]
    assert len(over) >= 3 and set(over) == {(office.event.pk, pk) for pk in pairings}
    await slots.close()


async def test_who_closes_it_gives_back_what_is_being_played(tmp_path: Path) -> None:
    office = await sync_to_async(Office)(tmp_path, 60)
    slots = Slots(1, office.fence)
    await sync_to_async(office.submit)()
    slots.call()
    # Built-in players may have finished their match before anybody looks, the program has only begun.
    of_program = Work.objects.filter(spec__icontains="left.py")
    await asked_until(of_program.filter(state="out").acount, bool)
    await slots.close()
    assert {row.state async for row in of_program} == {"waiting"}
    assert not await Work.objects.filter(state="out").aexists()


async def test_who_closes_it_gives_back_what_is_claimed_in_that_moment(tmp_path: Path) -> None:
    office = await sync_to_async(Office)(tmp_path, 60)
    await sync_to_async(office.submit)()
    with ThreadPoolExecutor(1) as asking:
        for _ in range(5):
            slots = Slots(1, office.fence)
            slots.call()
            # In the way of the loop: the claim is stored before the loop hears of it.
            while not asking.submit(Work.objects.filter(state="out").count).result():
                await asyncio.sleep(0)
            await slots.close()
            assert not await Work.objects.filter(state="out").aexists()
        asking.submit(connections.close_all).result()


@pytest.mark.service
async def test_every_pairing_counts_once_however_often_the_host_is_killed(tmp_path: Path) -> None:
    """The table and the logs are those of the same event played by a command alone."""
    migrate(tmp_path / "tables")
    database = tmp_path / "tables" / "arena.sqlite3"
    alone, folder = (an_event(tmp_path / name, database) for name in ("alone", "killed"))
    done = manage(alone, "tournament", "run", "cup.toml")
    assert done.returncode == 0, done.stderr
    words = ("run", "cup.toml")
    for match in KILLED_AFTER:
        hold(folder, but=match)
        host = await start(folder, "tournament", *words, *IN_A_LOOP, ARENA_PLAY_SLOTS="2")
        await heard(host, rf"^Finished match {match} ")
        host.send_signal(signal.SIGKILL)
        await host.wait()
        words = ("resume", "cup")
    let_go(folder)
    code, out, err = await finished(await start(folder, "tournament", *words, *IN_A_LOOP, ARENA_PLAY_SLOTS="2"))
    assert code == 0, out + err
    counted = Counter(rows_of(folder, "SELECT pairing_id FROM arena_match"))
    assert set(counted.values()) == {1} and len(counted) == len(rows_of(folder, "SELECT 1 FROM arena_match"))
    work = "SELECT state, sum(faults) FROM arena_work WHERE kind = 'play' GROUP BY state"
    faulty = rows_of(folder, "SELECT key, faults, why FROM arena_work WHERE kind = 'play' AND faults > 0")
    assert faulty == [] and rows_of(folder, work) == [("done", 0)], out + err
    assert logs(folder) == logs(alone)
    assert out.partition("\nCup")[2] == done.stdout.partition("\nCup")[2] != ""
    assert processes_of(folder) == []
