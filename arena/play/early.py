"""Ports that are open before anything slow is loaded: a bot that is started beside `match` looks for its port at once.

What is wrong with the words otherwise is said later, by the parser that reads them with care.
"""

from __future__ import annotations

import os
import sys
from _socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

BACKLOG = 16
_PROTOCOLS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "protocols")

# By their numbers: the ports that nobody has taken over yet, and all that were announced.
_opened: dict[int, socket] = {}
announced: set[int] = set()


def open_ports(words: list[str]) -> None:
    """Listen for each `tcp:PROTOCOL:PORT` among them, and say so. A port that is taken is left to who needs it."""
    for word in words:
        kind, slug, port = (word.split(":", 3) + ["", ""])[:3]
        if kind == "tcp" and _is_protocol(slug) and port.isascii() and port.isdecimal() and 0 < int(port) < 65536:
            try:
                _opened[int(port)] = _listening(int(port))
            except OSError:
                continue
            announced.add(int(port))
            print(f"waiting for {slug} on 127.0.0.1:{port}", file=sys.stderr, flush=True)


def files() -> tuple[int, ...]:
    """Of the ports that nobody has taken over yet."""
    return tuple(opened.fileno() for opened in _opened.values())


def take(port: int) -> int | None:
    """The file of this port, which is then the caller's; None where it is not open."""
    opened = _opened.pop(port, None)
    return None if opened is None else opened.detach()


def _is_protocol(slug: str) -> bool:
    name = slug.replace("-", "_")
    return name.isidentifier() and os.path.isfile(os.path.join(_PROTOCOLS, name, "adapter.py"))


def _listening(port: int) -> socket:
    """As `socket.create_server` makes it, whose import takes as long as starting Python."""
    made = socket(AF_INET, SOCK_STREAM)
    try:
        made.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made
