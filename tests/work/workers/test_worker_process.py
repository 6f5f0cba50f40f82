"""A real worker whose network is cut, whose clock is wrong, or that does not get its program; the test is its host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from arena.bots.process.packing import pack, sha256_of, unpack
from arena.match.export import from_rows
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.work.kinds import PLAY, Where
from arena.work.rules_version import rules_version
from arena.work.workers.jobs import DEFER, TASK, queue
from tests.kit.ports import free_port
from tests.kit.processes import Postgres
from tests.kit.until import asked_until, until
from tests.kit.workers import PASSWORD, WorkerProcess
from tests.work.workers.test_rights import Caller, lent
from tools.soak._proxy import Proxy

pytestmark = pytest.mark.service

VARIANT = "connect-four-7x6"
DICE = BuiltinSeat("random")
# Waits until the pipe is opened and closed, then plays the leftmost free column.
HELD = """import sys
open("held").read()
for line in sys.stdin:
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
# Adds AHEAD seconds to the time of day of a program that is started with it.
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t which, struct timespec *at)
{
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, __func__);
    int failed = real(which, at);
    if (which == CLOCK_REALTIME)
        at->tv_sec += AHEAD;
    return failed;
}
"""
DAY_S = 86_400
SOON = "SELECT bool_and(until BETWEEN now() AND now() + interval '20 seconds') FROM arena_work WHERE state = 'out'"
SEEN = "SELECT bool_and(seen <= now() AND seen > now() - interval '1 minute') FROM arena_machine"
LACKING = "SELECT lacks, work.lacked IS NOT NULL FROM arena_machine, arena_work work"
RETURNED = "SELECT work_id, found, worker FROM arena_returned ORDER BY id"


class Other(BaseHTTPRequestHandler):
    """Gives another program than the one that is asked for."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"another")

    def log_message(self, *words: object) -> None:
        pass


@pytest_asyncio.fixture
async def network(postgres: Postgres) -> AsyncIterator[Proxy]:
    """Between the worker and its database."""
    made = Proxy("127.0.0.1", postgres.port, free_port())
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def by_network(tables_of_work: str, network: Proxy, postgres: Postgres) -> str:
    """The address of the database for a worker behind that network."""
    url = tables_of_work.replace("//arena@", f"//arena_worker:{PASSWORD}@")
    return url.replace(f":{postgres.port}/", f":{network.listens}/")


@pytest_asyncio.fixture
async def distant(by_network: str, folder: Path) -> AsyncIterator[WorkerProcess]:
    """A worker behind that network."""
    made = WorkerProcess(folder / "worker", by_network)
    await made.start("--kinds", "play")
    yield made
    await made.kill()


@pytest_asyncio.fixture
async def ahead(by_network: str, folder: Path) -> AsyncIterator[WorkerProcess]:
    """Another one, whose clock is 400 days ahead."""
    made = WorkerProcess(folder / "worker", by_network, prefix=["env", f"LD_PRELOAD={_ahead(folder, 400 * DAY_S)}"])
    await made.start("--kinds", "play")
    yield made
    await made.kill()


async def test_one_that_is_cut_off_leaves_its_run_to_another_and_its_answer_changes_nothing(
    distant: WorkerProcess, network: Proxy, owner: psycopg.Connection, worker: psycopg.Connection, folder: Path
) -> None:
    work, go_on = await _held(owner, folder)
    await network.cut(silently=True)
    owner.execute("UPDATE arena_work SET state = 'waiting', until = NULL, lent = now()")  # as when its lease is over
    another = Caller(worker, name="another", kinds=["play"], rules=rules_version())
    newer = another.claim(work)
    go_on()  # its match ends
    network.heal()
    await distant.until_said(": no longer ours\n", ": answered too late, and not taken\n")
    assert another.answer(newer, '{"answer": 2}') is True
    assert owner.execute(RETURNED).fetchall() == [(work, '{"answer": 2}', "another")]


