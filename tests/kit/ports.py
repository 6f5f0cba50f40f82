"""Ports that nobody else is given before the test has taken them, or between a stop and the next start of its server.

They lie below those that the kernel gives to connections and to whoever asks for any. Among processes of tests a name
that belongs to one process at a time says whose a row of ports is; it is free again when that process ends.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import suppress

_PORTS = range(20_000, 32_768)
# A process holds one file for each row: a port alone would cost it one each.
_ROW = 32
_NAME = "\0arena-tests-ports-{}"
_held: list[socket.socket] = []


def free_port() -> int:
    """A port on which nobody listens, and that no other call returns while this process lives."""
    for port in _own:
        with suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            return port
    raise AssertionError(f"none of the ports {_PORTS[0]} to {_PORTS[-1]} is free")


def _rows() -> Iterator[int]:
    """Ports of rows that are nobody else's, each once."""
    beginnings = _PORTS[::_ROW]
    for first in random.sample(beginnings, len(beginnings)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(_NAME.format(first))
        except OSError:
            name.close()
        else:
            _held.append(name)
            yield from range(first, min(first + _ROW, _PORTS[-1] + 1))


_own = _rows()
