from __future__ import annotations

import pytest

from arena.tournaments import live_pairing
from tests.kit.deadline import DEADLINE_S


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that stops leaves processes to themselves after a while; a busy machine may take longer to end them."""
    monkeypatch.setattr(live_pairing, "PART_S", DEADLINE_S)