async def test_one_whose_database_was_away_says_so_once_takes_work_again_and_ends_when_asked_without_it(
    distant: WorkerProcess, network: Proxy, owner: psycopg.Connection
) -> None:
    _, ready, _ = distant.said.partition("Ready\n")
    await network.cut(silently=False)
    await distant.until_said("the database cannot be reached, and no work is taken: ")
    network.heal()
    await distant.until_said("resolved: the database cannot be reached, and no work is taken\n")
    said = distant.said.partition(ready)[2].splitlines()
    assert len(said) == 2 and "server closed the connection" in said[0], said
    _lend(owner, Spec(VARIANT, (DICE, DICE), 1))
    await until(lambda: owner.execute(RETURNED).fetchall())
    distant.said = ""
    await network.cut(silently=False)
    await distant.until_said("the database cannot be reached, and no work is taken: ")
    distant.signal(signal.SIGTERM)
    assert await distant.ends() == 0


async def test_one_that_is_drained_ends_what_it_has_and_takes_the_next_when_it_may_again(
    tables_of_work: str, owner: psycopg.Connection, folder: Path
) -> None:
    drained = WorkerProcess(folder / "drained", tables_of_work.replace("//arena@", f"//arena_worker:{PASSWORD}@"))
    await drained.start("--kinds", "play", "--grace", "0")
    try:
        work, go_on = await _held(owner, folder)
        owner.execute("UPDATE arena_machine SET draining = true")
        await drained.until_said("this worker takes nothing, because it was drained")
        other = _lend(owner, Spec(VARIANT, (DICE, DICE), 1))
        go_on()
        await until(lambda: owner.execute(RETURNED).fetchall())
        assert owner.execute("SELECT id, token, state FROM arena_work ORDER BY id").fetchall() == [
            (work, 1, "out"),
            (other, 0, "waiting"),
        ]
        owner.execute("UPDATE arena_machine SET draining = false")
        await until(lambda: len(owner.execute(RETURNED).fetchall()) == 2)
        assert [each for each, _, _ in owner.execute(RETURNED).fetchall()] == [work, other]
    finally:
        await drained.kill()


async def test_one_with_another_clock_has_its_lease_by_that_of_the_database(
    ahead: WorkerProcess, owner: psycopg.Connection, folder: Path
) -> None:
    _, go_on = await _held(owner, folder)
    assert owner.execute(SOON).fetchone() == owner.execute(SEEN).fetchone() == (True,)
    go_on()
    await until(lambda: owner.execute(RETURNED).fetchall())
    ((_, found, _),) = owner.execute(RETURNED).fetchall()
    (log,) = json.loads(found)["answer"]["logs"]
    events = from_rows(log["events"])
    assert events[-1].at > datetime.now(UTC) + timedelta(days=399), "the host moves these times to its own"
    assert all(0 <= event.elapsed_ms < DAY_S for event in events if event.elapsed_ms is not None)


async def test_one_that_is_given_another_program_does_not_run_it_and_leaves_the_match_to_others(
    distant: WorkerProcess, owner: psycopg.Connection
) -> None:
    """As by a proxy on its way, which others do not have: the match has not failed."""
    expected = sha256_of(b"the program")
    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        seat = CommandSeat("fiar", ("python3", "bot.py"), "left", program=expected)
        at = f"http://127.0.0.1:{server.server_port}/work/programs/{expected}"
        _lend(owner, Spec(VARIANT, (seat, DICE), 1), programs={expected: {"of": "left", "at": at}}, sandbox=0)
        await until(lambda: owner.execute("SELECT 1 FROM arena_work WHERE lacked < now() AND lent IS NULL").fetchone())
        server.shutdown()
    ((said, _),) = owner.execute(LACKING).fetchall()
    assert f"{at} gave a program with the SHA-256 {sha256_of(b'another')}, expected {expected}: it is not run" in said
    assert owner.execute("SELECT state, faults FROM arena_work").fetchall() == [("waiting", 0)]
    assert owner.execute(RETURNED).fetchall() == [] and not [*distant.data.rglob("programs/left/*")]


