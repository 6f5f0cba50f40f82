from __future__ import annotations

import math
import time
from collections import deque

import pytest

from arena.web import open_sockets


class Kept:
    """A socket that keeps how it was ended."""

    def __init__(self) -> None:
        self.ends: list[int] = []

    def end(self, code: int, reason: str) -> None:
        self.ends.append(code)


def test_logging_out_ends_the_sockets_of_that_session_only() -> None:
    mine, other = Kept(), Kept()
    with open_sockets.Opened(mine, session="a"), open_sockets.Opened(other, session="b"):
        open_sockets.logged_out("a")
        open_sockets.logged_in("b")
    assert (mine.ends, other.ends) == ([open_sockets.LOGGED_OUT], [open_sockets.AGAIN])


def test_a_new_password_ends_those_of_the_account_on_other_devices() -> None:
    here, there, other = Kept(), Kept(), Kept()
    with (
        open_sockets.Opened(here, session="a", account=1),
        open_sockets.Opened(there, session="b", account=1),
        open_sockets.Opened(other, session="c", account=2),
    ):
        open_sockets.password_changed(1, "a")
    assert (here.ends, there.ends, other.ends) == ([], [open_sockets.LOGGED_OUT], [])


def test_a_guest_who_signs_up_ends_those_of_their_other_browsers() -> None:
    here, there, other = Kept(), Kept(), Kept()
    with (
        open_sockets.Opened(here, session="a", guest=1),
        open_sockets.Opened(there, session="b", guest=1),
        open_sockets.Opened(other, session="c", account=1),
    ):
        open_sockets.signed_up(1, "a")
    assert (here.ends, there.ends, other.ends) == ([], [open_sockets.LOGGED_OUT], [])


def test_a_closed_socket_is_forgotten() -> None:
    socket = Kept()
    with open_sockets.Opened(socket, session="a", account=1, guest=1):
        pass
    open_sockets.logged_out("a")
    open_sockets.password_changed(1, None)
    open_sockets.signed_up(1, None)
    assert socket.ends == []


def test_who_has_no_session_has_nothing_to_end() -> None:
    socket = Kept()
    with open_sockets.Opened(socket):
        open_sockets.logged_out(None)
        open_sockets.logged_out("")
    assert socket.ends == []


def test_a_session_that_has_logged_in_is_not_logged_out_while_its_new_cookie_is_on_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_sockets.logged_out("out")
    open_sockets.logged_in("in")
    assert open_sockets.is_renewed("in")
    assert not any(open_sockets.is_renewed(session) for session in ("out", "", None))
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + open_sockets.COOKIE_S + 1)
    assert not open_sockets.is_renewed("in"), "it has been lost"
    open_sockets.logged_in("later")
    assert "in" not in open_sockets._renewed


def test_a_socket_that_was_being_opened_meanwhile_ends_as_well() -> None:
    """It had found its visitor by a session that was over a moment later."""
    here, there, before, later = Kept(), Kept(), Kept(), Kept()
    begun = time.monotonic()
    with open_sockets.Opened(here, session="a"), open_sockets.Opened(there, session="b"):
        open_sockets.password_changed(1, "a")
        open_sockets.signed_up(2, "a")
        after = math.nextafter(time.monotonic(), math.inf)
        with (
            open_sockets.Opened(here, account=1, guest=2, since=begun),
            open_sockets.Opened(there, account=1, since=begun),
            open_sockets.Opened(before, guest=2, since=begun),
            open_sockets.Opened(later, account=1, since=after),
        ):
            pass
    out = [open_sockets.LOGGED_OUT]
    assert (here.ends, there.ends, before.ends, later.ends) == ([], out, out, [])


def test_what_ended_sockets_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_sockets, "_lately", deque())
    monkeypatch.setattr(open_sockets, "OPENING_S", -1.0)
    for _ in range(10):
        open_sockets.password_changed(1, None)
    assert len(open_sockets._lately) == 1
