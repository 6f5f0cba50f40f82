"""A server and a browser for each test; the tables are made once and copied.

A server takes seconds to start. A module whose tests do not mind what others left behind (rooms, guests, matches) takes
the `shared` one of the whole run instead, by the fixture of sharing.py; a test in it that stops its server, or needs an
empty one, asks for a `fresh` one.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from tests.browser.server import Server, migrate

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("migrated")
    migrate(data)
    return data


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where bots in C are compiled, once."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture
async def fresh(migrated: Path, tmp_path: Path) -> AsyncIterator[Server]:
    data = tmp_path / "data"
    shutil.copytree(migrated, data)
    running = Server(data)
    await running.start()
    yield running
    await running.stop()
    assert running.complaints == []


@pytest.fixture
def server(fresh: Server) -> Server:
    return fresh


@pytest.fixture(scope="session")
def shared(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose loop is none of a test's: it outlives them all."""
    data = tmp_path_factory.mktemp("shared") / "data"
    shutil.copytree(migrated, data)
    running, loop = Server(data), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(running.start(), loop).result()
    yield running
    asyncio.run_coroutine_threadsafe(running.stop(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        await chromium.close()
