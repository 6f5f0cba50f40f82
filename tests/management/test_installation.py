"""What the doctor finds around a server: Redis, systemd, logrotate and who listens, each as it is on a machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from arena.management import installation
from arena.management.findings import Asked, Check, Finding, Severity
from tests.kit.ports import free_port
from tests.kit.processes import Redis

# A server as far as the doctor looks: it holds the lock of its data folder and listens.
SERVER = """
import fcntl, os, socket, sys
folder, address, port = sys.argv[1:]
lock = open(f"{folder}/host.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print(os.getpid(), file=lock, flush=True)
door = socket.create_server((address, int(port)))
print("Ready", flush=True)
sys.stdin.read()
"""
SYSTEMCTL = """#!/bin/sh
cat <<'END'
{}
END
"""


@contextmanager
def serving(folder: Path, port: int, address: str = "127.0.0.1", log: Any = subprocess.DEVNULL) -> Iterator[None]:
    pipe, command = subprocess.PIPE, [sys.executable, "-c", SERVER, str(folder), address, str(port)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == b"Ready\n"
        yield
        process.stdin.close()


def only(check: Check, **doors: int) -> Finding:
    (found,) = check(Asked({slug.replace("_", "-"): port for slug, port in doors.items()}))
    return found


def test_redis_is_asked_where_servers_meet_by_it(settings: Any, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    assert only(installation.bus).state == Severity.OK
    settings.REDIS_URL = f"redis://:a-secret@127.0.0.1:{redis.port}/0"
    beside_sqlite = only(installation.bus)
    assert beside_sqlite.state == Severity.WARNING and "unset REDIS_URL" in beside_sqlite.todo
    monkeypatch.setattr(connection, "vendor", "postgresql")
    refused = only(installation.bus)  # it has no password
    assert refused.state == Severity.WRONG and "a-secret" not in refused.words
    settings.REDIS_URL = redis.url
    assert only(installation.bus) == Finding("bus", Severity.OK, f"Redis answers at 127.0.0.1:{redis.port}")
    redis.stop()
    gone = only(installation.bus)
    assert gone.state == Severity.WRONG and f"127.0.0.1:{redis.port} does not answer" in gone.words and gone.todo


@pytest.mark.parametrize(
    ("said", "state", "words"),
    [
        ("LoadState=not-found", "warning", "arena.service is not installed (not-found)"),
        (
            "LoadState=loaded\nUnitFileState=disabled\nRestart=always\nKillMode=mixed\nDelegate=yes",
            "warning",
            "does not start with the m",
        ),
        ("LoadState=loaded\nUnitFileState=enabled\nRestart=no\nKillMode=mixed\nDelegate=yes", "warning", "Restart=no"),
        (
            "LoadState=loaded\nUnitFileState=enabled\nRestart=always\nKillMode=mixed\nDelegate=no",
            "warning",
            "no control groups",
        ),
        (
            "LoadState=loaded\nUnitFileState=enabled\nRestart=always\nKillMode=control-group\nDelegate=yes",
            "warning",
            "stops bots with the server, which costs them their matches (KillMode=control-group)",
        ),
        (
            "LoadState=loaded\nUnitFileState=enabled\nRestart=always\nKillMode=mixed\nDelegate=yes",
            "ok",
            "starts with the machine",
        ),
    ],
)
def test_systemd_is_asked_for_the_unit(
    said: str, state: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemctl"
    program.write_text(SYSTEMCTL.format(said))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(installation, "BOOTED", tmp_path)
    found = only(installation.unit)
    assert found.state == state and words in found.words and bool(found.todo) == (state != "ok")


def test_a_machine_without_systemd_has_nothing_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installation, "BOOTED", tmp_path / "none")
    assert only(installation.unit).state == Severity.OK


def test_a_log_that_nobody_keeps_or_rotates_is_said(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ARENA_DATA = tmp_path
    assert "no server" in only(installation.log).words
    with serving(tmp_path, free_port()):
        assert only(installation.log).state == Severity.WARNING
    with serving(tmp_path, free_port(), log=subprocess.PIPE):
        assert only(installation.log).state == Severity.OK
    kept = tmp_path / "arena.log"
    monkeypatch.setattr(installation, "ROTATED", tmp_path / "rules")
    with kept.open("w") as file, serving(tmp_path, free_port(), log=file):
        endless = only(installation.log)
        assert endless.state == Severity.WARNING and f"{kept}, 0 bytes, grows without end" in endless.words
        installation.ROTATED.mkdir()
        (installation.ROTATED / "arena").write_text(f"{tmp_path}/*.log {{\n  weekly\n  copytruncate\n}}\n")
        assert only(installation.log) == Finding("log", Severity.OK, f"{kept}, 0 bytes, is rotated")


def test_it_says_who_can_reach_the_doors(settings: Any, tmp_path: Path) -> None:
    settings.ARENA_DATA = tmp_path
    settings.ARENA_SEAT_PORTS, settings.ARENA_BOT_PORTS = range(4300, 4400), range(4400, 4500)
    port = free_port()
    assert "no server" in only(installation.reach, fiar=port).words
    with serving(tmp_path, port):
        assert "only bots of this machine" in only(installation.reach, fiar=port).words
    with serving(tmp_path, port, "0.0.0.0"):
        words = only(installation.reach, fiar=port).words
        assert f"TCP {port}, 4300-4399, 4400-4499" in words and f"nc -vz HOST {port}" in words
