"""`manage.py doctor` as people run it: on a fresh folder, on a good one, beside a running server."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.kit.commands import finished, manage, start
from tests.kit.ports import free_port
from tests.kit.processes import Postgres, Redis
from tests.kit.server import Server, migrate, share_files
from tests.kit.workers import template

pytestmark = pytest.mark.service


def test_a_fresh_folder_is_told_to_migrate_and_a_migrated_one_is_fine(tmp_path: Path) -> None:
    fresh = manage(tmp_path, "doctor", "--port", str(free_port()))
    assert fresh.returncode == 1
    assert "wrong    database" in fresh.stdout and "To do: run manage.py migrate" in fresh.stdout
    assert not (tmp_path / "arena.sqlite3").exists()

    migrate(tmp_path)
    asked = ("doctor", "--json", "--port", str(free_port()), *_free_doors())
    answer = manage(tmp_path, *asked)
    said = json.loads(answer.stdout)
    wrong = [finding for finding in said["findings"] if finding["state"] == "wrong"]
    assert (answer.returncode, said["ok"], wrong) == (0, True, [])
    assert {"about": "tables", "state": "ok", "words": "of this version", "todo": ""} in said["findings"]


def test_a_server_without_doors_needs_only_the_port_of_its_pages(tmp_path: Path) -> None:
    migrate(tmp_path)
    answer = manage(tmp_path, "doctor", "--json", "--no-doors", "--port", str(free_port()))
    assert answer.returncode == 0, answer.stderr
    words = {each["about"]: each["words"] for each in json.loads(answer.stdout)["findings"]}
    assert words["ports"] == "1 free, 0 of the running server"


async def test_beside_a_host_and_a_front_on_postgresql_each_is_known_by_its_pages(
    postgres: Postgres, redis: Redis, tmp_path: Path
) -> None:
    url = await asyncio.to_thread(lambda: postgres.create("examined", template(postgres, tmp_path)))
    shared = {"DATABASE_URL": url, "REDIS_URL": redis.url}
    data = tmp_path / "shared"
    data.mkdir()
    share_files(data)
    host, front = Server(data, **shared, ARENA_PAGES="1"), Server(data, **shared)
    async with AsyncExitStack() as ends:
        for server, ports in ((host, "0 free, 8 of the running server"), (front, "7 free, 1 of the running server")):
            ends.push_async_callback(server.stop)
            await server.start()
            doors = [word for slug, port in server.doors.items() for word in ("--door", f"{slug}={port}")]
            asked = ("doctor", "--json", "--port", str(server.port), *doors)
            _, said, _ = await finished(await start(data, *asked, **shared, SECRET_KEY="only-for-tests"))
            words = {each["about"]: each["words"] for each in json.loads(said)["findings"]}
            assert words["ports"] == ports, said
            assert words["log"].startswith("goes to pipe:"), said


def _free_doors() -> list[str]:
    from arena.protocols import protocols

    return [word for slug in protocols() for word in ("--door", f"{slug}={free_port()}")]
