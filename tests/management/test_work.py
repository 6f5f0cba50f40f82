"""`manage.py work` as people run it, without workers; with them it is used in tests/work/workers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from arena.models import Machine, Work
from arena.work import rows
from arena.work.rules_version import rules_version
from tests.kit.commands import finished, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment
from tests.kit.workers import ENGINE, template
from tests.work.workers.test_rights import lent

pytestmark = pytest.mark.django_db(transaction=True)


def work(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    call_command("work", *words)
    return capsys.readouterr().out


def test_work_is_listed_cancelled_and_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    rows.submit("analyse", [("analyse:a", {}), ("analyse:b", {})], 0)
    said = work(capsys, "list")
    assert f"Engine local, rules {rules_version()}" in said and "waiting           2" in said
    assert "analyse:a" not in said and "Runs of workers" not in said, "this machine does it all"
    assert "1 cancelled." in work(capsys, "cancel", "analyse:a")
    each = [line.split() for line in work(capsys, "list", "--all").splitlines()]
    assert ["analyse:a", "cancelled"] in each and ["analyse:b", "waiting"] in each
    assert "1 cancelled." in work(capsys, "cancel", "--kind", "analyse")
    assert "2 wait again." in work(capsys, "again", "--kind", "analyse")
    assert Work.objects.filter(state="waiting").count() == 2
    for words, expected in (
        (("cancel", "analyse:z"), "Nothing was found to cancel"),
        (("cancel",), "expected either keys or --kind"),
        (("again", "analyse:a", "--kind", "analyse"), "expected either keys or --kind"),
        (("role",), "DATABASE_URL names no PostgreSQL"),
        (("drain", "nobody"), "There is no worker 'nobody'"),
    ):
        with pytest.raises(CommandError, match=expected):
            call_command("work", *words)


def test_what_a_worker_has_given_back_is_listed_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    now = timezone.now()
    said = {"slots": 2, "speed": 90, "sandbox": 3, "seen": now, "rules": rules_version(), "answered": 7, "late": 1}
    Machine.objects.create(name="a", lacks="pairing:1:1: no room", lacked=now, **said)
    listed = work(capsys, "list")
    assert f"      gave back at {now:%d %b %H:%M:%S} pairing:1:1: no room\n" in listed
    assert listed.endswith("Runs of workers: 7 answered, 0 lost, 1 late\n")


def test_a_worker_says_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    now = timezone.now()
    said = {"slots": 2, "speed": 90, "sandbox": 3, "seen": now, "rules": rules_version()}
    worse = "\x1b[2J\rall is well"
    Machine.objects.create(name=f"a{worse}", machine_class=worse, lacks=worse, lacked=now, distrusted=worse, **said)
    listed = work(capsys, "list")
    assert listed.count("[2Jall is well") == 4 and "\x1b" not in listed and "\r" not in listed


def test_workers_are_drained_by_name_and_let_again(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        Machine.objects.create(name=name, slots=2, speed=90, sandbox=3, seen=timezone.now(), rules=rules_version())
    assert "1 worker takes nothing new" in work(capsys, "drain", "a")
    assert "a                                        draining     0/2 slots" in work(capsys, "list")
    assert "1 worker takes nothing new" in work(capsys, "drain")
    assert "2 workers take work again" in work(capsys, "drain", "--off")


WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.mark.service
async def test_cancelling_and_answering_never_wait_for_each_other(postgres: Postgres, tmp_path: Path) -> None:
    """Answers lock their rows by number. The first row lies behind the second one, as after a heartbeat."""
    url = await asyncio.to_thread(lambda: postgres.create("ordered", template(postgres, tmp_path)))
    with psycopg.connect(url, autocommit=True) as rows_of, psycopg.connect(url) as answers:
        works = [lent(rows_of, key=key, state="waiting") for key in "ab"]
        rows_of.execute("UPDATE arena_work SET why = 'it was kept' WHERE id = %s", [works[0]])
        answers.execute("SELECT 1 FROM arena_work WHERE id = %s FOR UPDATE", [works[0]])
        command = await start(tmp_path, "work", "cancel", "--kind", "analyse", DATABASE_URL=url)
        async with asyncio.timeout(DEADLINE_S):
            while rows_of.execute(WAITING).fetchone() is None:
                await asyncio.sleep(0.02)
        answers.execute("SELECT 1 FROM arena_work WHERE id = %s FOR UPDATE", [works[1]])
        answers.commit()
        assert await finished(command) == (0, "2 cancelled.\n", "")


@pytest.mark.service
def test_no_role_of_workers_is_made_of_the_one_that_has_everything(postgres: Postgres, tmp_path: Path) -> None:
    """It would lose its rights and its password, and the server with them."""
    url = postgres.create("owned", template(postgres, tmp_path))
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("CREATE ROLE boss SUPERUSER LOGIN")
        server.execute("CREATE ROLE keeper LOGIN")
        server.execute("ALTER TABLE arena_player OWNER TO keeper")
        try:
            for name in ("boss", "keeper"):
                mine = {**environment(tmp_path), "DATABASE_URL": url, **ENGINE}
                command = [sys.executable, "manage.py", "work", "role", "--name", name]
                said = subprocess.run(command, cwd=ROOT, env=mine, capture_output=True, text=True, timeout=DEADLINE_S)
                assert said.returncode == 1 and f"{name} owns tables here or rules this server" in said.stderr
            may = server.execute("SELECT rolsuper, rolpassword FROM pg_authid WHERE rolname = 'boss'").fetchone()
            assert may == (True, None)
        finally:
            server.execute("DROP ROLE boss")
            server.execute("REASSIGN OWNED BY keeper TO arena")
            server.execute("DROP ROLE keeper")
