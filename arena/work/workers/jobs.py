"""Procrastinate, which carries the numbers of work to workers over PostgreSQL. Only this module imports it.

A job holds only the number of a row. It may be lost, or come twice: only the row counts.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, LiteralString

import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from psycopg_pool import PoolTimeout

from arena.common.logs import LastingTrouble
from arena.work.forwarding import NotNow
from arena.work.kinds import Where

log = logging.getLogger("arena.worker")

TASK = "arena"
# The interval at which its jobs table is polled. Not every notice of a new job is heard: Procrastinate forgets one that
# comes while it looks for a job in vain.
POLL_S = 1.0
# The pause after which a worker asks again when the database has failed.
AGAIN_S = 1.0
# A worker claims the row of a job as soon as it has taken the job; one that has not done so by then never will.
CLAIMED_S = 5
# How long to wait for a connection before the database counts as away.
PATIENCE_S = 10.0
# A pool that cannot connect waits longer and longer. After this long it gives up, and the next query begins again.
RECONNECT_S = 4.0
SANDBOX_LEVELS = 4

# A process that was stopped inside a transaction has lost its connection, and asks again over another one.
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.IdleInTransactionSessionTimeout)

Take = Callable[[int], Awaitable[None]]

# A job that was left behind serves again, in its new queue.
DEFER = """
INSERT INTO procrastinate_jobs (queue_name, task_name, priority, queueing_lock, args)
VALUES (%s, %s, %s, %s, jsonb_build_object('work', %s::bigint))
ON CONFLICT (queueing_lock) WHERE status = 'todo' DO UPDATE SET queue_name = EXCLUDED.queue_name
"""
WITH_JOB = """
SELECT queueing_lock FROM procrastinate_jobs job WHERE queueing_lock = ANY(%s) AND (
    status = 'todo' OR status = 'doing' AND EXISTS (
        SELECT 1 FROM procrastinate_events event
        WHERE event.job_id = job.id AND event.type = 'started' AND event.at > now() - make_interval(secs => %s)
    )
)
"""


class DatabaseAway(NotNow):
    """The database could not be reached. The message says why."""


class AskedWrongly(Exception):
    """The database answered with an error, and would do so again."""


# -- the host's side, in the transaction of the connection that Django has in this thread ------------------------------


def queue(kind: str, rules: str, where: Where) -> str:
    """The queue of a job, to which workers listen. Short: PostgreSQL cuts names of channels after 63 bytes."""
    hashed = hashlib.sha256(where.needs.encode()).hexdigest()[:4] if where.needs else ""
    return f"{kind}.{rules}.{hashed}.{where.sandbox}"


def queues(kinds: Iterable[str], rules: str, machine_class: str, sandbox: int) -> list[str]:
    """All queues from which a machine of this class with this level of the sandbox may take jobs."""
    levels = range(min(sandbox, SANDBOX_LEVELS) + 1)
    return [
        queue(kind, rules, Where(needs, level)) for kind in kinds for needs in ("", machine_class) for level in levels
    ]


def defer(work: int, queue_name: str, priority: int) -> None:
    """Have a worker take this row. Raises DatabaseError, which Procrastinate's own function hides."""
    with _cursor() as cursor:
        cursor.execute(DEFER, [queue_name, TASK, priority, _lock(work), work])


def without_job(works: Iterable[int]) -> list[int]:
    """The unclaimed rows among these that no worker will begin: their job is gone, or a worker took it and lost its
    database or died before it could claim the row.
    """
    locks = {_lock(work): work for work in works}
    with _cursor() as cursor:
        cursor.execute(WITH_JOB, [list(locks), CLAIMED_S])
        known = {lock for (lock,) in cursor.fetchall()}
    return [work for lock, work in locks.items() if lock not in known]


def forget(works: Iterable[int]) -> None:
    """Make sure that no worker begins with these any more."""
    with _cursor() as cursor:
        sql = "DELETE FROM procrastinate_jobs WHERE queueing_lock = ANY(%s) AND status = 'todo'"
        cursor.execute(sql, [[_lock(work) for work in works]])


def tidy() -> None:
    """Remove the jobs that are over, and those that died with their worker."""
    gone = "SELECT id FROM procrastinate_workers WHERE last_heartbeat > now() - interval '60 seconds'"
    with _cursor() as cursor:
        cursor.execute(
            "DELETE FROM procrastinate_jobs WHERE status NOT IN ('todo', 'doing')"
            f" OR (status = 'doing' AND (worker_id IS NULL OR worker_id NOT IN ({gone})))"
        )


def _cursor() -> AbstractContextManager[Any]:
    from django.db import connection  # a worker never calls it, and needs only three functions

    return connection.cursor()


def _lock(work: int) -> str:
    return f"arena:{work}"


# -- the worker's side -------------------------------------------------------------------------------------------------


