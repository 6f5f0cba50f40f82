"""What the doctor finds, each fault made for real."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from arena.bots.process import programs, sandbox
from arena.host import Host
from arena.management import findings
from arena.management.findings import Asked, Check, Finding, Severity
from arena.match.state import SeatSetup, Setup
from arena.models import Bot, Player
from tests.kit.ports import free_port

NO_PORTS = Asked({})


def wrong(check: Check, asked: Asked = NO_PORTS) -> list[Finding]:
    return [found for found in check(asked) if found.state != Severity.OK]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """pytest's own folders can be entered by their owner only."""
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def database_file(file: Path) -> Iterator[None]:
    """The connection leads to this file, for a while."""
    kept = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(file)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = kept


@pytest.mark.django_db(transaction=True)
def test_where_nothing_is_wrong_every_check_has_something_to_say() -> None:
    for check in (
        *(findings.python, findings.static_files, findings.database, findings.tables),
        *(findings.open_files, findings.players),
    ):
        said = list(check(NO_PORTS))
        assert said and all(found.state == Severity.OK and not found.todo for found in said), said


def test_what_the_built_in_players_miss_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    (missing,) = findings.players(NO_PORTS)
    assert (missing.state, missing.todo) == (Severity.WARNING, "run `make run` again, or install wasmtime")
    assert missing.words.startswith("wasmtime cannot be imported")


@pytest.mark.django_db(transaction=True)
def test_bots_that_cannot_be_started_are_named(settings: SimpleNamespace, open_folder: Path) -> None:
    settings.ARENA_DATA, settings.ARENA_BOTS = open_folder, open_folder / "bots"
    (open_folder / "files").mkdir()
    (open_folder / "files" / "left.py").write_text("input()")
    for name in ("packed", "unpacked", "off"):
        player = Player.objects.create(kind="bot", name=name, slug=name)
        said = {"variant": "connect-four-7x6", "protocol": "fiar", "family": name, "command": ["python3", "left.py"]}
        bot = Bot.objects.create(player=player, enabled=name != "off", **said)
        if name == "packed":
            sha256 = programs.add(bot, open_folder / "files", "ops")
    settings.ARENA_SANDBOX_MIN = 0
    shutil.copytree(open_folder / "files", open_folder / "bots" / "unpacked")
    assert wrong(findings.tables) == []
    (open_folder / "bots" / "unpacked" / "left.py").write_text("import nothing_of_that_name")
    (found,) = wrong(findings.tables)
    assert found.words.startswith("cannot be started: unpacked (it stopped with exit code 1 before it waited for input")
    shutil.rmtree(open_folder / "bots" / "unpacked")
    (found,) = wrong(findings.tables)
    missing = f"unpacked (no such folder to start a bot in: {open_folder / 'bots' / 'unpacked'})"
    assert found.words == f"cannot be started: {missing}"
    programs.packed_of("packed", sha256).unlink()
    (found,) = wrong(findings.tables)
    packed = programs.packed_of("packed", sha256)
    assert found.words == f"cannot be started: packed (no such file: {packed}), {missing}"
    assert found.todo.startswith("put what is missing there")
    assert str(open_folder / "programs") in found.todo and str(open_folder / "bots") in found.todo


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_damaged_or_no_database(tmp_path: Path) -> None:
    file = tmp_path / "arena.sqlite3"
    file.write_bytes(b"not a database " * 500)
    with database_file(file):
        (found,) = wrong(findings.database)
        assert "restore the newest backup" in found.todo and "not a database" in found.words


@pytest.mark.django_db(transaction=True)
def test_a_database_that_others_can_read(tmp_path: Path) -> None:
    file = tmp_path / "arena.sqlite3"
    sqlite3.connect(file).close()
    for mode, of_folder, states in (
        (0o644, 0o755, [Severity.WARNING]),
        (0o600, 0o755, []),
        (0o644, 0o700, []),
    ):
        tmp_path.chmod(of_folder)
        with database_file(file):
            file.chmod(mode)
            assert [found.state for found in wrong(findings.database)] == states


