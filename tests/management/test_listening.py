"""Who serves a data folder, and which ports are taken."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from arena.management import listening
from tests.kit.ports import free_port
from tests.management.test_monitored import listening as told


def test_the_lock_is_seen_and_not_taken(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    assert listening.lock_holder() == ""
    with open(tmp_path / "host.lock", "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(str(os.getpid()))
        lock.flush()
        assert listening.lock_holder() == str(os.getpid())
    assert listening.lock_holder() == ""


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::1"])
def test_a_port_is_taken_by_who_listens_there_on_which_address(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, free_port()), family=family) as door:
        port = door.getsockname()[1]
        assert listening.listened_on(str(os.getpid()))[port] == [ipaddress.ip_address(address)]
        assert listening.is_free(port) is (":" in address)
    assert port not in listening.listened_on(str(os.getpid())) and listening.is_free(port)
    assert listening.listened_on("nobody") == {}


def test_on_postgresql_another_program_where_pages_should_be_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "postgresql")
    with told(b"HTTP/1.0 200 OK\r\nServer: another\r\n\r\n") as port:
        assert listening.server(port) == ""
    with told(b"HTTP/1.0 503 No\r\nServer: arena\r\n\r\n") as port:
        assert listening.server(port) == str(os.getpid())
    assert listening.server(port) == listening.server(0) == "", "nobody is there any more"
