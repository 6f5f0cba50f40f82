from __future__ import annotations

from arena.web.sockets import sockets


class Kept:
    """A socket that keeps how it was ended."""

    def __init__(self) -> None:
        self.ends: list[int] = []

    def end(self, code: int, reason: str) -> None:
        self.ends.append(code)


def test_logging_out_ends_the_sockets_of_that_session_only() -> None:
    mine, other = Kept(), Kept()
    with sockets.opened(mine, session="a"), sockets.opened(other, session="b"):
        sockets.logged_out("a")
        sockets.logged_in("b")
    assert (mine.ends, other.ends) == ([sockets.LOGGED_OUT], [sockets.AGAIN])


def test_a_new_password_ends_those_of_the_account_on_other_devices() -> None:
    here, there, other = Kept(), Kept(), Kept()
    with (
        sockets.opened(here, session="a", account=1),
        sockets.opened(there, session="b", account=1),
        sockets.opened(other, session="c", account=2),
    ):
        sockets.password_changed(1, "a")
    assert (here.ends, there.ends, other.ends) == ([], [sockets.LOGGED_OUT], [])


def test_a_closed_socket_is_forgotten() -> None:
    socket = Kept()
    with sockets.opened(socket, session="a", account=1):
        pass
    sockets.logged_out("a")
    sockets.password_changed(1, None)
    assert socket.ends == []


def test_who_has_no_session_has_nothing_to_end() -> None:
    socket = Kept()
    with sockets.opened(socket):
        sockets.logged_out(None)
        sockets.logged_out("")
    assert socket.ends == []
