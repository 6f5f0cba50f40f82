"""With what a worker connects; how one runs from its start to its end stands in tests/work/workers."""

from __future__ import annotations

import pytest
from django.db import connection

from arena.management.working import _database


def test_it_connects_as_the_server_does_but_for_what_is_djangos(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"dbname": "arena", "connect_timeout": 3, "cursor_factory": object, "context": object()}
    monkeypatch.setattr(connection, "get_connection_params", lambda: said)
    assert _database() == {"dbname": "arena", "connect_timeout": 3}
