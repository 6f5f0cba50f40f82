"""Commands of `manage.py` that begin with their libraries loaded: most of the second that a start takes is importing.

A process that has imported what commands need waits for commands. For each it makes a process that goes on as a new
interpreter would have: with its own environment, folder and files, `manage.py` as its main module, and as a child of
who asked, who waits for it, reads it and kills it like any other. So whoever starts a command by `subprocess` or
`asyncio` is given one. Calls that ask for more than that, or for options of Python itself, start as usual.

Models can only be imported where there are settings. So those that wait for the commands of an arena have set Django up
with settings of nobody, imported Arena, and forgotten these settings again; the command reads its own. What a module
has read while it was imported has to be the same in these, which is checked. There is one for each set of Django's
apps, and one that has only libraries, for all other commands.

ARENA_TEST_PRELOADED=0 starts all of them as usual.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import inspect
import json
import os
import platform
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena.management.console import needs_rows
from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable  # also for tests that put another one in its place, which is then started as usual
PROGRAM = ROOT / "manage.py"
# What is imported; with it comes what these import. Nothing of it may read settings, or make a reactor or a loop.
LIBRARIES = (
    *(
        "asyncio",
        "concurrent.futures.process",
        "email.message",
        "http.client",
        "logging.config",
        "multiprocessing.spawn",
    ),
    *("sqlite3", "tarfile", "zoneinfo"),
    *("django.contrib.admin.widgets", "django.contrib.messages.storage.fallback", "django.contrib.staticfiles.finders"),
    *(
        "django.core.cache.backends.locmem",
        "django.core.management",
        "django.core.serializers.json",
        "django.db.models",
    ),
    *("django.db.backends.sqlite3.base", "django.db.migrations.autodetector", "django.db.migrations.executor"),
    *("django.forms.models", "django.middleware.csrf", "django.middleware.gzip", "django.template.defaulttags"),
    *("django.template.loader_tags", "django.utils.feedgenerator", "django.views.generic", "django.views.i18n"),
    *("autobahn.twisted.websocket", "channels.generic.websocket", "channels.layers", "channels.routing"),
    *("cryptography.x509", "csp.middleware", "django_htmx.middleware", "psycopg", "twisted.web.http"),
    *("whitenoise.middleware", "whitenoise.storage"),
    *("games.players", "arena.protocols"),
)
# What imports Arena's models, for those who may have it; again nothing that makes a reactor or a loop.
ARENA = (
    *("arena.urls", "arena.host", "arena.routing", "arena.cluster.pages", "arena.admin.roles", "arena.web.api.told"),
    *("arena.management.fronting", "arena.management.tables", "arena.management.webhooks", "arena.web.refusal_pages"),
    *("arena.management.commands.tournament", "arena.management.commands.worker", "arena.server.incoming"),
    *("axes.middleware", "django.contrib.messages.middleware", "django.contrib.sessions.middleware"),
    *("django.core.handlers.asgi", "django.middleware.clickjacking", "django.middleware.common"),
    *("django.middleware.security", "twisted.internet.posixbase", "arena.web.system.compression"),
    *("arena.management.page_worker", "arena.server.turns", "arena.web.on_loop", "tests.web.api.conforming"),
    *("daphne.http_protocol", "daphne.ws_protocol", "django.core.asgi", "django.db.models.sql.compiler"),
    "tests.kit.machine",
)
USUAL_SETTINGS = {"arena.settings", "tests.kit.held_settings"}
# What is set for each `ARENA_ENGINE`: the apps of Django differ.
ENGINES = {
    "": {},
    "procrastinate": {"ARENA_ENGINE": "procrastinate", "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"},
}
# Modules keep it when they are imported.
KEPT = "ARENA_TRUSTED_NETS"
# A warning is an error in commands as it is in tests, but for two of newer Pythons: Django's connection of a thread
# ends with it, and txaio asks asyncio what it should ask inspect.
NOT_OURS = {"unclosed database": ResourceWarning, "'asyncio.iscoroutinefunction' is deprecated": DeprecationWarning}
WARNINGS = ",".join(["error", *(f"ignore:{words}:{category.__name__}" for words, category in NOT_OURS.items())])
CLONE_PARENT = 0x00008000
SYSCALL_CLONE = {"x86_64": 56, "aarch64": 220}
_MOST_BYTES = 2**18


class _Wanted(NamedTuple):
    """A command to start: its words after `python`, its environment and folder."""

    words: list[str]
    environment: dict[str, str]
    folder: str
    starts_session: bool

    @property
    def engine(self) -> str | None:
        """Which of `ENGINES` it has; None if only libraries may be imported for it."""
        if self.environment.get("DJANGO_SETTINGS_MODULE") not in USUAL_SETTINGS or KEPT in self.environment:
            return None
        engine = self.environment.get("ARENA_ENGINE", "")
        return engine if engine in ENGINES else None


def install() -> None:
    """Give all that this process starts by `subprocess` their libraries, where that can be done."""
    if (
        os.environ.get("ARENA_TEST_PRELOADED") != "0"
        and platform.machine() in SYSCALL_CLONE
        and sys.platform == "linux"
    ):
        setattr(subprocess, "Popen", Preloaded)  # noqa: B010  what a type checker would not have


class Preloaded(subprocess.Popen):  # type: ignore[type-arg]
    def _execute_child(self, *given: Any) -> None:
        begin = super()._execute_child  # type: ignore[misc]
        asked = inspect.signature(begin).bind(*given).arguments
        wanted = _wanted(asked)
        if wanted is None:
            begin(*given)
            return
        reads, writes, errs = asked["p2cread"], asked["c2pwrite"], asked["errwrite"]
        self.pid = _start(wanted, [own if end == -1 else end for own, end in enumerate((reads, writes, errs))])
        self._child_created = True
        ours = (asked["p2cwrite"], asked["c2pread"], asked["errread"])
        close: Callable[..., None] = getattr(self, "_close_pipe_fds")  # noqa: B009  what a type checker would not have
        close(reads, ours[0], ours[1], writes, ours[2], errs)


def _wanted(asked: Mapping[str, Any]) -> _Wanted | None:
    """None for what has to be started as usual."""
    words, folder = asked["args"], os.path.abspath(asked["cwd"] or ".")
    environment = dict(os.environ if asked["env"] is None else asked["env"])
    usual = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": WARNINGS}
    is_usual = (
        isinstance(words, Sequence)
        and len(words) > 2
        and words[0] == PYTHON
        and Path(folder, words[1]) == PROGRAM
        and needs_rows(list(words[2:]))
        and all(usual.get(name) == value for name, value in environment.items() if name.startswith("PYTHON"))
        and not (asked["shell"] or asked["preexec_fn"] or asked["pass_fds"])
        and asked["uid"] is asked["gid"] is asked["gids"] is None
        and asked["umask"] == -1 == asked["process_group"]
    )
    return _Wanted(list(words[1:]), environment, folder, asked["start_new_session"]) if is_usual else None


# -- who asks ----------------------------------------------------------------------------------------------------------


class _Waiting(NamedTuple):
    process: subprocess.Popen[bytes]
    line: socket.socket


_one_at_a_time = threading.Lock()
_waiting: dict[str | None, _Waiting] = {}


def end() -> None:
    """End the waiting processes by closing their lines."""
    with _one_at_a_time:
        while _waiting:
            _, ended = _waiting.popitem()
            ended.line.close()
            ended.process.wait(DEADLINE_S)


def _start(wanted: _Wanted, files: list[int]) -> int:
    """Its process id. `files`: what it reads and writes as 0, 1 and 2."""
    with _one_at_a_time:
        if (engine := wanted.engine) not in _waiting:
            _waiting[engine] = _loaded(engine)
        line = _waiting[engine].line
        socket.send_fds(line, [json.dumps(wanted).encode()], files)
        answer = line.recv(100)
    assert answer, "the process that has loaded the libraries has ended"
    return int(answer)


def _loaded(engine: str | None) -> _Waiting:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(DEADLINE_S)
    command = [PYTHON, "-m", __name__, str(theirs.fileno()), *([] if engine is None else [engine])]
    with theirs:
        return _Waiting(subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()]), ours)


# -- who has loaded them -----------------------------------------------------------------------------------------------


def wait(line: socket.socket) -> _Wanted:
    """Make a process for each command that comes, until nobody can ask any more; returns in each of these processes."""
    while True:
        data, files, *_ = socket.recv_fds(line, _MOST_BYTES, 3)
        if not data:
            os._exit(0)
        pid = _sibling()
        if not pid:
            line.close()
            for number, file in enumerate(files):
                os.dup2(file, number)
        for file in files:
            os.close(file)
        if not pid:
            return _Wanted(*json.loads(data))
        line.send(b"%d" % pid)


def _sibling() -> int:
    """As `os.fork`, but the new process is a child of our parent, who can wait for it."""
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid: int = ctypes.PyDLL(None).syscall(SYSCALL_CLONE[platform.machine()], CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid:
        python.PyOS_AfterFork_Parent()
        assert pid > 0, "no more processes can be made"
    else:
        python.PyOS_AfterFork_Child()
    return pid


def load_arena(engine: str) -> dict[str, Any]:
    """Import what imports models, under settings that are forgotten afterwards; returns those that were read."""
    import django
    from django.conf import settings
    from django.db.migrations.loader import MigrationLoader

    from arena.protocols import protocols

    with tempfile.TemporaryDirectory(prefix="arena-preloading-") as data:
        for name in [name for name in os.environ if name.startswith("ARENA_")]:
            del os.environ[name]
        os.environ |= {"ARENA_DATA": data, "DJANGO_SETTINGS_MODULE": "arena.settings", "SECRET_KEY": "of nobody"}
        os.environ |= ENGINES[engine]
        django.setup()
        for name in ARENA:
            importlib.import_module(name)
        protocols()
        MigrationLoader(None)  # imports the migrations, with which every command compares the tables
    read = {name: value for name, value in vars(settings).items() if name.isupper() and name not in READ_AGAIN}
    _forget_settings()
    return read


# Whatever is made of these is made again (`_forget_settings`), or by `django.setup`, which every command calls.
READ_AGAIN = {"DATABASES", "LOCALE_PATHS", "LOGGING", "LOGGING_CONFIG"}


def _forget_settings() -> None:
    from django.conf import settings
    from django.db import connections
    from django.utils.functional import empty
    from django.utils.translation import trans_real

    for alias in connections:
        del connections[alias]
    del vars(connections)["settings"]
    setattr(connections, "_settings", None)  # noqa: B010  what a type checker would not have
    getattr(trans_real, "_translations").clear()  # noqa: B009
    setattr(trans_real, "_default", None)  # noqa: B010
    del sys.modules["arena.settings"]
    settings._wrapped = empty


def _read_settings(read: Mapping[str, Any]) -> None:
    """What modules have kept since their import is what it would be if they were imported now."""
    from axes import conf
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.utils.functional import empty

    from arena.web.system import metrics

    setattr(metrics, "_started", time.time())  # noqa: B010  as on its import
    try:
        importlib.reload(conf)  # it adds its defaults to the settings
    except ImproperlyConfigured:
        settings._wrapped = empty  # the command says so
        return
    other = [name for name, value in read.items() if getattr(settings, name) != value]
    assert not other, f"modules that are imported for all commands keep these settings: {other}"


def _know_the_machine(wanted: _Wanted, shared: Mapping[str, str]) -> None:
    """Let it be told what the run has found out already, but for what is about finding it out."""
    from tests.kit.machine import find_out_once

    is_usual = wanted.environment.get("PATH") == shared["PATH"]  # where the programs of the sandbox are
    if is_usual and wanted.words[1] != "sandbox_check":
        find_out_once(Path(shared["ARENA_TABLES_OF_TESTS"]))


def go_on_as(wanted: _Wanted, read: Mapping[str, Any], shared: Mapping[str, str]) -> None:
    """Act as the requested interpreter, to its end. `read`: settings that have been read. `shared`: the environment of
    the tests."""
    if wanted.starts_session:
        os.setsid()
    os.chdir(wanted.folder)
    os.environ.clear()
    os.environ.update(wanted.environment)
    if "PYTHONWARNINGS" in wanted.environment:
        sys.warnoptions.append("error")
        warnings.simplefilter("error")
        for words, category in NOT_OURS.items():
            warnings.filterwarnings("ignore", words, category)
    sys.argv, sys.path[0] = wanted.words, str(ROOT)
    if read:
        _read_settings(read)
        _know_the_machine(wanted, shared)
    runpy.run_path(str(PROGRAM), run_name="__main__")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for _name in LIBRARIES:
        importlib.import_module(_name)
    _shared = dict(os.environ)
    _read = load_arena(sys.argv[2]) if sys.argv[2:] else {}
    gc.collect()
    gc.freeze()
    go_on_as(wait(socket.socket(fileno=int(sys.argv[1]))), _read, _shared)
