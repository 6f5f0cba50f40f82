"""A whole event played elsewhere: a bot of this server travels to a real worker, whose matches the host judges."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

import psycopg
import pytest

from arena.bots.process.packing import sha256_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.namespaces import may_be_made
from tests.kit.ports import free_port
from tests.kit.processes import Postgres
from tests.kit.until import asked_until
from tests.kit.workers import Cluster, cluster
from tests.tournaments.working import LEFT
from tests.work.workers.test_worker_process import Other

pytestmark = pytest.mark.service

# An event with the bot `left`.
BEGUN = """
from arena.models import Player
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
entries = (EntrySpec("left", "bot", player=Player.objects.get(slug="left").pk), EntrySpec("dice", "builtin", "random"))
actions.start(actions.create(TournamentSpec("Cup", "connect-four-7x6", "round-robin", entries, legs=2, clock="60s")))
"""
STOPPED = """
from arena.models import Tournament
from arena.tournaments import actions
actions.pause(Tournament.objects.get(), at_once=True)
"""
# Somebody who may organise every event, and the cookie of their browser.
ORGANISER = """
from django.contrib.auth.models import User
from django.test import Client
client = Client()
client.force_login(User.objects.create_superuser("ops"))
print("; ".join(f"{name}={said.value}" for name, said in client.cookies.items()))
"""
CUP = """
name = "Cup"
variant = "connect-four-7x6"
format = "round-robin"

[[entry]]
seat = "builtin:random"

