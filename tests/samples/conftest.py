"""Compiled samples and migrated tables, each made once."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.browser.server import Server, migrate


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("built")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("migrated")
    migrate(data)
    return data


@pytest.fixture
async def server(migrated: Path, tmp_path: Path) -> AsyncIterator[Server]:
    data = tmp_path / "data"
    shutil.copytree(migrated, data)
    running = Server(data)
    await running.start()
    yield running
    await running.stop()
