"""A whole event played elsewhere: a bot of this server travels to a real worker, whose matches the host judges."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.kit.deadline import DEADLINE_S
from tests.kit.namespaces import may_be_made
from tests.kit.ports import free_port
from tests.kit.processes import Postgres
from tests.kit.until import asked_until
from tests.kit.workers import cluster
from tests.tournaments.working import LEFT

pytestmark = pytest.mark.service

# A bot and an event with it, made as staff make them.
MADE = """
from arena.models import Bot, Player
player = Player.objects.create(kind="bot", name="left", slug="left")
said = {"variant": "connect-four-7x6", "protocol": "fiar", "family": "left", "command": ["python3", "left.py"]}
Bot.objects.create(player=player, **said)
"""
BEGUN = """
from arena.models import Player
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
entries = (EntrySpec("left", "bot", player=Player.objects.get(slug="left").pk), EntrySpec("dice", "builtin", "random"))
actions.start(actions.create(TournamentSpec("Cup", "connect-four-7x6", "round-robin", entries, legs=2, clock="60s")))
"""
# Somebody who may organise every event, and the cookie of their browser.
ORGANISER = """
from django.contrib.auth.models import User
from django.test import Client
client = Client()
client.force_login(User.objects.create_superuser("ops"))
print("; ".join(f"{name}={said.value}" for name, said in client.cookies.items()))
"""
AGO = "now() - interval '1 minute'"
# Takes its time before the first move.
SLOW = LEFT.replace("import sys", "import sys, time").replace("for line", "time.sleep(2)\nfor line")
OUT = "SELECT id FROM arena_work WHERE kind = 'play' AND state = 'out' AND worker LIKE %s"
# As after a minute in which nobody renewed it.
EXPIRED = "UPDATE arena_work SET until = now() - interval '1 second' WHERE id = %s AND state = 'out' RETURNING id"
STORED = "SELECT string_agg(id || head, ' ' ORDER BY id), count(*) FROM arena_match"


async def test_a_bot_travels_by_its_hash_and_without_a_worker_its_event_says_what_it_waits_for(
    postgres: Postgres, folder: Path
) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(LEFT)
    async with cluster(folder, postgres, "playing", fetches=True) as arena:
        await arena.manage("shell", "-c", MADE)
        await arena.manage("program", "add", "left", str(folder / "files"))
        await arena.manage("shell", "-c", BEGUN)
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


async def test_an_event_whose_programs_no_worker_can_fetch_says_so_and_tells_its_organiser_why(
    postgres: Postgres, folder: Path
) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(LEFT)
    nowhere = f"http://127.0.0.1:{free_port()}"
    async with cluster(folder, postgres, "lacking", ARENA_WORKER_URL=nowhere) as arena:
        await arena.manage("shell", "-c", MADE)
        await arena.manage("program", "add", "left", str(folder / "files"))
        await arena.manage("shell", "-c", BEGUN)
        await arena.worker()
        await arena.until("SELECT 1 FROM arena_work WHERE lacked IS NOT NULL")
        await arena.ask(f"UPDATE arena_work SET made = {AGO}, lacked = {AGO} WHERE lacked IS NOT NULL RETURNING id")
        page = partial(asyncio.to_thread, _page, f"{arena.server.address}/t/cup/")
        found = await asked_until(page, lambda page: "The workers give the rest back" in page)
        assert "<code>manage.py work list</code>" in found and nowhere not in found
        organiser = await arena.manage("shell", "-c", ORGANISER)
        found = await asyncio.to_thread(_page, f"{arena.server.address}/t/cup/", organiser.split()[-1])
        assert f"What a worker says about it, to organisers only: pairing:1:1: NotFetched: {nowhere}/work/" in found
        said = await arena.manage("work", "list")
        assert f"NotFetched: {nowhere}/work/programs/" in said and "gave back at " in said
        assert await arena.ask("SELECT sum(faults) FROM arena_work") == [(0,)]


@pytest.mark.skipif(not may_be_made(), reason="this machine gives no disk of its own to a process")
@pytest.mark.cases(0)
async def test_a_worker_whose_disk_is_full_leaves_its_matches_to_others(postgres: Postgres, folder: Path) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(LEFT)
    (folder / "files" / "book").write_bytes(bytes(8 * 2**20))
    async with cluster(folder, postgres, "full", fetches=True) as arena:
        await arena.manage("shell", "-c", MADE)
        await arena.manage("program", "add", "left", str(folder / "files"))
        await arena.manage("shell", "-c", BEGUN)
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
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(SLOW)
    async with cluster(folder, postgres, "still", fetches=True) as arena:
        await arena.manage("shell", "-c", MADE)
        await arena.manage("program", "add", "left", str(folder / "files"))
        await arena.manage("shell", "-c", BEGUN)
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


def _page(address: str, cookie: str = "") -> str:
    """The page, as whoever this cookie belongs to sees it."""
    with urlopen(Request(address, headers={"Cookie": cookie}), timeout=DEADLINE_S) as answer:
        said: str = answer.read().decode()
    return said


def _says_how_to_start_one(page: str) -> bool:
    return "The rest waits for a worker" in page and "<code>manage.py worker</code>" in page