class Jobs:
    """Connections of a worker. `database` holds the parameters of one."""

    def __init__(self, database: dict[str, Any]) -> None:
        self._database = {**database, "connect_timeout": round(RECONNECT_S)}
        self._connector = PsycopgConnector(
            kwargs=database, min_size=1, max_size=4, timeout=PATIENCE_S, reconnect_timeout=RECONNECT_S,
        )  # fmt: skip
        self._app = App(connector=self._connector)
        self._runs: _Runs | None = None

    async def open(self) -> None:
        await self._app.open_async()

    async def close(self) -> None:
        await self._app.close_async()

    async def ask(self, query: LiteralString, **values: Any) -> Any:
        """The single value that a query returns. Raises DatabaseAway, AskedWrongly."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                row = await self._connector.execute_query_one_async(query, **values)
        except (ConnectorException, psycopg.Error, TimeoutError) as why:
            # The cause of our own deadline is that it has cancelled the question, which says nothing.
            cause = why if isinstance(why, TimeoutError) else why.__cause__ or why
            if isinstance(cause, PoolTimeout | TimeoutError):
                cause = await self._why_away() or cause
            kind = AskedWrongly if isinstance(cause, psycopg.Error) and not isinstance(cause, _AWAY) else DatabaseAway
            raise kind(str(cause).strip() or "no answer") from None
        return next(iter(row.values()))

    async def take(self, names: list[str], at_once: int, take: Take) -> None:
        """Have `take` called with the number of each row that comes, `at_once` at a time, again after a failure of the
        queue. When cancelled, what has begun continues until it is over or `end` is called.
        """
        runs = self._runs = self._runs or _Runs(at_once, take)
        runs.begin_more = True

        failing = LastingTrouble(log, "no work can be taken, trying again")

        async def job(work: int) -> None:
            await asyncio.shield(runs.begin(work))

        # A new one each time: an app that has a task of this name takes no other.
        app = App(connector=self._connector)
        app.job_manager = _Manager(self._connector, failing)
        app.task(name=TASK)(job)
        options: dict[str, Any] = {
            "queues": names, "name": "arena", "concurrency": at_once, "install_signal_handlers": False,
            "fetch_job_polling_interval": POLL_S, "shutdown_graceful_timeout": 0.0,
        }  # fmt: skip
        try:
            while True:
                why: BaseException = RuntimeError("Procrastinate has stopped")
                try:
                    await app.run_worker_async(**options)
                except Exception as error:
                    why = error.__cause__ or error
                    if (me := asyncio.current_task()) is not None and me.cancelling():
                        raise asyncio.CancelledError from None  # which Procrastinate's own failure has replaced
                if await self._why_away() is None:  # else the heartbeat says so
                    failing.begins(why)
                await asyncio.sleep(AGAIN_S)
        finally:
            runs.begin_more = False

    async def _why_away(self) -> psycopg.Error | None:
        """Why no connection can be had, if so: a pool only says that it has none."""
        try:
            await (await psycopg.AsyncConnection.connect(**self._database)).close()
        except psycopg.Error as why:
            return why
        return None

    async def end(self, grace_s: float) -> None:
        """Wait for what has begun; cancel what lasts longer than `grace_s`. Nothing is being taken."""
        if self._runs is not None:
            await self._runs.end(grace_s)


class _Manager(JobManager):
    """Its jobs may be gone when they are over: the host removes those of a worker that was not heard from for a while,
    and those that end while the database is away. Only the row counts, and Procrastinate awaits no such error.
    """

    def __init__(self, connector: PsycopgConnector, failing: LastingTrouble) -> None:
        super().__init__(connector)
        self._failing = failing

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        found = await super().fetch_job(queues, worker_id)
        self._failing.is_over()
        return found

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        try:
            await super().finish_job(job, status, delete_job)
        except ConnectorException as why:
            log.info("job %s is left to the host: %s", job.id, str(why.__cause__ or why).partition("\n")[0])


class _Runs:
    """The jobs that were taken, `at_once` at a time."""

    def __init__(self, at_once: int, take: Take) -> None:
        self._take, self._room = take, asyncio.Semaphore(at_once)
        self._all = set[asyncio.Task[None]]()
        self.begin_more = True

    def begin(self, work: int) -> asyncio.Task[None]:
        run = asyncio.get_running_loop().create_task(self._run(work))
        self._all.add(run)
        run.add_done_callback(self._all.discard)
        return run

    async def _run(self, work: int) -> None:
        async with self._room:
            if not self.begin_more:
                return
            try:
                await self._take(work)
            except DatabaseAway as why:
                log.warning("row %d cannot be begun, and is lent again: %s", work, why)

    async def end(self, grace_s: float) -> None:
        """Wait for what runs, and cancel what still does after this long."""
        if self._all:
            _, late = await asyncio.wait(set(self._all), timeout=grace_s)
            for run in late:
                run.cancel()
            await asyncio.gather(*late, return_exceptions=True)