@pytest.mark.django_db(transaction=True)
def test_pages_of_the_database_that_are_overwritten_are_found(tmp_path: Path) -> None:
    file = tmp_path / "arena.sqlite3"
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE t (words TEXT)")
        made.executemany("INSERT INTO t VALUES (?)", [("word " * 100,)] * 500)
    made.close()
    data = bytearray(file.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    file.write_bytes(data)
    with database_file(file):
        assert any("damaged" in found.words for found in wrong(findings.database))


@pytest.mark.django_db(transaction=True)
def test_tables_that_are_missing(tmp_path: Path) -> None:
    file = tmp_path / "arena.sqlite3"
    sqlite3.connect(file).close()
    file.touch()
    with database_file(file):
        (found,) = wrong(findings.tables)
        assert found.todo == "run manage.py migrate"


@pytest.mark.django_db(transaction=True)
def test_tables_of_a_newer_release() -> None:
    MigrationRecorder.Migration.objects.create(app="arena", name="9999_later")
    (found,) = wrong(findings.tables)
    assert found.words == "The database has the tables of a newer release (step 9999_later)"
    assert found.todo == "install the newer release again, or restore the backup from before its upgrade"
    MigrationRecorder.Migration.objects.filter(name="9999_later").delete()


async def test_a_clock_before_the_log(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    await host.referee.open(Setup("expanding-nim", (SeatSetup("Ada"), SeatSetup("Bob"))))
    before = timezone.now() - timedelta(hours=1)
    monkeypatch.setattr("arena.management.findings.timezone.now", lambda: before)
    (found,) = await sync_to_async(wrong)(findings.tables)
    assert found.about == "clock" and "before the newest event" in found.words


def test_a_port_of_another_program_is_wrong_and_one_of_the_server_is_not(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (found,) = wrong(findings.ports, Asked({"pages": port, "droidcon": free_port()}))
        assert f"port {port} for pages is taken" in found.words and "--port" in found.todo
        with open(tmp_path / "host.lock", "a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(str(os.getpid()))
            lock.flush()
            assert wrong(findings.ports, Asked({"pages": port})) == []


def test_seat_ports_that_are_all_taken_or_those_of_doors(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings.ARENA_SEAT_PORTS = range(port, port + 1)
        said = wrong(findings.ports, Asked({"droidcon": port}))
    assert [found.state for found in said] == [Severity.WRONG, Severity.WARNING, Severity.WRONG]


@pytest.mark.django_db(transaction=True)
def test_ports_of_bots_that_are_those_of_seats(settings: Any) -> None:
    settings.ARENA_SEAT_PORTS = settings.ARENA_BOT_PORTS = range(4300, 4400)
    (found,) = wrong(findings.tables)
    assert (found.about, found.state) == ("ports of bots", Severity.WARNING)
    assert "ARENA_BOT_PORTS=4300-4399" in found.words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ALLOWED_HOSTS": ["*"]}, "takes any name"),
        ({"ALLOWED_HOSTS": ["a.org"], "DEBUG": True}, "tracebacks"),
        ({"ALLOWED_HOSTS": ["a.org"], "TRUSTED_PROXY_HOPS": 1}, "names no https"),
        ({"ALLOWED_HOSTS": ["a.org"], "CSRF_TRUSTED_ORIGINS": ["https://a.org"]}, "TRUSTED_PROXY_HOPS=0"),
        (
            {"ALLOWED_HOSTS": ["b.org"], "CSRF_TRUSTED_ORIGINS": ["https://a.org"], "TRUSTED_PROXY_HOPS": 1},
            "not in ALLOWED_HOSTS",
        ),
    ],
)
def test_addresses_that_contradict_each_other(given: dict[str, object], words: str, settings: Any) -> None:
    for name, value in given.items():
        setattr(settings, name, value)
    (found,) = wrong(findings.addresses)
    assert words in found.words and found.todo


def test_addresses_as_the_handbook_sets_them(settings: Any) -> None:
    settings.ALLOWED_HOSTS = [".a.org"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://games.a.org"]
    settings.TRUSTED_PROXY_HOPS = 1
    assert wrong(findings.addresses) == []


def test_a_secret_key_that_is_short_or_read_by_others(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    settings.SECRET_KEY = "short"
    assert [found.state for found in wrong(findings.secret_key)] == [Severity.WARNING]
    settings.SECRET_KEY = "k" * 67
    assert wrong(findings.secret_key) == []
    (tmp_path / "secret_key").touch(0o644)
    (tmp_path / "secret_key").chmod(0o644)
    assert [found.state for found in wrong(findings.secret_key)] == [Severity.WRONG]


def test_a_full_disk_and_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    free = shutil.disk_usage(".").free
    monkeypatch.setattr(findings, "LITTLE_BYTES", free * 4)
    assert [found.state for found in wrong(findings.disk)] == [Severity.WARNING]
    monkeypatch.setattr(findings, "TOO_LITTLE_BYTES", free * 4)
    assert [found.state for found in wrong(findings.disk)] == [Severity.WRONG]
    monkeypatch.setattr(findings, "FEW_FILES", resource.getrlimit(resource.RLIMIT_NOFILE)[1] + 1)
    assert [found.about for found in wrong(findings.open_files)] == ["open files"]


def test_a_static_file_that_is_missing_and_an_old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "STATIC", ("css/none.css",))
    monkeypatch.setattr(findings, "OLDEST_PYTHON", (4, 0))
    assert "css/none.css" in wrong(findings.static_files)[0].words
    assert "3.11 or newer" in wrong(findings.python)[0].words


@pytest.mark.django_db
def test_a_low_sandbox_is_wrong_only_where_a_bot_needs_it(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ARENA_SANDBOX_MIN = 2
    monkeypatch.setattr(sandbox, "best_level", lambda: sandbox.SandboxLevel.L0)
    assert [found.state for found in wrong(findings.sandbox_level)] == [Severity.WARNING]
    player = Player.objects.create(kind="bot", name="b", slug="b")
    Bot.objects.create(player=player, variant="expanding-nim", protocol="nyu-nim", family="b", command=["true"])
    (found,) = wrong(findings.sandbox_level)
    assert found.state == Severity.WRONG and "bubblewrap" in found.todo


def test_a_check_that_breaks_is_a_finding() -> None:
    def disk_of_nobody(asked: Asked) -> Iterator[Finding]:
        raise OSError("gone")
        yield

    assert findings.examine((disk_of_nobody,), NO_PORTS) == [
        Finding("disk of nobody", Severity.WRONG, "cannot be looked at: gone")
    ]


def test_the_usual_ports_are_those_of_serve() -> None:
    asked = findings.usual_ports(8000, {"droidcon": 5})
    assert asked.ports["pages"] == 8000 and asked.ports["droidcon"] == 5 and len(asked.ports) > 2
