"""What a page worker writes, and where. That its own connection cannot write: tests/management/test_page_worker.py."""

from __future__ import annotations

from django.contrib.sessions.models import Session

from arena.cluster.reading import SessionsElsewhere
from arena.models import Player


def test_sessions_are_written_elsewhere_and_nothing_else_is() -> None:
    router = SessionsElsewhere()
    assert router.db_for_write(Session) == "sessions"
    assert router.db_for_write(Player) is None
    assert router.allow_relation(Session(), Player())
