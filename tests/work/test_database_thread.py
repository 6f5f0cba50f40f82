"""One thread, one connection: kept from call to call, closed after a failure and at the end."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator

import pytest
from django.db import DatabaseError, connection

from arena.work import database_thread
from arena.work.database_thread import DatabaseThread

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def thread() -> AsyncIterator[DatabaseThread]:
    made = DatabaseThread("arena-test")
    yield made
    await made.close()


def asked(sql: str = "SELECT 1") -> tuple[str, int]:
    """The name of the thread, and which connection answered."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
    return threading.current_thread().name, id(connection.connection)


async def test_the_connection_is_kept_until_it_fails(thread: DatabaseThread) -> None:
    name, first = await thread.call(asked)
    assert name.startswith("arena-test") and await thread.call(asked) == (name, first)
    with pytest.raises(DatabaseError):
        await thread.call(asked, "SELECT nothing FROM nowhere")
    assert await thread.call(lambda: connection.connection) is None


async def test_what_raises_otherwise_costs_no_connection(thread: DatabaseThread) -> None:
    await thread.call(asked)
    with pytest.raises(ZeroDivisionError):
        await thread.call(lambda: 1 // 0)
    assert await thread.call(lambda: connection.connection) is not None


async def test_a_database_that_hangs_keeps_nobody_from_stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_thread, "CLOSE_S", 0.01)
    thread, free = DatabaseThread("arena-test"), threading.Event()
    thread._thread.submit(free.wait)
    await thread.close()
    assert not free.is_set()
    free.set()
