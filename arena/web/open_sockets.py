"""The open websockets of people, so that logging out ends them: a socket looks up its visitor only once, at connect."""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

LOGGED_OUT = 4401
AGAIN = 1013
# A browser may wait this long for the answer to its login, in which its new cookie is.
COOKIE_S = 60.0
# A socket is opened within this time; a front may have to wait for its host.
OPENING_S = 60.0


class Socket(Protocol):
    def end(self, code: int, reason: str) -> None:
        """Close, from the loop."""


class SocketsEnd(NamedTuple):
    """Which sockets end, and why: those of a session, or those of an account or a guest except for one session."""

    code: int
    reason: str
    session: str = ""
    account: int | None = None
    guest: int | None = None
    but: str = ""


# Called for every ending, so that fronts end theirs as well.
on_end: list[Callable[[SocketsEnd], None]] = []

_by_session: dict[str, set[Socket]] = defaultdict(set)
_by_account: dict[int, set[Socket]] = defaultdict(set)
_by_guest: dict[int, set[Socket]] = defaultdict(set)
# Sessions that have a new key, which is on its way to their browsers until then.
_renewed: dict[str, float] = {}
# What has ended sockets lately, and when: one that was being opened may have found its visitor before that.
_lately: deque[tuple[float, SocketsEnd]] = deque()


class Opened:
    """Registers a socket while it is open, by its session and by its account or guest. What has ended these `since`
    (monotonic) ends it as well. A class: a generator takes four times the memory.
    """

    __slots__ = ("_account", "_guest", "_session", "_since", "_socket")

    def __init__(
        self,
        socket: Socket,
        *,
        session: str | None = None,
        account: int | None = None,
        guest: int | None = None,
        since: float = math.inf,
    ) -> None:
        self._socket, self._session, self._account, self._guest = socket, session or None, account, guest
        self._since = since

    def __enter__(self) -> None:
        for sockets, key in self._places():
            sockets[key].add(self._socket)
        for at, ending in tuple(_lately):
            if at >= self._since and self._socket in _meant(ending):
                self._socket.end(ending.code, ending.reason)

    def __exit__(self, *_: object) -> None:
        for sockets, key in self._places():
            sockets[key].discard(self._socket)
            if not sockets[key]:
                del sockets[key]

    def _places(self) -> Iterator[tuple[dict[Any, set[Socket]], Any]]:
        places = (_by_session, self._session), (_by_account, self._account), (_by_guest, self._guest)
        return ((sockets, key) for sockets, key in places if key is not None)


def end(ending: SocketsEnd) -> None:
    """End those sockets, here and on the fronts of this process."""
    now = time.monotonic()
    while _lately and _lately[0][0] < now - OPENING_S:
        _lately.popleft()
    _lately.append((now, ending))
    if ending.code == AGAIN and ending.session:
        for session in [session for session, until in _renewed.items() if until < now]:
            del _renewed[session]
        _renewed[ending.session] = now + COOKIE_S
    for socket in tuple(_meant(ending)):
        socket.end(ending.code, ending.reason)
    for tell in tuple(on_end):
        tell(ending)


def _meant(ending: SocketsEnd) -> set[Socket]:
    if ending.guest is not None:
        return _by_guest.get(ending.guest, set()) - _by_session.get(ending.but, set())
    if ending.account is not None:
        return _by_account.get(ending.account, set()) - _by_session.get(ending.but, set())
    return _by_session.get(ending.session, set()) if ending.session else set()


def logged_out(session: str | None) -> None:
    """End the sockets of a session; their pages say that they are logged out, and do not reconnect."""
    end(SocketsEnd(LOGGED_OUT, "logged out", session or ""))


def logged_in(session: str | None) -> None:
    """The session with this key has logged in: its pages connect again, as that account."""
    end(SocketsEnd(AGAIN, "logged in", session or ""))


def password_changed(account: int, session: str | None) -> None:
    """End the sockets of an account on all devices but the one with this session."""
    end(SocketsEnd(LOGGED_OUT, "the password was changed", account=account, but=session or ""))


def signed_up(guest: int, session: str | None) -> None:
    """The guest is an account now: end the sockets of the other browsers that were this guest, which must log in."""
    end(SocketsEnd(LOGGED_OUT, "the guest has signed up", guest=guest, but=session or ""))


def is_renewed(session: str | None) -> bool:
    """Whether a browser that shows this key will show another one soon: it is not logged out."""
    return _renewed.get(session or "", 0.0) > time.monotonic()
