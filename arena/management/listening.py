"""The process that serves a data folder, and the taken ports of this machine, as the system reports them."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection

from arena.management.monitored import is_arena

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def lock_holder() -> str:
    """The process that serves the data folder, "" if there is none. The lock is tested, not kept."""
    path = settings.ARENA_DATA / "host.lock"
    if not path.exists():
        return ""
    with open(path, encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return lock.read().strip() or "unknown"
    return ""


def server(pages: int) -> str:
    """The process that serves from here, "" if none is seen: the one that has locked the data folder, or on PostgreSQL,
    where several servers may share that, the one whose pages are at this port.
    """
    if connection.vendor == "sqlite":
        return lock_holder()
    return _listener(pages) if pages and is_arena(pages) else ""


def _listener(port: int) -> str:
    """The first of those that listen there: it has started the others, with which it shares the port."""
    sockets = {name for name, _, at in _listening("self") if at == port}
    found = [each.name for each in Path("/proc").iterdir() if each.name.isdecimal() and sockets & _held(each.name)]
    return next((each for each in found if _parent(each) not in found), "")


def _parent(process: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
    return ""


def is_free(port: int) -> bool:
    """Whether a server could listen there now. Port 0 is any free one."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def listened_on(process: str) -> dict[int, list[Address]]:
    """The ports that this process listens on, each with its addresses, as far as the system tells us."""
    if not process.isdecimal():
        return {}
    held = _held(process)
    found: dict[int, list[Address]] = {}
    for name, address, port in _listening(process) if held else ():
        if name in held:
            found.setdefault(port, []).append(address)
    return found


def _held(process: str) -> set[str]:
    """The files that it has open, none if we may not see them."""
    held = set()
    with suppress(OSError):
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                held.add(os.readlink(entry))
    return held


def _listening(process: str) -> Iterator[tuple[str, Address, int]]:
    """Each socket of its network on which somebody listens: its name as an open file, address and port."""
    for name in ("tcp", "tcp6"):
        for words in map(str.split, _lines(Path(f"/proc/{process}/net/{name}"))):
            if words[3] == "0A":
                address, port = words[1].split(":")
                yield f"socket:[{words[9]}]", _address(address), int(port, 16)


def _address(digits: str) -> Address:
    """An address in the kernel's notation: words of 32 bits, each in the byte order of this machine."""
    words = [int(digits[n : n + 8], 16).to_bytes(4, sys.byteorder) for n in range(0, len(digits), 8)]
    return ipaddress.ip_address(b"".join(words))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines()[1:] if path.exists() else []
