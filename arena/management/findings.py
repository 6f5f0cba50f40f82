"""The checks of `manage.py doctor`, one function each: whether a server can run here, and what to do if it cannot.

Nothing is changed: no database is created, no lock is held for longer than a look, no port is kept.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management.base import CommandError
from django.db import Error, connection
from django.http.request import validate_host
from django.utils import timezone

from arena import paths
from arena.analysis import provers
from arena.bots.process import programs, sandbox, starting
from arena.cluster.lease import RowLease
from arena.common.limits import LOCAL_HOSTS
from arena.core import storage_trouble
from arena.management.bot_ports import troubles
from arena.management.listening import is_free, listened_on, lock_holder, server
from arena.management.monitored import answers
from arena.management.tables import check_tables
from arena.models import Bot, Event
from arena.protocols import protocols
from arena.server.server import refuse_old_versions

OLDEST_PYTHON = (3, 11)
LITTLE_BYTES, TOO_LITTLE_BYTES = 1 << 30, 100 << 20
FEW_FILES = 4096
SHORT_KEY = 50
# A clock that was set back this far would date moves before those already stored.
CLOCK_SLACK = timedelta(minutes=1)
STATIC = ("css/arena.css", "js/live.js")


class Severity(StrEnum):
    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


class Finding(NamedTuple):
    """`about` names what was checked, `todo` says what to do, "" for nothing."""

    about: str
    state: Severity
    words: str
    todo: str = ""


class Asked(NamedTuple):
    """The ports that a server would be started with, by who needs them."""

    ports: dict[str, int]


Check = Callable[[Asked], Iterator[Finding]]


def examine(checks: Iterable[Check], asked: Asked) -> list[Finding]:
    """All findings, in the order in which to fix them. A check that fails itself is a finding too."""
    found: list[Finding] = []
    for check in checks:
        try:
            found += check(asked)
        except (OSError, Error, subprocess.SubprocessError) as why:
            found.append(Finding(check.__name__.replace("_", " "), Severity.WRONG, f"cannot be looked at: {why}"))
    return found


# -- the program -------------------------------------------------------------------------------------------------------


def python(asked: Asked) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        yield Finding("python", Severity.WRONG, f"{version}; 3.11 or newer is needed", "install it and run `make run`")
    try:
        refuse_old_versions()
    except RuntimeError as why:
        yield Finding("python", Severity.WRONG, str(why), "run `make run` again")
    else:
        yield Finding("python", Severity.OK, version)


def static_files(asked: Asked) -> Iterator[Finding]:
    missing = [name for name in STATIC if finders.find(name) is None]
    if missing:
        todo = f"put the folder static/ of this version back into {paths.FILES}"
        yield Finding("static files", Severity.WRONG, f"missing: {', '.join(missing)}", todo)
    else:
        yield Finding("static files", Severity.OK, "there")


def sandbox_level(asked: Asked) -> Iterator[Finding]:
    """A low level is wrong only if a bot needs more: most arenas run no commands."""
    try:
        level = sandbox.demand(settings.ARENA_SANDBOX_MIN)
    except sandbox.NotSandboxed as why:
        try:
            needed = Bot.objects.filter(command__isnull=False, enabled=True).count()
        except Error:
            needed = 0
        said, _, todo = str(why).partition(" To raise it: ")
        yield Finding("sandbox", Severity.WRONG if needed else Severity.WARNING, said, todo)
    else:
        yield Finding("sandbox", Severity.OK, f"level {level}; {settings.ARENA_SANDBOX_MIN} is required")


def players(asked: Asked) -> Iterator[Finding]:
    """The tools with which the built-in players prove moves. Without them they still play, only weaker."""
    missing = [Finding("players", Severity.WARNING, words, todo) for words, todo in provers.troubles()]
    yield from missing or [Finding("players", Severity.OK, "the kernel and the book can be used")]


# -- what is stored ----------------------------------------------------------------------------------------------------


def database(asked: Asked) -> Iterator[Finding]:
    if connection.vendor != "sqlite":
        yield from _opened("SELECT 1", "check DATABASE_URL, and that the database server runs")
        return
    file = Path(connection.settings_dict["NAME"])
    if not file.exists():
        yield Finding("database", Severity.WRONG, f"{file} is not there", f"run {paths.PROGRAM} migrate")
        return
    for found in _opened("BEGIN IMMEDIATE; ROLLBACK", "give the file and its folder to this user"):
        yield found
        if found.state == Severity.OK:
            yield from _file(file)


def _opened(statements: str, todo: str) -> Iterator[Finding]:
    try:
        with connection.cursor() as cursor:
            for statement in statements.split("; "):
                cursor.execute(statement)
    except Error as why:
        connection.close()
        cause = storage_trouble.cause_of(why)
        yield Finding("database", Severity.WRONG, f"cannot be written: {why}", cause.todo if cause else todo)
    else:
        yield Finding("database", Severity.OK, "can be opened and written")


def _file(file: Path) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        mode = cursor.fetchone()[0]
        cursor.execute("PRAGMA quick_check(1)")
        whole = cursor.fetchone()[0]
    if mode != "wal":
        todo = "move ARENA_DATA to a local disk: network disks cannot do WAL"
        yield Finding("database", Severity.WRONG, f"the journal is {mode}, expected wal", todo)
    if whole != "ok":
        yield Finding("database", Severity.WRONG, f"damaged: {whole}", storage_trouble.DAMAGED.todo)
    elif file.stat().st_mode & file.parent.stat().st_mode & 0o044:
        words = f"others can read {file}, in which the sessions of everybody are"
        yield Finding("database", Severity.WARNING, words, f"chmod 600 {file}")
    else:
        yield Finding("database", Severity.OK, f"whole, {size(file.stat().st_size)}")


def tables(asked: Asked) -> Iterator[Finding]:
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        return  # said already
    try:
        check_tables()
    except CommandError as why:
        words, _, todo = str(why).rpartition(": ")
        if storage_trouble.cause_of(why):
            words, todo = str(why), "repair the database first"
        yield Finding("tables", Severity.WRONG, words, todo)
    else:
        yield Finding("tables", Severity.OK, "of this version")
        yield from _clock()
        yield from _starts_of_bots()
        for words, todo in troubles({*asked.ports.values(), *settings.ARENA_SEAT_PORTS}):
            yield Finding("ports of bots", Severity.WARNING, words, todo)


def _clock() -> Iterator[Finding]:
    """Compare the clock with the newest line of the log: a machine without a network has no other clock."""
    newest = Event.objects.order_by("-pk").values_list("at", flat=True).first()
    now = timezone.now()
    if newest is not None and newest > now + CLOCK_SLACK:
        words = f"{now:%Y-%m-%d %H:%M:%S} UTC, before the newest event of the log ({newest:%Y-%m-%d %H:%M:%S})"
        yield Finding("clock", Severity.WRONG, words, "set the clock of this machine, preferably by NTP")
    else:
        yield Finding("clock", Severity.OK, f"{now:%Y-%m-%d %H:%M:%S} UTC")


def _starts_of_bots() -> Iterator[Finding]:
    """Their files are in no backup of the database. Of several servers only the host needs them."""
    started = Bot.objects.filter(command__isnull=False, enabled=True).select_related("player").order_by("player__name")
    lacking = [f"{bot.player.name} ({why})" for bot in started if (why := starting.look(bot))]
    if lacking:
        rest = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        words = f"cannot be started: {', '.join(lacking[:3])}{rest}"
        all_files = f"{programs.programs()} and {settings.ARENA_BOTS}"
        todo = f"put what is missing there; if this is to be the host after another, copy its {all_files}"
        yield Finding("bots of this server", Severity.WARNING, words, todo)
    else:
        yield Finding("bots of this server", Severity.OK, "start, as far as the server starts bots")


def disk(asked: Asked) -> Iterator[Finding]:
    free = shutil.disk_usage(settings.ARENA_DATA).free
    words, todo = f"{size(free)} free in {settings.ARENA_DATA}", "make room, or set ARENA_DATA to a larger disk"
    if free < LITTLE_BYTES:
        yield Finding("disk", Severity.WRONG if free < TOO_LITTLE_BYTES else Severity.WARNING, words, todo)
    else:
        yield Finding("disk", Severity.OK, words)


# -- the host and its ports --------------------------------------------------------------------------------------------


def host(asked: Asked) -> Iterator[Finding]:
    if connection.vendor != "sqlite":
        holder = RowLease("doctor").holder()
        yield Finding("host", Severity.OK, f"{holder} is the host" if holder else "no server is running")
        return
    holder = lock_holder()
    yield Finding("host", Severity.OK, f"process {holder} is serving" if holder else "no server is running")


def ports(asked: Asked) -> Iterator[Finding]:
    """Whether the ports are free, or in use by the server that runs here."""
    ours = listened_on(server(asked.ports.get("pages", 0)))
    free, serving = [], []
    for name, port in asked.ports.items():
        if port in ours:
            serving.append(port)
        elif is_free(port):
            free.append(port)
        else:
            way = f"--port {port + 1}" if name == "pages" else f"--door {name}={port + 1}"
            words = f"port {port} for {name} is taken by another program"
            yield Finding("ports", Severity.WRONG, words, f"end that program, or start with {way}")
    if free or serving:
        yield Finding("ports", Severity.OK, f"{len(free)} free, {len(serving)} of the running server")
    yield from _seat_ports(asked, ours)


def monitoring(asked: Asked) -> Iterator[Finding]:
    """Whether a running server answers monitoring on this machine, without the proxy."""
    port = asked.ports.get("pages", 0)
    if not port or is_free(port):
        yield Finding("monitoring", Severity.OK, "no server is running that could be asked")
        return
    for path, status, words in answers(port):
        if status == 200:
            yield Finding("monitoring", Severity.OK, f"{path} answers 200")
        else:
            todo = words if status == 503 else f"look at what listens on port {port}; --port names the one of the pages"
            yield Finding("monitoring", Severity.WRONG, f"{path} answers {status or words}", todo)


def _seat_ports(asked: Asked, ours: Container[int]) -> Iterator[Finding]:
    pool = settings.ARENA_SEAT_PORTS
    named = f"{pool[0]}-{pool[-1]}"
    both = sorted(set(asked.ports.values()) & set(pool))
    if both:
        words = f"ARENA_SEAT_PORTS={named} holds {', '.join(map(str, both))} as well"
        yield Finding("seat ports", Severity.WARNING, words, "choose ports for seats beside those of pages and doors")
    count = sum(port in ours or is_free(port) for port in pool)
    words = f"{count} of {len(pool)} can be used ({named})"
    if count:
        yield Finding("seat ports", Severity.OK, words)
    else:
        yield Finding("seat ports", Severity.WRONG, words, "set ARENA_SEAT_PORTS to ports that nobody uses")


# -- who may come in ---------------------------------------------------------------------------------------------------


def secret_key(asked: Asked) -> Iterator[Finding]:
    kept = settings.ARENA_DATA / "secret_key"
    if len(settings.SECRET_KEY) < SHORT_KEY:
        words = f"{len(settings.SECRET_KEY)} characters long, expected {SHORT_KEY} or more"
        yield Finding("secret key", Severity.WARNING, words, "unset SECRET_KEY: a long one is made in ARENA_DATA")
    elif kept.exists() and kept.stat().st_mode & 0o077:
        yield Finding("secret key", Severity.WRONG, f"others can read {kept}", f"chmod 600 {kept}")
    else:
        yield Finding("secret key", Severity.OK, "long enough, and only its owner can read it")


def addresses(asked: Asked) -> Iterator[Finding]:
    """ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS and TRUSTED_PROXY_HOPS against each other."""
    hosts, origins, hops = settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS, settings.TRUSTED_PROXY_HOPS
    public = [name for name in hosts if name not in LOCAL_HOSTS]
    https = [origin for origin in origins if origin.startswith("https://")]
    found = [
        ("*" in hosts, Severity.WRONG, "ALLOWED_HOSTS=* takes any name", "name the hosts of your pages"),
        (settings.DEBUG and public, Severity.WRONG, "DEBUG=1 shows tracebacks to everyone", "unset DEBUG"),
        (
            hops and not https,
            Severity.WRONG,
            "there is a proxy in front (TRUSTED_PROXY_HOPS), and CSRF_TRUSTED_ORIGINS names no https:// address",
            "set CSRF_TRUSTED_ORIGINS to the address that people open, such as https://arena.example.org",
        ),
        (
            https and not hops,
            Severity.WARNING,
            "CSRF_TRUSTED_ORIGINS names https, but TRUSTED_PROXY_HOPS=0: all visitors have the proxy's address",
            "set TRUSTED_PROXY_HOPS to the number of your proxies",
        ),
        *(
            (True, Severity.WRONG, f"CSRF_TRUSTED_ORIGINS={origin} is not in ALLOWED_HOSTS", "add its host there")
            for origin in origins
            if not validate_host((urlsplit(origin).hostname or "").removeprefix("*."), hosts)
        ),
    ]
    wrong = [Finding("addresses", state, words, todo) for holds, state, words, todo in found if holds]
    yield from wrong or [Finding("addresses", Severity.OK, f"pages under {', '.join(public or hosts)}")]


def open_files(asked: Asked) -> Iterator[Finding]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < FEW_FILES:
        todo = "raise the limit: LimitNOFILE=65536 in the unit, or `ulimit -Hn 65536`"
        yield Finding("open files", Severity.WARNING, f"{hard} at most, and each visitor is one", todo)
    else:
        yield Finding("open files", Severity.OK, "without a limit" if hard < 0 else f"{hard} at most")


def size(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def usual_ports(pages: int, doors: dict[str, int] | None) -> Asked:
    """The ports of `manage.py serve` with these options; None: it opens no port for bots."""
    if doors is None:
        return Asked({"pages": pages})
    return Asked({"pages": pages} | {slug: adapter.port for slug, adapter in protocols().items()} | doors)


CHECKS: tuple[Check, ...] = (
    python,
    static_files,
    disk,
    database,
    tables,
    host,
    ports,
    monitoring,
    secret_key,
    addresses,
    open_files,
    sandbox_level,
    players,
)
