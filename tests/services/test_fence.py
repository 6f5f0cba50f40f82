"""The fence on a real PostgreSQL: a host that is stopped in the middle of writing blocks nobody and writes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment, migrate

# Takes the lease and stops in the transaction that stores a whole match, between its rows and what follows from them.
# On a busy machine the database may lose patience with it before.
STOPPED = """
import datetime, os, signal
from arena.core import log_store
from arena.cluster import lease as leases
from tests.kit.appending import the_appends
leases.LASTS = datetime.timedelta(seconds=1)
lease = leases.RowLease("stopped")
assert lease.take()
stopped = []
def stop(closing):
    stopped.append(True)
    os.kill(os.getpid(), signal.SIGSTOP)
log_store.CONSEQUENCES = (stop,)
whole = tuple(event for events in the_appends() for event in events)
store = log_store.DatabaseStore(leases.fence_of(lease))
while not stopped:
    try:
        store.write([log_store.Append("m1", whole, lambda error: None)])
    except Exception as error:
        why = type(error).__name__
print(why)
try:
    store.write([log_store.Append("m1", whole, lambda error: None)])
except Exception as error:
    print(type(error).__name__)
"""
# The same in a transaction that writes anything else.
STOPPED_ELSEWHERE = """
import os, signal
from arena.cluster.lease import RowLease, by_holder, fence_of
from arena.models import Room
lease = RowLease("stopped")
assert lease.take()
for stop in (True, False):
    try:
        with by_holder(fence_of(lease)):
            Room.objects.create(code=f"ROOM-{stop}", variant="connect-four-7x6")
            stop and os.kill(os.getpid(), signal.SIGSTOP)
    except Exception as error:
        print(type(error).__name__)
"""
# Takes it as soon as it can be had, and writes.
NEXT = """
import time
from django.db import Error
from arena.cluster.lease import RowLease, fence_of
from arena.core.log_store import Append, DatabaseStore
from tests.kit.appending import OPENED
lease = RowLease("next")
while True:
    try:
        if lease.take():
            break
    except Error as error:
        print(type(error).__name__)
    time.sleep(0.1)
DatabaseStore(fence_of(lease)).write([Append("m2", OPENED, lambda error: None)])
print("stored")
"""


@pytest.mark.parametrize(
    ("name", "program", "answers"),
    [
        ("here", STOPPED, ["OperationalError", "Fenced"]),
        ("elsewhere", STOPPED_ELSEWHERE, ["InternalError", "NotTheHost"]),
    ],
)
def test_a_host_that_is_stopped_in_a_transaction_loses_the_lease_and_what_it_wrote(
    postgres: Postgres, tmp_path: Path, name: str, program: str, answers: list[str]
) -> None:
    url = postgres.create(f"fence_{name}")
    migrate(tmp_path, DATABASE_URL=url)
    mine = {**environment(tmp_path), "DATABASE_URL": url}
    with subprocess.Popen(script(program), cwd=ROOT, env=mine, stdout=subprocess.PIPE, text=True) as stopped:
        until_stopped(stopped.pid)
        following = subprocess.run(
            script(NEXT), cwd=ROOT, env=mine, stdout=subprocess.PIPE, text=True, timeout=DEADLINE_S
        )
        assert following.stdout.splitlines()[-1:] == ["stored"]
        os.kill(stopped.pid, signal.SIGCONT)
        said, _ = stopped.communicate(timeout=DEADLINE_S)
    assert said.split() == answers
    with psycopg.connect(url) as database:
        assert database.execute("SELECT match_id, epoch FROM arena_event").fetchall() == [("m2", 2)]
        assert database.execute("SELECT code FROM arena_room").fetchall() == []


def until_stopped(pid: int) -> None:
    end = time.monotonic() + DEADLINE_S
    while (does := Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]) != "T":
        assert does != "Z", "it has ended"
        assert time.monotonic() < end, "it does not stop"
        time.sleep(0.05)
