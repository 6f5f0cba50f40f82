"""`/healthz`: ok, or why not."""

from __future__ import annotations

from arena.host import Host
from tests.web.browsing import Person, text


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