[[entry]]
seat = "builtin:beginner"
"""
AGO = "now() - interval '1 minute'"
# Takes its time before the first move.
SLOW = LEFT.replace("import sys", "import sys, time").replace("for line", "time.sleep(2)\nfor line")
OUT = "SELECT id FROM arena_work WHERE kind = 'play' AND state = 'out' AND worker LIKE %s"
# As after a minute in which nobody renewed it.
EXPIRED = "UPDATE arena_work SET until = now() - interval '1 second' WHERE id = %s AND state = 'out' RETURNING id"
# What the worker says of where it is given this.
WHY = {"nothing": "cannot be asked for the program", "another program": f"with the SHA-256 {sha256_of(b'another')}"}
STORED = "SELECT string_agg(id || head, ' ' ORDER BY id), count(*) FROM arena_match"


def _write_program(folder: Path, source: str) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(source)


async def _begin(arena: Cluster, folder: Path) -> None:
    """An event of the bot whose program has been written there."""
    await arena.add_bot(folder / "files", then=BEGUN)


async def test_a_bot_travels_by_its_hash_and_without_a_worker_its_event_says_what_it_waits_for(
    postgres: Postgres, folder: Path
) -> None:
    _write_program(folder, LEFT)
    async with cluster(folder, postgres, "playing", fetches=True) as arena:
        await _begin(arena, folder)
        await arena.until("SELECT 1 FROM arena_work WHERE kind = 'play'")
        await arena.ask("UPDATE arena_work SET made = now() - interval '1 minute' RETURNING id")
        await asked_until(partial(asyncio.to_thread, _page, f"{arena.server.address}/t/cup/"), _says_how_to_start_one)
        worker = await arena.worker()
        await arena.until("SELECT 1 FROM arena_tournament WHERE state = 'finished'")
        ((sha256, name),) = await arena.ask("SELECT program, (SELECT name FROM arena_machine) FROM arena_bot")
        placed = await arena.ask("SELECT data->'played_on' FROM arena_event WHERE kind = 'opened' ORDER BY match_id")
        assert [set(place["programs"]) for (place,) in placed] == [{sha256, ""}] * 2
        assert {place["worker"] for (place,) in placed} == {name}
        assert (worker.data / "programs" / "left" / sha256 / "left.py").read_text() == LEFT
        assert await arena.ask("SELECT sum(faults), max(distrusted) FROM arena_work, arena_machine") == [(0, "")]


@pytest.mark.cases(1)
@pytest.mark.parametrize("gives", ["nothing", "another program"])
async def test_an_event_whose_programs_no_worker_can_fetch_says_so_and_tells_its_organiser_why(
    postgres: Postgres, folder: Path, gives: str
) -> None:
    _write_program(folder, LEFT)
    with _elsewhere(gives) as elsewhere:
        async with cluster(folder, postgres, f"lacking_{gives[0]}", ARENA_WORKER_URL=elsewhere) as arena:
            await _begin(arena, folder)
            await arena.worker()
            await arena.until("SELECT 1 FROM arena_work WHERE lacked IS NOT NULL")
            await arena.ask(f"UPDATE arena_work SET made = {AGO}, lacked = {AGO} WHERE lacked IS NOT NULL RETURNING id")
            page = partial(asyncio.to_thread, _page, f"{arena.server.address}/t/cup/")
            found = await asked_until(page, lambda page: "The workers give matches back" in page)
            assert "<code>manage.py work list</code>" in found and elsewhere not in found
            cookie = (await arena.manage("shell", "-c", ORGANISER)).split()[-1]
            said = f"pairing:1:1: {elsewhere}/work/programs/"
            found = await asyncio.to_thread(_page, f"{arena.server.address}/t/cup/", cookie)
            assert f"What a worker says about it, to organisers only: {said}" in found
            found = await asyncio.to_thread(_page, f"{arena.server.address}/admin/machines/", cookie)
            assert "gave back at " in found and said in found and WHY[gives] in found
            found = await arena.manage("work", "list")
            assert "gave back at " in found and said in found and WHY[gives] in found
            found = await asyncio.to_thread(_page, f"{arena.server.address}/metrics")
            assert "\narena_workers_lacking 1\n" in found
            assert await arena.ask("SELECT sum(faults) FROM arena_work") == [(0,)]


@pytest.mark.skipif(not may_be_made(), reason="this machine gives no disk of its own to a process")
@pytest.mark.cases(0)
async def test_a_worker_whose_disk_is_full_leaves_its_matches_to_others(postgres: Postgres, folder: Path) -> None:
    _write_program(folder, LEFT)
    (folder / "files" / "book").write_bytes(bytes(8 * 2**20))
    async with cluster(folder, postgres, "full", fetches=True) as arena:
        await _begin(arena, folder)
        full = await arena.worker(room_kb=4096)
        await full.until_said("No space left on device")
        await arena.worker()
        await arena.until("SELECT 1 FROM arena_tournament WHERE state = 'finished'")
        assert await arena.ask("SELECT sum(faults), max(distrusted) FROM arena_work, arena_machine") == [(0, "")]
        assert await arena.ask("SELECT count(*) FROM arena_match") == [(2,)]


@pytest.mark.cases(0)  # it takes a minute of processor: `make soak ARGS=cases`
async def test_a_match_whose_worker_stands_still_is_another_s_and_its_late_answer_changes_nothing(
    postgres: Postgres, folder: Path
) -> None:
    _write_program(folder, SLOW)
    async with cluster(folder, postgres, "still", fetches=True) as arena:
        await _begin(arena, folder)
        async with arena.held():
            stopped = await arena.worker()
            ((work,),) = await arena.until(OUT, f"% {stopped.pid} %")
            stopped.signal(signal.SIGSTOP)
            await arena.until(EXPIRED, work)
        await arena.worker()
        await arena.until("SELECT 1 FROM arena_tournament WHERE state = 'finished'")
        stored = await arena.ask(STORED)
        stopped.signal(signal.SIGCONT)
        await stopped.until_said(": no longer ours\n", ": answered too late, and not taken\n")
        assert await arena.ask("SELECT faults FROM arena_work WHERE kind = 'play' ORDER BY id = %s", work) == [
            (0,),
            (1,),
        ]
        assert await arena.ask("SELECT count(*) FROM arena_returned WHERE work_id = %s", work) == [(0,)]
        assert await arena.ask("SELECT max(distrusted) FROM arena_machine") == [("",)]
        assert await arena.ask(STORED) == stored and [count for _, count in stored] == [2]


@pytest.mark.cases(0)  # it takes half a minute of processor: `make soak ARGS=cases`
async def test_an_event_of_a_file_is_played_by_workers_without_a_server(postgres: Postgres, folder: Path) -> None:
    async with cluster(folder, postgres, "file") as arena:
        await arena.worker()
        await arena.server.stop()
        (folder / "cup.toml").write_text(CUP)
        said = await arena.manage("tournament", "run", str(folder / "cup.toml"), "--engine", "procrastinate")
        assert "2 of 2 matches played" in said and "Traceback" not in said
        assert await arena.ask("SELECT count(*) FROM arena_event WHERE data ? 'played_on'") == [(2,)]
        (folder / "cup.toml").write_text(CUP.replace("Cup", "Other"))
        local = ("--engine", "local", "--door", "fiar=0")  # for a door it has to be a host
        said = await arena.manage("tournament", "run", str(folder / "cup.toml"), *local)
        assert "2 of 2 matches played" in said and "Bots       fiar on" in said
        assert await arena.ask("SELECT count(*) FROM arena_event WHERE data ? 'played_on'") == [(2,)]


@contextmanager
def _elsewhere(gives: str) -> Iterator[str]:
    """The address of a place that is not the host."""
    if gives == "nothing":
        yield f"http://127.0.0.1:{free_port()}"
        return
    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _page(address: str, cookie: str = "") -> str:
    """The page, as whoever this cookie belongs to sees it."""
    with urlopen(Request(address, headers={"Cookie": cookie}), timeout=DEADLINE_S) as answer:
        said: str = answer.read().decode()
    return said


async def test_an_event_is_stopped_at_once_beside_answers_that_are_being_stored(
    postgres: Postgres, folder: Path
) -> None:
    """Both need the rows of its matches and that of the event: in another order, the database would end one of them."""
    _write_program(folder, LEFT)
    async with cluster(folder, postgres, "stopping", fetches=True) as arena:
        await _begin(arena, folder)
        await arena.until("SELECT 1 FROM arena_work WHERE kind = 'play'")
        with psycopg.connect(arena.url) as storing:
            storing.execute("SELECT id FROM arena_work WHERE kind = 'play' ORDER BY id FOR UPDATE")
            stopping = asyncio.create_task(arena.manage("shell", "-c", STOPPED))
            await arena.until("SELECT 1 FROM pg_locks WHERE NOT granted")
            await asyncio.to_thread(storing.execute, "SELECT id FROM arena_tournament FOR UPDATE")
        await stopping
        assert await arena.ask("SELECT state FROM arena_tournament") == [("paused",)]
        assert await arena.ask("SELECT id FROM arena_work WHERE kind = 'play'") == []


def _says_how_to_start_one(page: str) -> bool:
    return "What has not begun waits for a worker" in page and "<code>manage.py worker</code>" in page
