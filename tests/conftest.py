"""What holds for every test: nothing is skipped in silence, and where CI is set nothing is skipped at all."""

from __future__ import annotations

import asyncio
import functools
import gc
import logging
import os
import shutil
import signal
import sys
import tempfile
from asyncio import BaseEventLoop
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
import pytest_asyncio

if TYPE_CHECKING:
    from playwright.async_api import Browser
    from pytest_django import DjangoDbBlocker

    from arena.host import Host
    from tests.kit.last_resort import LastResort
    from tests.kit.processes import Postgres, Redis
    from tests.kit.restarting import Restarts
    from tests.kit.server import Server

# Whatever `tests` holds says what it compared when an assertion fails, not only modules named test_*.
pytest.register_assert_rewrite("tests")

# No timing is asserted: beside other tests an example may wait for its core. The examples are the same in every run, so
# that what is red is so by what was changed; `make soak ARGS=examples` looks for others.
hypothesis.settings.register_profile("all", deadline=None, derandomize=True)
hypothesis.settings.register_profile("fast", deadline=None, derandomize=True, max_examples=10)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=3_000)
hypothesis.settings.load_profile("all")

# As in arena/management/console.py: most is freed by counting references, and sweeping after every 700 objects costs.
gc.set_threshold(100_000, 20, 20)


# Of what is marked `cases` a run of everything takes a sample, the same each time; this is the seed of another one, or
# "all". Who names files or tests gets every case of them.
SAMPLE = os.environ.get("ARENA_TEST_SAMPLE", "1")


_last_resort: pytest.StashKey[LastResort] = pytest.StashKey()


def _on_its_thread(schedule: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(schedule)
    def checked(loop: Any, *args: Any, **kwargs: Any) -> Any:
        loop._check_thread()
        return schedule(loop, *args, **kwargs)

    return checked


# What only the debug mode of asyncio finds: a callback that another thread gives to a loop, which nobody wakes for it.
# The mode itself notes a traceback for every callback: half the computing of tests that have a loop. Coroutines that
# nobody awaits and transports that nobody closes are warnings without it as well, and warnings are errors.
for _name in ("call_soon", "call_at"):
    setattr(BaseEventLoop, _name, _on_its_thread(getattr(BaseEventLoop, _name)))


def pytest_configure(config: pytest.Config) -> None:
    """What the processes of tests have in common."""
    from tests.kit import preloading  # not before its assertions are told of
    from tests.kit.deadline import DEADLINE_S
    from tests.kit.last_resort import LastResort, standard_error

    # What a shell starts in the background is deaf to Ctrl-C, and so would be all that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _take_this_python()
    preloading.install()
    config.add_cleanup(preloading.end)
    config.add_cleanup(_end_the_log)
    config.stash[_last_resort] = LastResort(float(config.getini("timeout") or 0) + DEADLINE_S, standard_error())
    # A folder for what is made once in a run, whichever worker, or run within it, needs it first: tests/kit/server.py.
    if "ARENA_TABLES_OF_TESTS" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="arena-tables-")
        config.add_cleanup(folder.cleanup)
        os.environ["ARENA_TABLES_OF_TESTS"] = folder.name


