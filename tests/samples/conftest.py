"""Compiled samples, each made once, and a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.server import Server, migrate


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("built")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    migrate(tmp_path / "data")
    running = Server(tmp_path / "data")
    await running.start()
    yield running
    await running.stop()
