"""Ports that nobody else is given before the test has taken them, or between a stop and the next start of its server.

They lie below those that the kernel gives to connections and to whoever asks for any. Among processes of tests a name
that belongs to one process at a time says whose a port is; it is free again when that process ends.
"""

from __future__ import annotations

import random
import socket
from contextlib import suppress

_PORTS = range(20_000, 32_768)
_NAME = "\0arena-tests-port-{}"
_held: list[int] = []


def free_port() -> int:
    """One on which nobody listens, and that no other call returns while this process lives."""
    for port in random.sample(_PORTS, len(_PORTS)):
        with suppress(OSError), socket.socket(socket.AF_UNIX) as name:
            name.bind(_NAME.format(port))
            socket.create_server(("127.0.0.1", port)).close()
            _held.append(name.detach())
            return port
    raise AssertionError(f"none of the ports {_PORTS[0]} to {_PORTS[-1]} is free")
