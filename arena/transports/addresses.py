"""Addresses of connections, and both of this machine's own: `localhost` means 127.0.0.1 to one bot and ::1 to another.
Imports `_socket` alone, because `socket` takes as long as starting Python.
"""

from __future__ import annotations

from _socket import AF_INET, AF_INET6, IPPROTO_IPV6, IPV6_V6ONLY, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

LOCAL = "127.0.0.1"


def shown(host: str, port: int) -> str:
    """`192.0.2.1:5123`, `[2001:db8::1]:5123`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def peer_of(connection: socket) -> str:
    """Who is at the other end; "" if the connection has been reset."""
    try:
        host, port, *_ = connection.getpeername()
    except OSError:
        return ""
    return shown(host, port)


def listen(port: int, backlog: int, host: str = LOCAL) -> list[socket]:
    """Listen on this port of 127.0.0.1, or on any free one for 0, and beside it; or at the address `host` alone. Raises
    OSError if it is taken.
    """
    first = _listening(AF_INET6 if ":" in host else AF_INET, host, port, backlog)
    return [first, *(beside(first.getsockname()[1], backlog) if host == LOCAL else ())]


def beside(port: int, backlog: int) -> list[socket]:
    """Listen on this port of ::1, too, unless this machine has no IPv6 or another program listens there."""
    try:
        return [_listening(AF_INET6, "::1", port, backlog)]
    except OSError:
        return []


def _listening(family: int, host: str, port: int, backlog: int) -> socket:
    made = socket(family, SOCK_STREAM)
    try:
        made.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6:
            made.setsockopt(IPPROTO_IPV6, IPV6_V6ONLY, 1)
        made.bind((host, port))
        made.listen(backlog)
    except OSError:
        made.close()
        raise
    return made
