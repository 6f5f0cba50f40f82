"""The lease: one of several processes has a task, and each time the lease is taken its number rises.

The lease says which process; its number is the fence. The holder's appends show the number in the statement that writes
them, so a process that has lost the lease without knowing it stores nothing.

On PostgreSQL the holder is in a row that expires by the database's own clock; on SQLite it is the process with a lock
on the data folder, which the kernel frees when the process dies. A host that could not renew the lease while the
database was away continues, because nobody else could take it either.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, NamedTuple, Protocol, TypeVar

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, Model, Q, QuerySet
from django.db.models.functions import Now

from arena.models import Lease as Row

HOST = "host"
LASTS_S = 6.0
LASTS = timedelta(seconds=LASTS_S)
# How often it is renewed; and a lock is looked at, which costs nothing.
RENEW_S, LOOK_S = 2.0, 1.0
# How long a process that is to serve waits for the same holder, and how often it looks.
PATIENCE_S, AGAIN_S = 2.0, 0.2

# How long a transaction of a holder may stand still, and how PostgreSQL is told so.
LETS_GO_S = 2
IDLE = "idle_in_transaction_session_timeout"
LET_GO = "CASE WHEN current_setting(%s) = '0' THEN set_config(%s, %s, true) END"


class NotTheHost(Exception):
    """Another process is the host of this database. The message says what to do."""


class Fence(NamedTuple):
    """What every append shows: the name of a lease and the number of its holder."""

    name: str
    epoch: int


class HostLease(Protocol):
    """A lease as one process sees it. All methods read or write the database: for a thread, not for the loop.

    They raise Django's database errors where it cannot be reached. `every_s`: how often to renew it.
    """

    every_s: float
    epoch: int

    def take(self) -> bool:
        """Take the lease under a new number if nobody holds it; returns whether it was taken."""
        ...

    def renew(self) -> bool:
        """Renew the lease; returns False if another process has it now."""
        ...

    def release(self) -> None:
        """Let the next process take it at once."""
        ...

    def cap(self) -> None:
        """Let nobody hold it for longer than it lasts, whoever it is. Fails if nobody could renew it either."""
        ...

    def holder(self) -> str:
        """The holder, "" if there is none."""
        ...

    def taken(self, holder: str) -> str:
        """The error that says that this process holds it, and what to do."""
        ...


def lease_of_host(name: str) -> HostLease:
    """The lease that `name` may hold on the database of this process."""
    return LockLease(settings.ARENA_DATA) if connection.vendor == "sqlite" else RowLease(name)


class Patience:
    """How long a process that wants to serve waits for the same holder: a command holds the lease only for a moment."""

    def __init__(self) -> None:
        self._holder: str | None = None
        self._until = 0.0

    def is_over(self, holder: str) -> bool:
        """Whether this holder, "" for nobody, has been seen at every look for `PATIENCE_S` seconds."""
        now = time.monotonic()
        if holder != self._holder:
            self._holder, self._until = holder, now + PATIENCE_S
        return now >= self._until


def who_stays(lease: HostLease) -> str:
    """The process that holds the lease and keeps it, "" once nobody holds it. Blocks while a command stores a match."""
    patience = Patience()
    while (holder := lease.holder()) and not patience.is_over(holder):
        time.sleep(AGAIN_S)
    return holder


def fence_of(lease: HostLease) -> Fence:
    """The fence that the holder shows."""
    return Fence(HOST, lease.epoch)


M = TypeVar("M", bound=Model)


def for_holder(rows: QuerySet[M], fence: Fence | None) -> QuerySet[M]:
    """These rows if the process still holds the lease when it writes, else none; without a fence, all of them."""
    return rows if fence is None else rows.filter(Exists(Row.objects.filter(name=fence.name, epoch=fence.epoch)))


@contextmanager
def by_holder(fence: Fence | None, *, keeps: bool = False) -> Iterator[None]:
    """A transaction of the holder: nobody else takes the lease before its end. Raises NotTheHost with nothing done. A
    thread that `keeps` its connection closes it itself after a failure.
    """
    if not keeps:
        connection.close_if_unusable_or_obsolete()
    with transaction.atomic():
        if fence is None:
            let_go_after(LETS_GO_S)
        elif not _locked(fence):
            raise NotTheHost("the lease is another's: nothing was done")
        yield


def _locked(fence: Fence) -> bool:
    """Whether the lease still belongs to this fence; if so, it does until the end of the transaction. Every match and
    every action on an event begins with this, so the SQL is written out.
    """
    held = "FROM arena_lease WHERE name = %s AND epoch = %s"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"SELECT {LET_GO} {held} FOR UPDATE", (*_let_go(LETS_GO_S), *fence))
        else:
            cursor.execute(f"SELECT 1 {held}", fence)
        return cursor.fetchone() is not None


def let_failed_go() -> None:
    """Drop this thread's connection if it has failed: a database that was killed has forgotten it."""
    if connection.errors_occurred and not connection.in_atomic_block:
        connection.close()


