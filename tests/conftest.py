"""What holds for every test: nothing is skipped in silence, and where CI is set nothing is skipped at all."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from arena.host import Host
    from tests.restarting import Restarts

# No timing is asserted: beside other tests an example may wait for its core. `make fast` tries fewer than 100.
hypothesis.settings.register_profile("all", deadline=None)
hypothesis.settings.register_profile("fast", deadline=None, max_examples=10)
hypothesis.settings.load_profile("all")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`make fast` leaves out what commits to a database that other threads read: emptying all tables takes its time."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "transactional_db" in fixtures or any(
            mark.kwargs.get("transaction") for mark in item.iter_markers("django_db")
        ):
            item.add_marker(pytest.mark.tables)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With `CI` set a skipped test fails the run; `-ra` (pyproject.toml) has named each with its reason."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter and reporter.stats.get("skipped") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
async def host(transactional_db: None) -> AsyncIterator[Host]:
    """A running host in the test's own loop."""
    from tests.hosting import serving  # not before Django is set up

    async with serving() as running:
        yield running


@pytest.fixture
async def restarted(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Restarts]:
    """Stops the host if there is one, and starts the next."""
    from tests.restarting import restarting  # not before Django is set up

    async with restarting(monkeypatch) as again:
        yield again
