"""What a command says of workers. How it becomes the host or watches another is told in test_tournament.py, and with
workers in test_elsewhere.py.
"""

from __future__ import annotations

import asyncio
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management.base import CommandError
from django.utils import timezone

from arena.management.hosted import lends, why_it_waits
from arena.models import Machine, Work
from tests.kit.commands import finished, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import share_files
from tests.kit.workers import template


@pytest.mark.django_db
def test_the_option_decides_and_without_it_the_settings(settings: Any) -> None:
    settings.ARENA_ENGINE = ""
    assert not lends(None) and not lends("local")
    with pytest.raises(CommandError, match="needs PostgreSQL: set DATABASE_URL, and set ARENA_ENGINE=procrastinate"):
        lends("procrastinate")
    settings.ARENA_ENGINE = "procrastinate"
    assert lends(None) and lends("procrastinate") and not lends("local")


@pytest.mark.django_db
def test_what_is_waited_for_in_vain_is_said_with_what_to_do() -> None:
    ago, now = timezone.now() - timedelta(minutes=1), timezone.now()
    first = Work.objects.create(kind="play", key="match:a:1", spec={"event": "match:a"})
    Work.objects.create(kind="play", key="pairing:1:1", spec={"event": 7})
    assert (why_it_waits("match:a"), why_it_waits(7)) == ("", "")
    Work.objects.update(made=ago)
    assert why_it_waits(7).endswith(": manage.py worker") and why_it_waits("match:a") == why_it_waits(7)
    Work.objects.filter(pk=first.pk).update(state="out", until=now, worker="here")
    assert why_it_waits("match:a") == "", "this machine plays them"
    of_it: dict[str, Any] = {"slots": 1, "speed": 1, "rules": "", "version": "", "seen": now}
    machine = Machine.objects.create(name="w", machine_class="c5", sandbox=1, kinds=["play"], **of_it)
    Work.objects.filter(pk=first.pk).update(state="waiting", until=None, lent=now, sandbox=3)
    machine.rules = _rules()
    machine.save()
    assert "sandbox of level 3" in why_it_waits("match:a")
    Machine.objects.update(sandbox=3, lacks="match:a:1: no room", lacked=now)
    Work.objects.filter(pk=first.pk).update(lacked=ago, worker="w")
    assert why_it_waits("match:a").endswith("their machines lack something: match:a:1: no room")


LEASE = "SELECT epoch, expires < now() FROM arena_lease WHERE name = 'host'"
CUP = """
name = "Cup"
variant = "connect-four-7x6"
format = "round-robin"
legs = 1

[[entry]]
seat = "builtin:random"

[[entry]]
seat = "builtin:random"
name = "Second"
"""


@pytest.mark.service
async def test_whoever_comes_before_the_lease_of_a_killed_host_has_expired_plays(
    postgres: Postgres, tmp_path: Path
) -> None:
    """It watched for ever, and nobody played."""
    url = await asyncio.to_thread(lambda: postgres.create("killed", template(postgres, tmp_path)))
    share_files(tmp_path)
    (tmp_path / "cup.toml").write_text(CUP)
    with psycopg.connect(url, autocommit=True) as rows:
        lasts = "INSERT INTO arena_lease VALUES ('host', 'the killed one', 1, now() + interval '1 h')"
        rows.execute(lasts)
        command = await start(tmp_path, "tournament", "run", "cup.toml", DATABASE_URL=url)
        assert command.stderr is not None
        async with asyncio.timeout(DEADLINE_S):
            await command.stderr.readuntil(b"this command watches")
        rows.execute("UPDATE arena_lease SET expires = now()")
        code, said, complained = await finished(command)
        assert (code, "Cup: 1 of 1 matches played" in said) == (0, True), complained
        assert rows.execute(LEASE).fetchall() == [(2, True)], "and it has given the lease back"


@pytest.mark.service
async def test_whoever_finds_a_door_taken_gives_the_lease_back(postgres: Postgres, tmp_path: Path) -> None:
    """Else the next one would have to wait until it expires."""
    url = await asyncio.to_thread(lambda: postgres.create("taken", template(postgres, tmp_path)))
    share_files(tmp_path)
    (tmp_path / "cup.toml").write_text(CUP)
    with socket.create_server(("127.0.0.1", 0)) as taken, psycopg.connect(url, autocommit=True) as rows:
        door = f"droidcon={taken.getsockname()[1]}"
        command = await start(tmp_path, "tournament", "run", "cup.toml", "--door", door, DATABASE_URL=url)
        code, _, complained = await finished(command)
        assert code == 1 and "choose another with --door droidcon=PORT" in complained, complained
        assert rows.execute(LEASE).fetchall() == [(1, True)]


def _rules() -> str:
    from arena.work.rules_version import rules_version

    return rules_version()
