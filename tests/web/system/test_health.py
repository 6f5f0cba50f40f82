"""`/healthz` and `/readyz`: ok, or why not."""

from __future__ import annotations

import pytest
from django.db import connection

from arena.core import storage_watch
from arena.host import Host
from tests.kit.browsing import Person, text
from tests.kit.until import until


async def test_a_host_that_can_store_is_ok(host: Host) -> None:
    answer = await Person().get("/healthz")
    assert (answer.status_code, text(answer)) == (200, "ok\n")


async def test_a_host_whose_storage_fails_is_not(host: Host) -> None:
    host.ledger.failing = True
    answer = await Person().get("/healthz")
    assert answer.status_code == 503 and "storage fails" in text(answer)
    host.ledger.failing = False


async def test_a_process_without_a_host_is_not() -> None:
    answer = await Person().get("/healthz")
    assert answer.status_code == 503 and "manage.py serve" in text(answer)


async def test_a_host_is_ready_when_the_database_answers_and_its_doors_are_open(host: Host) -> None:
    await host.open_doors("127.0.0.1", {"droidcon": 0}, [])
    host.socket_door("native")
    answer = await Person().get("/readyz")
    assert (answer.status_code, text(answer)) == (200, "ready\n")
    host.doors["droidcon"].port, port = 0, host.doors["droidcon"].port
    answer = await Person().get("/readyz")
    assert (answer.status_code, text(answer)) == (503, "doors that are not open yet: droidcon\n")
    host.doors["droidcon"].port = port
    host.ledger.failing = True
    assert (await Person().get("/readyz")).status_code == 503
    host.ledger.failing = False


async def test_a_process_without_a_host_is_not_ready() -> None:
    assert (await Person().get("/readyz")).status_code == 503


async def test_a_host_whose_database_does_not_answer_is_not_ready(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "NAME", "/no/such/folder/arena.sqlite3")
    answer = await Person().get("/readyz")
    assert answer.status_code == 503 and text(answer).startswith("The database of this server cannot be opened.")
    monkeypatch.undo()
    await until(lambda: storage_watch.trouble() is None)
    monkeypatch.setattr("arena.web.system.health.ANSWER_S", 0.0)
    answer = await Person().get("/readyz")
    assert (answer.status_code, text(answer)) == (503, "the database does not answer within 0 s\n")
