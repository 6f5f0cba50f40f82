"""The leases of what a host does beside its matches, as several processes see them in one row."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from arena.cluster.lease import NotTheHost, by_holder
from arena.cluster.part import DIRECTOR, SWEEPER, PartLease, turn
from arena.models import Room
from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment, migrate
from tests.kit.until import asked_until

# Directs until its input ends: says which number it has, once it has one, and then whether it may still write.
DIRECTOR_OF_ITS_OWN = """
import sys, time
from arena.cluster.lease import NotTheHost, by_holder
from arena.cluster.part import DIRECTOR, turn
while (fence := turn(DIRECTOR, NAME)) is None:
    time.sleep(0.1)
print(fence.epoch, flush=True)
sys.stdin.readline()
try:
    with by_holder(fence):
        print("wrote", flush=True)
except NotTheHost:
    print("refused", flush=True)
"""


@pytest.mark.django_db(transaction=True)
def test_each_part_has_a_line_of_numbers_of_its_own() -> None:
    first, second = turn(DIRECTOR, "first", keeps=True), turn(DIRECTOR, "second", keeps=True)
    assert first is not None and second is not None and second.epoch == first.epoch + 1
    assert turn(DIRECTOR, "second", keeps=True) == second, "who has it keeps its number"
    sweeper = turn(SWEEPER, "first", keeps=True)
    assert sweeper is not None and (sweeper.name, sweeper.epoch) == (SWEEPER, 1)
    with by_holder(sweeper), by_holder(second, keeps=True):
        Room.objects.create(code="A")
    with pytest.raises(NotTheHost), by_holder(sweeper), by_holder(first, keeps=True):
        Room.objects.create(code="B")
    assert list(Room.objects.values_list("code", flat=True)) == ["A"]


@pytest.mark.django_db(transaction=True)
async def test_a_part_that_cannot_be_kept_says_so_once_and_when_it_can(caplog: pytest.LogCaptureFixture) -> None:
    part = PartLease(DIRECTOR, lambda: None, "first")
    await _rename("arena_lease", "arena_away")
    for _ in range(3):
        await part.begin()
    await _rename("arena_away", "arena_lease")
    await part.begin()
    assert part.fence is not None
    begun, over = (record.message for record in caplog.records if record.name == "arena.cluster.lease")
    assert begun == "the lease of the director cannot be renewed: no such table: arena_lease"
    assert over == "resolved: the lease of the director cannot be renewed"


@sync_to_async
def _rename(old: str, new: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {old} RENAME TO {new}")


@pytest.mark.django_db(transaction=True)
async def test_a_part_says_when_it_is_ours_and_gives_it_up() -> None:
    told = list[int]()
    part = PartLease(DIRECTOR, lambda: told.append(part.fence.epoch if part.fence else 0), "first")
    await part.begin()
    assert part.fence is not None and told == [part.fence.epoch]
    await part.close()
    assert part.fence is None


@pytest.mark.service
@pytest.mark.long
async def test_of_two_directors_one_directs_and_the_other_goes_on_when_it_is_killed(
    postgres: Postgres, tmp_path: Path
) -> None:
    """And who was stopped meanwhile writes nothing."""
    url = postgres.create("parts")
    migrate(tmp_path, DATABASE_URL=url)

    def start(name: str) -> subprocess.Popen[str]:
        pipe, mine = subprocess.PIPE, {**environment(tmp_path), "DATABASE_URL": url}
        program = DIRECTOR_OF_ITS_OWN.replace("NAME", repr(name))
        return subprocess.Popen(script(program), cwd=ROOT, env=mine, stdin=pipe, stdout=pipe, text=True)

    both = {name: start(name) for name in ("one", "two")}
    try:
        with psycopg.connect(url, autocommit=True) as database:
            first = await asked_until(lambda: asyncio.to_thread(_holder, database, 1), bool)
            # By a clock that was set back since, it would end in an hour.
            database.execute("UPDATE arena_lease SET expires = now() + interval '1 hour' WHERE name = 'director'")
            capped = "SELECT expires <= now() + interval '6 seconds' FROM arena_lease WHERE name = 'director'"
            await asked_until(
                lambda: asyncio.to_thread(database.execute, capped), lambda found: found.fetchone() == (True,)
            )
            # It renews nothing, as if it stood still for as long as its lease lasts.
            database.execute("UPDATE arena_lease SET expires = now() - interval '1 second' WHERE name = 'director'")
            second = await asked_until(lambda: asyncio.to_thread(_holder, database, 2), bool)
        assert {first, second} == set(both)
        assert both[first].communicate("on\n", timeout=DEADLINE_S)[0].split() == ["1", "refused"]
        assert both[second].communicate("on\n", timeout=DEADLINE_S)[0].split() == ["2", "wrote"]
    finally:
        for process in both.values():
            process.kill()
            process.wait()


def _holder(database: psycopg.Connection, number: int) -> str:
    """Who directs under this number, "" where nobody does."""
    sql = "SELECT holder FROM arena_lease WHERE name = 'director' AND epoch = %s"
    row = database.execute(sql, [number]).fetchone()
    return str(row[0]) if row else ""