def _take_this_python() -> None:
    """Let `python3`, which starts most bots of the tests, be the Python that runs them. What a version manager puts in
    its place is a script that looks for a Python, which takes eight times as much computing as starting it."""
    found = shutil.which("python3") or ""
    if os.path.realpath(found) != os.path.realpath(sys.executable):
        os.environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Each test is over within a time, whatever happens."""
    with item.config.stash[_last_resort].over(item.nodeid):
        return (yield)


def _end_the_log() -> None:
    """Write no line after the last test: a worker that waits for the others has its streams closed by then."""
    root = logging.getLogger()
    for handler in tuple(root.handlers):
        if isinstance(handler, logging.StreamHandler):
            root.removeHandler(handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each worker imports a share of the modules first, so that in a fresh checkout it rewrites the assertions of these
    only, and reads those of the others from their files: four workers that each did all took 23 s of computing more."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 0))
    if workers and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        own = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))[own::workers]:
            # What cannot be imported is told when it is collected.
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(path.relative_to(Path(__file__).parents[1]).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark what commits to a database that other threads read, which `make fast` leaves out because emptying all tables
    takes its time; and after all other plugins have marked and left out theirs, begin with what takes longest."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "transactional_db" in fixtures or any(
            mark.kwargs.get("transaction") for mark in item.iter_markers("django_db")
        ):
            item.add_marker(pytest.mark.tables)
    yield
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and SAMPLE != "all":
        from tests.kit.sampling import sampled

        items[:], left_out = sampled(items, lambda item: item.nodeid.partition("[")[0], _cases, SAMPLE)
        config.hook.pytest_deselected(items=left_out)
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 0)):
        from tests.kit.dealing import dealt

        items[:] = dealt(items, workers, lambda item: item.path, _takes_long)
    # After the tests of the sandbox have been imported, which attack as ever.
    from tests.kit.machine import find_out_once

    find_out_once(Path(os.environ["ARENA_TABLES_OF_TESTS"]))
    # What has been imported and collected stays to the end; looking through it again and again is for nothing.
    gc.collect()
    gc.freeze()


def _cases(item: pytest.Item) -> int | None:
    mark = item.get_closest_marker("cases")
    return mark.args[0] if mark else None


def _takes_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("browser", "service"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With `CI` set a skipped test fails the run; `-ra` (pyproject.toml) has named each with its reason."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter and reporter.stats.get("skipped") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_use_migrations: bool) -> bool:
    """A worker starts from a copy of a file that has had the migrations, which Django then only looks through."""
    from django.db import connection

    return django_db_use_migrations and connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, django_db_keepdb: bool) -> None:
    """What stands in the settings is the name of this worker's own."""
    from django.db import connection

    from tests.kit.server import share_files, tables

    if django_db_keepdb:
        name = Path(connection.settings_dict["TEST"]["NAME"])
        shutil.copy(tables(), name)
        share_files(name.parent)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The tables, and a cheap way to empty them."""
    from tests.kit.emptying import only_what_has_rows  # not before Django is set up

    with ExitStack() as stack:
        with django_db_blocker.unblock():
            stack.enter_context(only_what_has_rows())
        yield


@pytest.fixture
async def host(transactional_db: None) -> AsyncIterator[Host]:
    """A running host in the test's own loop."""
    from tests.kit.hosting import serving  # not before Django is set up

    async with serving() as running:
        yield running


@pytest.fixture
async def restarted(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Restarts]:
    """Stops the host if there is one, and starts the next."""
    from tests.kit.restarting import restarting  # not before Django is set up

    async with restarting(monkeypatch) as again:
        yield again


# -- what is started once for all tests of a worker --------------------------------------------------------------------


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server for tests that do not mind what others left behind."""
    from tests.kit.server import Server, migrate  # not before Django is set up

    data = tmp_path_factory.mktemp("shared")
    migrate(data)
    running = Server(data)
    await running.start()
    yield running
    await running.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    from playwright.async_api import async_playwright, expect  # a second, which tests without a browser need not wait

    from tests.kit.chromium import FLAGS, program
    from tests.kit.deadline import DEADLINE_S

    expect.set_options(timeout=DEADLINE_S * 1000)
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=program(), args=FLAGS)
        yield running
        async with asyncio.timeout(DEADLINE_S):
            await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium: Browser) -> AsyncIterator[Browser]:
    """Empty at the start, and closed to the last page at the end: an open one goes on drawing."""
    from tests.kit.contexts import contexts_of
    from tests.kit.deadline import DEADLINE_S

    yield chromium
    async with asyncio.timeout(DEADLINE_S):
        await contexts_of(chromium).leave()


@pytest.fixture
def redis() -> Iterator[Redis]:
    """One of the test's own, empty; it starts in no time."""
    from tests.kit.processes import Redis

    server = Redis()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server a worker; each test makes a database of its own in it."""
    from tests.kit.processes import Postgres

    server = Postgres()
    server.start()
    yield server
    server.stop()
    server.remove()


@pytest.fixture
def on_postgres(db: None, postgres: Postgres, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever asks the database from now on asks a PostgreSQL.

    Only this thread goes back to the usual one after the test: another must be new, and end with the test.
    """
    import dj_database_url
    from django.contrib.contenttypes.models import ContentType
    from django.db import connections

    from tests.kit.workers import template

    url = postgres.create(f"on_{abs(hash(request.node.nodeid)) % 10**9}", template(postgres, tmp_path))
    before = connections.settings["default"], connections["default"]
    connections.settings |= connections.configure_settings({"default": {**dj_database_url.parse(url)}})
    connections["default"] = connections.create_connection("default")
    ContentType.objects.clear_cache()
    yield
    connections["default"].close()
    connections.settings["default"], connections["default"] = before
    ContentType.objects.clear_cache()
