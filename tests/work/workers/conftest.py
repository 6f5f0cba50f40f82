"""Every test here that wants PostgreSQL starts a server beside it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.kit.processes import Postgres
from tests.kit.workers import PASSWORD, template


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that the users of bots can enter."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def tables_of_work(postgres: Postgres, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of a database of its own with all tables."""
    return postgres.create(f"work_{abs(hash(request.node.nodeid)) % 10**9}", template(postgres, tmp_path))


@pytest.fixture
def owner(tables_of_work: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(tables_of_work, autocommit=True) as connection:
        yield connection


@pytest.fixture
def worker(tables_of_work: str) -> Iterator[psycopg.Connection]:
    """Logged in as workers are."""
    url = tables_of_work.replace("//arena@", f"//arena_worker:{PASSWORD}@")
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection
