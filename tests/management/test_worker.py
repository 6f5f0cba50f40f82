"""`manage.py worker` before it begins, and `--check`: real commands, and a real PostgreSQL for the rights."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from arena.management.commands.worker import begin
from arena.work.workers.about import TOLD, About
from tests.kit.commands import finished, manage, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment
from tests.kit.workers import PASSWORD, make_role, template


def test_without_postgresql_and_with_wrong_words_it_says_what_it_wants(tmp_path: Path) -> None:
    said = manage(tmp_path, "worker")
    assert said.returncode == 1 and "DATABASE_URL names no PostgreSQL" in said.stderr
    for words, expected in (
        (("--slots", "0"), "a number of runs from 1 to 256"),
        (("--kinds", "gate"), "expected kinds of work, from play, analyse"),
        (("--class", "x" * 33), "a name of 1 to 32 characters"),
        (("--grace", "nan"), "'nan': expected seconds"),
    ):
        said = manage(tmp_path, "worker", *words)
        assert said.returncode != 0 and expected in said.stderr, said.stderr


def test_it_connects_as_the_server_does_but_for_what_is_djangos(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"dbname": "arena", "connect_timeout": 3, "cursor_factory": object, "context": object()}
    monkeypatch.setattr(connection, "get_connection_params", lambda: said)
    became = list[tuple[list[str], dict[str, str]]]()
    monkeypatch.setattr(os, "execve", lambda path, words, env: became.append((words, env)))
    lent = About("a worker", "c5", 2, 90, "rules", "1.0", 3, ("play",))
    begin(lent, 20.0)
    ((words, env),) = became
    assert json.loads(env[TOLD]) == [
        {**lent._asdict(), "kinds": ["play"]},
        20.0,
        {"dbname": "arena", "connect_timeout": 3},
    ]
    assert "c5" not in " ".join(words), "everybody may read the arguments"


@pytest.mark.service
async def test_one_that_can_do_nothing_says_why_and_what_to_do(postgres: Postgres, tmp_path: Path) -> None:
    url = await asyncio.to_thread(lambda: postgres.create("useless", template(postgres, tmp_path)))
    with psycopg.connect(url, autocommit=True) as database:
        database.execute("CREATE ROLE useless LOGIN PASSWORD 'x'")
    one = await start(tmp_path, "worker", DATABASE_URL=url.replace("//arena@", "//useless:x@"))
    code, _, said = await finished(one)
    assert code == 1 and "rights: it may not call arena_claim\nTo do: on the host: manage.py work role" in said

    away = await start(tmp_path, "worker", DATABASE_URL=f"postgres://arena_worker@127.0.0.1:{free_port()}/arena")
    assert away.stderr is not None
    async with asyncio.timeout(DEADLINE_S):
        heard = (await away.stderr.readuntil(b"Trying again for 30 s.")).decode()
    away.kill()
    await finished(away)
    assert heard.startswith("database: cannot be reached: ") and "\nTo do: check DATABASE_URL, that the" in heard


# What a careless administrator may have done to the role.
GIVEN = """
CREATE ROLE reader_of_tests;
GRANT reader_of_tests TO arena_worker;
GRANT SELECT (secret) ON arena_work TO arena_worker;
GRANT INSERT ON procrastinate_jobs TO arena_worker;
GRANT UPDATE (args) ON procrastinate_jobs TO arena_worker;
GRANT CREATE ON SCHEMA public TO PUBLIC;
GRANT CREATE ON DATABASE rights TO arena_worker
"""
# What no role of its own takes back; the check says it.
NOBODYS = "REVOKE CREATE ON SCHEMA public FROM PUBLIC, arena_worker"
TAKEN = """
REVOKE UPDATE (status) ON procrastinate_jobs FROM arena_worker;
REVOKE INSERT ON procrastinate_events FROM arena_worker;
REVOKE USAGE ON SEQUENCE procrastinate_events_id_seq FROM arena_worker
"""


@pytest.mark.service
def test_the_check_tells_a_worker_from_the_owner_and_finds_each_right_until_the_role_is_made_again(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.create("rights", template(postgres, tmp_path))
    as_worker = url.replace("//arena@", f"//arena_worker:{PASSWORD}@")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(GIVEN)
        owner.execute(TAKEN)
        try:
            said = check(tmp_path, as_worker)
            make_role(tmp_path, url)
            owner.execute(NOBODYS)
            right = check(tmp_path, as_worker)
        finally:
            owner.execute("DROP ROLE reader_of_tests")
    assert said.returncode == 1
    much = (
        *("act as reader_of_tests", "read arena_work", "add to procrastinate_jobs", "change procrastinate_jobs"),
        *("create tables and functions in public", "create schemas in rights"),
    )
    little = ("change procrastinate_jobs", "add to procrastinate_events", "use procrastinate_events_id_seq")
    for words in (
        *(f"arena_worker may {words}, which" for words in much),
        NOBODYS,
        *(f"it may not {words}" for words in little),
    ):
        assert words in said.stdout, said.stdout
    assert right.returncode == 0, right.stdout + right.stderr
    assert "takes and finishes jobs, calls claim, slice and answer, and may do nothing else" in right.stdout
    assert "none, and nothing leaves this machine" in right.stdout
    said = check(tmp_path, url)
    assert said.returncode == 1
    for words in ("arena is a superuser", "arena may read arena_", "arena may delete from arena_"):
        assert words in said.stdout, said.stdout
    assert "To do: on the host: manage.py work role; log in as that role" in said.stdout


@pytest.mark.service
@pytest.mark.cases(0)  # a PostgreSQL of its own: `make soak ARGS=cases`
def test_over_tls_the_check_knows_whether_the_database_is_who_it_says(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("this machine has no openssl to make a certificate")
    postgres = Postgres()
    try:
        authority = postgres.speak_tls(openssl)
        postgres.start()
        url = postgres.create("tls", template(postgres, tmp_path)).replace("//arena@", f"//arena_worker:{PASSWORD}@")
        named = url.replace("127.0.0.1", "localhost")
        said = check(tmp_path, f"{named}?sslmode=verify-full&sslrootcert={authority}")
        assert said.returncode == 0 and "traffic to the database goes over TLS" in said.stdout, said.stdout
        said = check(tmp_path, f"{url}?sslmode=verify-full&sslrootcert={authority}")
        assert said.returncode == 1 and "does not match host name" in said.stdout, said.stdout
        said = check(tmp_path, f"{named}?sslmode=disable")
        assert said.returncode == 1 and "no encryption" in said.stdout, "the database admits the role over TLS only"
    finally:
        postgres.stop()
        postgres.remove()


def check(folder: Path, url: str, *words: str) -> subprocess.CompletedProcess[str]:
    mine = {**environment(folder), "DATABASE_URL": url, "ARENA_SANDBOX_MIN": "0"}
    command = [sys.executable, "manage.py", "worker", "--check", *words]
    return subprocess.run(command, cwd=ROOT, env=mine, capture_output=True, text=True, timeout=DEADLINE_S)
