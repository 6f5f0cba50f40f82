"""The only entry into the log for matches played without the lease, by a command or another machine.

Each match arrives whole, is judged again by the rules, and is stored in one append under the number of the host. If
there is a host, the process that played it leaves the log in a database row, and the host stores it and answers in that
row. Without a host, the process takes the lease itself while it stores the logs.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import socket
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from asgiref.sync import sync_to_async
from django.db import DatabaseError, IntegrityError, connection

from arena.cluster.lease import fence_of, lease_of_host
from arena.common.logs import LastingTrouble
from arena.core.ledger import Busy, Ledger
from arena.core.log_statements import Fenced
from arena.core.log_store import FAILURES, Append, DatabaseStore, Stale
from arena.match.evolve import replay
from arena.match.export import from_rows, to_rows
from arena.match.judge import judge
from arena.match.state import LogEvent
from arena.models import Handed
from arena.work.database_thread import CLOSE_S
from arena.work.looks import RowLooks

log = logging.getLogger("arena.core.played")

LOOK_S = 0.5
ASK_S = 0.1
# A process that has not fetched the answer by then never will.
KEPT = timedelta(minutes=5)

Log = Sequence[LogEvent]


def why_not(events: Log) -> str:
    """Why this cannot be the log of a match played to its end; "" if it can."""
    wrong = judge(events)
    return wrong or ("" if replay(events).phase == "ended" else "the match has no ending")


async def store_played(ledger: Ledger, match: str, events: Log) -> str:
    """Store a whole log, as the host. Returns why it was refused, "" if it is stored. Raises Busy, and OperationalError
    or InterfaceError if the ledger was closed meanwhile.
    """
    if wrong := await asyncio.to_thread(why_not, events):
        return wrong
    stored: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    ledger.append(match, tuple(events), stored.set_result)
    error = await stored
    if error is None:
        return ""
    if isinstance(error, FAILURES):
        raise error
    return taken(match) if isinstance(error, Stale) else f"the database refused it: {error}"


def taken(match: str) -> str:
    """The words for a name that another match has, as if two processes began theirs in the same 37 µs."""
    return f"there is another match {match}"


def take_in(store: DatabaseStore, match: str, events: Log) -> str:
    """Store a whole log, as the holder of the lease in a process without a loop.

    Returns why it was refused, `taken(match)` if another match has its name, and "" if it is stored. Raises Fenced, and
    OperationalError or InterfaceError while storage fails.
    """
    if wrong := why_not(events):
        return wrong
    try:
        store.write([Append(match, tuple(events), lambda error: None)])
    except Stale:
        return taken(match)
    except IntegrityError as why:
        return f"the database refused it: {why}"
    return ""


def take_in_waiting(store: DatabaseStore) -> None:
    """Store the logs that other processes have left, as `take_in` does, and answer in their rows."""
    for row in _waiting():
        try:
            answer = take_in(store, row.match, from_rows(row.log))
        except (TypeError, ValueError, LookupError) as why:
            answer = f"it cannot be read: {why!r}"
        Handed.objects.filter(pk=row.pk).update(answer=answer)


class Inbox:
    """The host's side: looks for logs that other processes have left."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._stopped = False
        self._looks = RowLooks(LOOK_S)
        self._looking = asyncio.get_running_loop().create_task(self._look_for_ever())

    async def close(self) -> None:
        self._stopped = True
        self._looks.call()
        # Not cancelled: its query would go on in its thread, and what waits for storage is told when the ledger closes.
        await asyncio.wait([self._looking], timeout=CLOSE_S)
        await self._looks.close()

    async def _look_for_ever(self) -> None:
        failing = LastingTrouble(log, "logs that others have played cannot be taken in")
        while not self._stopped:
            longest_s = LOOK_S
            try:
                await self.look()
                longest_s = math.inf
                failing.is_over()
            except (DatabaseError, Busy) as why:
                failing.begins(why)
            except Exception:
                log.exception("a log that somebody else has played could not be taken in")
            await self._looks.next(longest_s)

    async def look(self) -> None:
        """Store the logs that wait."""
        for row in await sync_to_async(_waiting)():
            try:
                answer = await store_played(self._ledger, row.match, from_rows(row.log))
            except (TypeError, ValueError, LookupError) as why:
                answer = f"it cannot be read: {why!r}"
            if not self._ledger.fenced:  # else the next host stores it
                await Handed.objects.filter(pk=row.pk).aupdate(answer=answer)


def _waiting() -> list[Handed]:
    rows = list(Handed.objects.order_by("at"))
    if forgotten := [row.pk for row in rows if row.answer is not None and row.at < datetime.now(UTC) - KEPT]:
        Handed.objects.filter(pk__in=forgotten).delete()
    return [row for row in rows if row.answer is None]


def enter(logs: Sequence[tuple[str, Log]]) -> list[str]:
    """Have whole logs stored, by the host or without one; for each, why it was refused, "" if it is stored. Waits as
    long as necessary: for a thread or command without the lease.
    """
    lease, answers = lease_of_host(f"{socket.gethostname()[:40]} {os.getpid()}"), dict[str, str]()
    try:
        while left := [(match, events) for match, events in logs if match not in answers]:
            if lease.take():
                try:
                    store = DatabaseStore(fence_of(lease))
                    for match, events in left:
                        answers[match] = _stored(store, match, events)
                except Fenced:
                    log.info("another process has become the host: it stores the rest")
                finally:
                    lease.release()
            else:
                answers |= _hand_over(left)
                answers |= _answers([match for match, _ in left if match not in answers])
    finally:
        connection.close()
    return [answers[match] for match, _ in logs]


def _stored(store: DatabaseStore, match: str, events: Log) -> str:
    for row in Handed.objects.filter(match=match):
        if _is_of(row, events):  # its host has gone without storing it
            row.delete()
    return take_in(store, match, events)


def _hand_over(logs: Sequence[tuple[str, Log]]) -> dict[str, str]:
    """Leave the logs for the host. Returns an answer for names already used by another log that still waits."""
    refused = {}
    for match, events in logs:
        row, is_new = Handed.objects.get_or_create(match=match, defaults={"log": to_rows(events)})
        if not (is_new or _is_of(row, events)):
            refused[match] = taken(match)
    return refused


def _is_of(row: Handed, events: Log) -> bool:
    """Whether this log waits in the row. Two matches do not open in the same microsecond between the same players."""
    opened = json.loads(json.dumps(to_rows(events[:1])))
    return bool(row.log[:1] == opened)


def _answers(matches: Sequence[str]) -> dict[str, str]:
    """The host's answers so far, after waiting for a while; a host that has gone gives none."""
    rows = Handed.objects.filter(match__in=matches, answer__isnull=False).defer("log")
    until = time.monotonic() + 2 * LOOK_S
    while len(found := {each.match: each.answer or "" for each in rows}) < len(matches) and time.monotonic() < until:
        time.sleep(ASK_S)
    Handed.objects.filter(match__in=found).delete()
    return found