async def test_one_that_cannot_ask_for_a_program_leaves_the_match_to_others(
    distant: WorkerProcess, owner: psycopg.Connection
) -> None:
    """Its certificates or its network are wrong: it would use up the attempts of every match before the others."""
    expected = sha256_of(b"the program")
    seat = CommandSeat("fiar", ("python3", "bot.py"), "left", program=expected)
    at = f"http://127.0.0.1:{free_port()}/work/programs/{expected}"
    _lend(owner, Spec(VARIANT, (seat, DICE), 1), programs={expected: {"of": "left", "at": at}}, sandbox=0)
    await distant.until_said("given back, and its slot rests")
    await until(lambda: owner.execute("SELECT 1 FROM arena_work WHERE state = 'waiting'").fetchone())
    assert owner.execute("SELECT faults, lent, until FROM arena_work").fetchall() == [(0, None, None)]
    ((said, given_back),) = owner.execute(LACKING).fetchall()
    assert f"{at} cannot be asked for the program" in said and given_back, "its host hears why"


async def test_one_without_the_interpreter_of_a_program_leaves_the_match_to_others_and_says_so(
    distant: WorkerProcess, owner: psycopg.Connection, folder: Path
) -> None:
    """The bot has not failed, and must not lose."""
    (folder / "files").mkdir()
    (folder / "files" / "bot.none").write_text("")
    packed = pack(folder / "files")
    expected = sha256_of(packed)
    unpack(packed, distant.data / "programs" / "left" / expected)
    (distant.data / "programs").chmod(0o755)
    seat = CommandSeat("fiar", ("no-such-interpreter", "bot.none"), "left", program=expected)
    programs = {expected: {"of": "left", "at": "http://127.0.0.1:9/none"}}
    _lend(owner, Spec(VARIANT, (seat, DICE), 1), programs=programs, sandbox=0)
    await until(lambda: owner.execute("SELECT 1 FROM arena_work WHERE lacked < now() AND faults = 0").fetchone())
    ((said, _),) = owner.execute(LACKING).fetchall()
    assert "left cannot be started here" in said and "no such program in the sandbox" in said
    assert owner.execute(RETURNED).fetchall() == []


async def _held(owner: psycopg.Connection, folder: Path) -> tuple[int, Callable[[], None]]:
    """A match whose bot has begun and waits for its move, and what lets it go on.

    That the run was taken does not say that the worker knows of it: its answer may still be on the way.
    """
    (folder / "held.py").write_text(HELD)
    os.mkfifo(folder / "held")
    work = _lend(owner, Spec(VARIANT, (CommandSeat("fiar", (sys.executable, "held.py"), "held", str(folder)), DICE), 1))
    return work, partial(os.close, await asked_until(partial(_writing, folder / "held"), lambda end: end >= 0))


async def _writing(pipe: Path) -> int:
    """Its writing end, or -1 as long as nobody has the reading one."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return -1


def _lend(owner: psycopg.Connection, spec: Spec, **further: Any) -> int:
    """Lend this match, as the host does."""
    job = {"spec": spec.to_data(), "machines": "", **further}
    work = lent(owner, kind=PLAY, job=json.dumps(job), rules=rules_version())
    owner.execute(DEFER, [queue(PLAY, rules_version(), Where()), TASK, 20, f"arena:{work}", work])
    return work


def _ahead(folder: Path, seconds: int) -> Path:
    """What LD_PRELOAD names to have another time of day."""
    made = folder / "clock.so"
    (folder / "clock.c").write_text(CLOCK)
    options = ("-shared", "-fPIC", f"-DAHEAD={seconds}", "-o", str(made))
    subprocess.run(["gcc", *options, str(folder / "clock.c"), "-ldl"], check=True)
    return made
