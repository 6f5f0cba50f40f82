"""Connections to the database of the tests, used again by whoever asks for one next.

Each request, and each host with its threads, opens connections of its own, as in the server: six for a host, one for a
page. With every one Django registers sixty functions and SQLite reads all tables: 1.6 ms of computing, which was a
tenth of a test with a host. Here a connection that is closed, or whose thread is forgotten, is handed to the next one
who opens one.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.sqlite3.base import DatabaseWrapper

# Their names in Django, which the types leave out.
NEW, CLOSE, FIRST = "get_new_connection", "_close", "init_commands"


class Kept(sqlite3.Connection):
    """Knows whether somebody still reads from it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors = weakref.WeakSet[sqlite3.Cursor]()

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        made = super().cursor(*args, **kwargs)
        self._cursors.add(made)
        return made

    def execute(self, *args: Any) -> sqlite3.Cursor:
        made: sqlite3.Cursor = self.cursor()
        return made.execute(*args)

    @property
    def is_idle(self) -> bool:
        return not (self.in_transaction or len(self._cursors))


@contextmanager
def connections_kept() -> Iterator[None]:
    """As long as this holds, nobody connects to the default database while a connection lies idle."""
    if connection.vendor != "sqlite":
        yield
        return
    connect, close = getattr(DatabaseWrapper, NEW), getattr(DatabaseWrapper, CLOSE)
    file, idle = connection.settings_dict["NAME"], list[Kept]()
    ends = weakref.WeakKeyDictionary[DatabaseWrapper, Any]()

    def put_back(raw: Kept) -> None:
        if raw.is_idle:
            idle.append(raw)
        else:
            raw.close()

    def new(wrapper: DatabaseWrapper, params: dict[str, Any]) -> sqlite3.Connection:
        if params["database"] != file:
            made: sqlite3.Connection = connect(wrapper, params)
            return made
        try:
            raw = idle.pop()
        except IndexError:
            raw = connect(wrapper, {**params, "factory": Kept})
        else:
            for command in ("PRAGMA foreign_keys = ON", *getattr(wrapper, FIRST)):  # what the last one may have changed
                raw.execute(command)
        ends[wrapper] = weakref.finalize(wrapper, put_back, raw)
        return raw

    def end(wrapper: DatabaseWrapper) -> None:
        if (put := ends.pop(wrapper, None)) is not None:
            put()
        else:
            close(wrapper)

    setattr(DatabaseWrapper, NEW, new)
    setattr(DatabaseWrapper, CLOSE, end)
    try:
        yield
    finally:
        setattr(DatabaseWrapper, NEW, connect)
        setattr(DatabaseWrapper, CLOSE, close)
        while idle:
            idle.pop().close()
