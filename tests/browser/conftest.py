"""Every test here runs in the loop of the whole run, in which the browser and the `shared` server live.

A server takes a second to start. A module whose tests do not mind what others left behind (rooms, guests, matches)
takes the `shared` one of the whole run, and one whose tests look at lists a server of its own, both by the fixtures of
sharing.py. A test that stops its server, or needs an empty one, asks for a `fresh` one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.kit.server import Server, migrate

if TYPE_CHECKING:
    from pytest_django import DjangoDbBlocker

    from tests.browser.rows import Rows


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)
            if pytest_asyncio.is_async_test(item):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where bots in C are compiled, once."""
    return tmp_path_factory.mktemp("built")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def module_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """For `of_module` of sharing.py."""
    data = tmp_path_factory.mktemp("module")
    migrate(data)
    running = Server(data)
    await running.start()
    yield running
    await running.stop()


@pytest.fixture(scope="session")
def rows(django_db_blocker: DjangoDbBlocker) -> Rows:
    from tests.browser.rows import Rows  # not before Django is set up

    return Rows(django_db_blocker.unblock)


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(tmp_path: Path) -> AsyncIterator[Server]:
    data = tmp_path / "data"
    migrate(data)
    running = Server(data)
    await running.start()
    yield running
    await running.stop()
    assert running.complaints == []


@pytest.fixture
def server(fresh: Server) -> Server:
    return fresh