def let_go_after(seconds: int) -> None:
    """Limit how long a process suspended in this transaction keeps rows from the next host, unless already set."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {LET_GO}", _let_go(seconds))


def _let_go(seconds: int) -> tuple[str, str, str]:
    """The values of `LET_GO`."""
    return IDLE, IDLE, f"{seconds}s"


def expired() -> Q:
    """Condition on a row that anybody may take."""
    return Q(expires__lt=Now()) | Q(expires=None)


def cap(rows: QuerySet[M], field: str, lasts: timedelta) -> None:
    """Let none of these end later than it could if it were renewed now: once the database's clock was set back, what
    a dead process held would be free only when the clock is where it was.
    """
    latest = Now() + lasts
    rows.filter(**{f"{field}__gt": latest}).update(**{field: latest})


class RowLease:
    """A lease among processes on several machines: a row that expires by the database's clock."""

    every_s = RENEW_S

    def __init__(self, name: str) -> None:
        self.name = name
        self.epoch = 0

    def take(self) -> bool:
        try:
            with impatient():
                cap(Row.objects.filter(name=HOST), "expires", LASTS)
                free = Row.objects.filter(expired(), name=HOST)
                taken = free.update(holder=self.name, epoch=F("epoch") + 1, expires=Now() + LASTS)
                if not taken and not Row.objects.filter(name=HOST).exists():
                    Row.objects.create(name=HOST, holder=self.name, expires=Now() + LASTS)
                    taken = 1
                if taken:
                    self.epoch = Row.objects.get(name=HOST).epoch
                return bool(taken)
        except IntegrityError:
            return False

    def renew(self) -> bool:
        with impatient():
            return bool(self._mine().update(expires=Now() + LASTS))

    def release(self) -> None:
        with impatient():
            self._mine().update(expires=Now() - timedelta(seconds=1))

    def cap(self) -> None:
        with impatient():
            cap(Row.objects.filter(name=HOST), "expires", LASTS)

    def holder(self) -> str:
        with impatient():
            held = Row.objects.filter(name=HOST, expires__gte=Now())
            return held.values_list("holder", flat=True).first() or ""

    def taken(self, holder: str) -> str:
        return (
            f"another server ({holder}) is the host of this database: stop it, or set REDIS_URL for both, "
            "and this one serves as a front"
        )

    def _mine(self) -> QuerySet[Row]:
        return Row.objects.filter(name=HOST, holder=self.name, epoch=self.epoch)


class LockLease:
    """A lease among processes on one data folder: the lock says who holds it, the row only its number."""

    every_s = LOOK_S

    def __init__(self, data: Path) -> None:
        self.epoch = 0
        self._path = data / "host.lock"
        self._lock: IO[str] | None = None

    def take(self) -> bool:
        lock = self._locked()
        if lock is None:
            return False
        try:
            self.epoch = self._number()
        except BaseException:
            lock.close()
            raise
        self._lock = lock
        return True

    def renew(self) -> bool:
        """A lock whose file was deleted or renamed keeps nobody away."""
        try:
            return self._lock is not None and os.path.samestat(os.fstat(self._lock.fileno()), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def cap(self) -> None:
        """A lock goes with its process."""

    def holder(self) -> str:
        with suppress(FileNotFoundError), open(self._path, encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return f"process {lock.read().strip() or 'unknown'}"
        return ""

    def taken(self, holder: str) -> str:
        data = self._path.parent
        return f"another server ({holder}) already uses the data in {data}: stop it, or set ARENA_DATA elsewhere"

    def _locked(self) -> IO[str] | None:
        """The lock, held until it is closed or the process dies; None if another process has it."""
        lock = open(self._path, "a+", encoding="utf-8")  # noqa: SIM115 - it must outlive this function
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return None
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        return lock

    def _number(self) -> int:
        holder = f"process {os.getpid()}"
        with _closing(), transaction.atomic():
            row, created = Row.objects.get_or_create(name=HOST, defaults={"holder": holder})
            if not created:
                Row.objects.filter(name=HOST).update(holder=holder, epoch=F("epoch") + 1)
                row.refresh_from_db()
            return row.epoch


@contextmanager
def impatient(*, keeps: bool = False) -> Iterator[None]:
    """A transaction that waits at most a second for a row that another process holds, for what is soon repeated anyway.
    The connection is closed unless the thread `keeps` it.
    """
    with nullcontext() if keeps else _closing(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1s'")
        yield


@contextmanager
def _closing() -> Iterator[None]:
    """Threads of a pool keep no connection: one broken by a restart of the database would stay broken."""
    connection.close_if_unusable_or_obsolete()
    try:
        yield
    finally:
        connection.close()
