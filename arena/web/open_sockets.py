"""The open websockets of logged-in people, so that logging out ends them: a socket reads who it is once, at connect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

LOGGED_OUT = 4401
AGAIN = 1013


class Socket(Protocol):
    def end(self, code: int, reason: str) -> None:
        """Close, from the loop."""


_by_session: dict[str, set[Socket]] = defaultdict(set)
_by_account: dict[int, set[Socket]] = defaultdict(set)


@contextmanager
def opened(socket: Socket, *, session: str | None = None, account: int | None = None) -> Iterator[None]:
    """While the socket is open it can be found by its session and its account."""
    held: list[tuple[dict[Any, set[Socket]], Any]] = [(_by_session, session)] if session else []
    held += [(_by_account, account)] if account is not None else []
    for sockets, key in held:
        sockets[key].add(socket)
    try:
        yield
    finally:
        for sockets, key in held:
            sockets[key].discard(socket)
            if not sockets[key]:
                del sockets[key]


def logged_out(session: str | None) -> None:
    """End the sockets of a session; their pages say that they are logged out, and do not come back by themselves."""
    for socket in tuple(_by_session.get(session or "", ())):
        socket.end(LOGGED_OUT, "logged out")


def logged_in(session: str | None) -> None:
    """The session with this key has become an account: its pages connect again, and are known as that."""
    for socket in tuple(_by_session.get(session or "", ())):
        socket.end(AGAIN, "logged in")


def password_changed(account: int, session: str | None) -> None:
    """End the sockets of an account on all devices but the one with this session."""
    for socket in tuple(_by_account.get(account, set()) - _by_session.get(session or "", set())):
        socket.end(LOGGED_OUT, "the password was changed")
