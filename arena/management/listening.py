"""The process that serves a data folder, and the taken ports of this machine, as the system reports them."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from django.conf import settings

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
    held = set()
    try:
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                held.add(os.readlink(entry))
        lines = [line.split() for name in ("tcp", "tcp6") for line in _lines(Path(f"/proc/{process}/net/{name}"))]
    except OSError:
        return {}
    found: dict[int, list[Address]] = {}
    for words in lines:
        if words[3] == "0A" and f"socket:[{words[9]}]" in held:
            address, port = words[1].split(":")
            found.setdefault(int(port, 16), []).append(_address(address))
    return found


def _address(digits: str) -> Address:
    """An address in the kernel's notation: words of 32 bits, each in the byte order of this machine."""
    words = [int(digits[n : n + 8], 16).to_bytes(4, sys.byteorder) for n in range(0, len(digits), 8)]
    return ipaddress.ip_address(b"".join(words))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines()[1:] if path.exists() else []
