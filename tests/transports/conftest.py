from __future__ import annotations

import pytest

from tests.kit.deadline import DEADLINE_S


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a bot or this machine stands still, all that was written is delivered before a connection is closed:
    tests of the bound set one.
    """
    for way in ("process", "tcp", "websocket"):
        monkeypatch.setattr(f"arena.transports.{way}.CLOSE_S", DEADLINE_S)
