"""Opens ports before anything slow is loaded, because a bot started together with `match` connects at once.

Other mistakes in the arguments are reported later by the real parser.
"""

from __future__ import annotations

import os
import sys
from _socket import socket

from arena.common.numbers import whole_number
from arena.transports import addresses

BACKLOG = 16
_PROTOCOLS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "protocols")

# By number: the ports that have not been taken over yet, and all that were announced.
_opened: dict[int, list[socket]] = {}
announced: set[int] = set()


def open_ports(words: list[str]) -> None:
    """Listen for each `tcp:PROTOCOL:PORT` among the words, and say so. A port that is in use is reported later."""
    for word in words:
        kind, slug, said = (word.split(":", 3) + ["", ""])[:3]
        port = whole_number(said, 1, 65535)
        if kind == "tcp" and _is_protocol(slug) and port is not None:
            try:
                _opened[port] = addresses.listen(port, BACKLOG)
            except OSError:
                continue
            announced.add(port)
            print(f"waiting for {slug} on 127.0.0.1:{port}", file=sys.stderr, flush=True)


def files() -> tuple[int, ...]:
    """The file descriptors of ports that have not been taken over yet."""
    return tuple(opened.fileno() for port in _opened.values() for opened in port)


def take(port: int) -> tuple[int, ...]:
    """The file descriptors of this port, which the caller then owns; none if it is not open."""
    return tuple(opened.detach() for opened in _opened.pop(port, ()))


def _is_protocol(slug: str) -> bool:
    name = slug.replace("-", "_")
    return name.isidentifier() and os.path.isfile(os.path.join(_PROTOCOLS, name, "adapter.py"))
