"""Whether a bot has read what its socket holds, which the kernel says of sockets of this machine (Linux)."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket

# sock_diag(7): netlink's protocol, the request, and the flag that it is one.
_SOCK_DIAG, _BY_FAMILY, _REQUEST = 4, 20, 1
_HEADER, _WANTED, _ANY = "=IHHII", "=BBBBI", 0xFFFFFFFF
# Where the answer has the bytes that were received and not read: behind its header, state, names and expiry.
_UNREAD_AT = struct.calcsize(_HEADER) + 4 + 48 + 4


def has_unread(connection: socket.socket | TransportSocket) -> bool:
    """Whether the other end of this connection is on this machine and has not read all that has come to it."""
    try:
        ours, theirs = connection.getsockname()[:2], connection.getpeername()[:2]
        family = connection.family
        names = struct.pack("!HH", theirs[1], ours[1])
        names += b"".join(socket.inet_pton(family, host).ljust(16, b"\0") for host, _ in (theirs, ours))
        wanted = struct.pack(_WANTED, family, socket.IPPROTO_TCP, 0, 0, _ANY) + names
        wanted += struct.pack("=III", 0, _ANY, _ANY)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.settimeout(0)  # it has answered when the request has been sent
            length = struct.calcsize(_HEADER) + len(wanted)
            kernel.send(struct.pack(_HEADER, length, _BY_FAMILY, _REQUEST, 1, 0) + wanted)
            answer = kernel.recv(4096)
    except (OSError, AttributeError, struct.error):  # it is over, or this is another system
        return False
    if struct.unpack_from(_HEADER, answer)[1] != _BY_FAMILY:
        return False  # the other end is elsewhere
    unread: int = struct.unpack_from("=I", answer, _UNREAD_AT)[0]
    return unread > 0
