"""For modules whose tests share a server: `from tests.browser.sharing import server as server`, or `of_module`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.server import Server


@pytest.fixture
def server(shared: Server) -> Iterator[Server]:
    """The server of the whole run, with the complaints of this test only."""
    yield from _listened_to(shared)


@pytest.fixture
def of_module(module_server: Server) -> Iterator[Server]:
    """A server that only the tests of this module use, with the complaints of this test only."""
    yield from _listened_to(module_server)


def _listened_to(server: Server) -> Iterator[Server]:
    server.complaints.clear()
    yield server
    assert server.complaints == []
