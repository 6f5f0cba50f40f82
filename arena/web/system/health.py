"""Whether this process serves, for monitoring."""

from __future__ import annotations

import asyncio
from functools import partial

from channels.db import database_sync_to_async
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse

from arena.cluster.roles import cut_off, front_of
from arena.core import storage_watch
from arena.host import WEBSOCKET, NoHost, here
from arena.web.views import logged

_in_thread = partial(database_sync_to_async, thread_sensitive=False)
# How long the database may take to answer.
ANSWER_S = 3.0


async def healthz(request: HttpRequest) -> HttpResponse:
    """200 and `ok`, or 503 and why not."""
    host = front_of()
    if host is not None:
        return _said(f"ok, a front of {host}") if host else _said("a front without a host", 503)
    why = _why_not()
    return _said(why, 503) if why else _said("ok")


async def readyz(request: HttpRequest) -> HttpResponse:
    """200 and `ready` if requests may come: like `/healthz`, and the database answers and all doors are open."""
    if front_of() is not None:
        return await healthz(request)
    why = _why_not() or _closed_doors() or await _why_no_database() or _why_not()
    return _said(why, 503) if why else _said("ready")


def _why_not() -> str:
    try:
        host = here()
    except NoHost as why:
        return str(why)
    if trouble := storage_watch.trouble():
        return f"{trouble.words} {trouble.todo}"
    return "the log cannot be written: storage fails" if host.ledger.failing else cut_off()


def _closed_doors() -> str:
    """A host that took over waits for ports that are not free yet."""
    closed = [slug for slug, door in here().doors.items() if not slug.endswith(WEBSOCKET) and not door.port]
    return f"doors that are not open yet: {', '.join(closed)}" if closed else ""


async def _why_no_database() -> str:
    try:
        async with asyncio.timeout(ANSWER_S):
            await _ask()
    except TimeoutError:
        return f"the database does not answer within {ANSWER_S:g} s"
    except Error as error:
        return _why_not() if storage_watch.saw(error) else "the database does not answer"
    return ""


@_in_thread
def _ask() -> None:
    storage_watch.try_now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _said(words: str, status: int = 200) -> HttpResponse:
    response = HttpResponse(f"{words}\n", status=status, content_type="text/plain; charset=utf-8")
    return logged(response)
