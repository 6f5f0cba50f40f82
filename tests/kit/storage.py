"""Storage that hangs, fails or lies, and the real one as another thread sees it: for tests of ledger and referee."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TypeVar

from django.db import OperationalError, connection

from arena.cluster.lease import HOST, Fence
from arena.core.ledger import Ledger
from arena.core.log_statements import LogStatements
from arena.core.log_store import Append, DatabaseStore, MemoryStore, Store
from arena.models import Lease
from tests.kit.deadline import DEADLINE_S

T = TypeVar("T")
RunLedger = Callable[[Store], Ledger]


class Gate:
    """Writing waits while the gate is shut; `batches` are the sizes of what came through."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.opened.set()
        self.batches: list[int] = []

    def shut(self) -> None:
        self.reached.clear()
        self.opened.clear()

    def open(self) -> None:
        self.opened.set()

    def pass_through(self, appends: Sequence[Append]) -> None:
        self.reached.set()
        assert self.opened.wait(DEADLINE_S), "nobody opened the gate"
        self.batches.append(len(appends))


class GatedMemory(MemoryStore):
    """Storage that takes as long as the test wants."""

    waits = True

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()

    def write(self, appends: Sequence[Append]) -> None:
        self.gate.pass_through(appends)
        super().write(appends)


def held() -> Fence:
    """What the host of the tests shows; there is one from the first time on."""
    row, _ = Lease.objects.get_or_create(name=HOST, defaults={"holder": "the tests"})
    return Fence(HOST, row.epoch)


class Database(DatabaseStore):
    """The log in a real database, under the number of the host that is there."""

    _held = False

    def write(self, appends: Sequence[Append]) -> None:
        if not self._held:
            self._held, self._log = True, LogStatements(held())
        super().write(appends)


class GatedDatabase(Database):
    """A real database that takes as long as the test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()

    def write(self, appends: Sequence[Append]) -> None:
        self.gate.pass_through(appends)
        super().write(appends)


class FailingMemory(MemoryStore):
    """Raises these one after the other, and while `broken` is set; then it works."""

    waits = True

    def __init__(self, *errors: BaseException) -> None:
        super().__init__()
        self.errors = list(errors)
        self.broken = False

    def write(self, appends: Sequence[Append]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        if self.broken:
            raise OperationalError("database or disk is full")
        super().write(appends)


class ForgetfulDatabase(Database):
    """Commits, but loses the answer, once."""

    lost = False

    def write(self, appends: Sequence[Append]) -> None:
        super().write(appends)
        if not self.lost:
            self.lost = True
            raise OperationalError("server closed the connection unexpectedly")


@asynccontextmanager
async def ledgers() -> AsyncIterator[RunLedger]:
    """Ledgers over the given stores; at the end they are closed, and none has died."""
    running: list[Ledger] = []
    deaths: list[BaseException] = []

    def run(store: Store) -> Ledger:
        running.append(Ledger(store, deaths.append))
        return running[-1]

    yield run
    async with asyncio.timeout(DEADLINE_S):
        for ledger in running:
            await ledger.close()
    assert deaths == []


@contextmanager
def locked() -> Iterator[None]:
    """While another program keeps the database to itself."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def elsewhere(ask: Callable[[], T]) -> T:
    """What another thread, with a connection of its own, sees or does."""

    def ask_and_close() -> T:
        try:
            return ask()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other:
        return other.submit(ask_and_close).result(DEADLINE_S)
