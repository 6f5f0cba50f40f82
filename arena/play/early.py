"""Opens ports before anything slow is loaded, because a bot started together with `match` connects at once.

Other mistakes in the arguments are reported later by the real parser.
"""

from __future__ import annotations

import os
import sys
from _socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

from arena.common.numbers import whole_number

BACKLOG = 16
_PROTOCOLS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "protocols")

# By number: the ports that have not been taken over yet, and all that were announced.
_opened: dict[int, socket] = {}
announced: set[int] = set()


def open_ports(words: list[str]) -> None:
    """Listen for each `tcp:PROTOCOL:PORT` among the words, and say so. A port that is in use is reported later."""
    for word in words:
        kind, slug, said = (word.split(":", 3) + ["", ""])[:3]
        port = whole_number(said, 1, 65535)
        if kind == "tcp" and _is_protocol(slug) and port is not None:
            try:
                _opened[port] = _listening(port)
            except OSError:
                continue
            announced.add(port)
            print(f"waiting for {slug} on 127.0.0.1:{port}", file=sys.stderr, flush=True)


def files() -> tuple[int, ...]:
    """The file descriptors of ports that have not been taken over yet."""
    return tuple(opened.fileno() for opened in _opened.values())


def take(port: int) -> int | None:
    """The file descriptor of this port, which the caller then owns; None if it is not open."""
    opened = _opened.pop(port, None)
    return None if opened is None else opened.detach()


def _is_protocol(slug: str) -> bool:
    name = slug.replace("-", "_")
    return name.isidentifier() and os.path.isfile(os.path.join(_PROTOCOLS, name, "adapter.py"))


def _listening(port: int) -> socket:
    """Like `socket.create_server`, without importing `socket`, which takes as long as starting Python."""
    made = socket(AF_INET, SOCK_STREAM)
    try:
        made.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made
