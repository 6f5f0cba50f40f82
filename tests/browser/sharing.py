"""For modules whose tests share one server: `from tests.browser.sharing import server as server`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.server import Server


@pytest.fixture
def server(shared: Server) -> Iterator[Server]:
    """The server of the whole run, with the complaints of this test only."""
    shared.complaints.clear()
    yield shared
    assert shared.complaints == []
