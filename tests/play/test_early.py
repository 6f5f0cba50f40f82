"""Ports are open before anything slow is loaded, and are then those of the match."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

import pytest

from arena.play import early
from tests.kit.ports import free_port


def test_a_port_is_open_at_once_and_taken_over_once(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    early.open_ports(["connect-four-7x6", f"tcp:droidcon:{port}:python3 bot.py", "builtin:random"])
    assert capsys.readouterr().err == f"waiting for droidcon on 127.0.0.1:{port}\n"
    with socket.create_connection(("127.0.0.1", port)):
        taken = [socket.socket(fileno=each) for each in early.take(port)]
        assert not early.take(port)
        connection, _ = taken[0].accept()
        for each in (connection, *taken):
            each.close()
    early.announced.discard(port)


def open_files() -> set[str]:
    """What this process has open, sockets and pipes by their inodes."""
    found = set()
    for file in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the one that this list was read from
            found.add(os.readlink(f"/proc/self/fd/{file}"))
    return found


def test_what_cannot_be_a_port_or_is_taken_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    unknown = free_port()  # before we look: it may have to reserve more ports, and keeps that open
    before = open_files()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        early.open_ports([f"tcp:droidcon:{port}", f"tcp:chess:{unknown}", "tcp:droidcon:99999", "tcp:", "tcp:a/b:1"])
        assert not early.take(port)
    assert capsys.readouterr().err == "" and open_files() <= before, "what earlier tests left may be closed meanwhile"
