"""What the other end of a connection has not read yet."""

from __future__ import annotations

import socket

import pytest

from arena.transports.unread import has_unread
from tests.kit.until import blocked_until


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_what_lies_unread_in_a_socket_of_this_machine_is_seen(family: socket.AddressFamily, host: str) -> None:
    with socket.create_server((host, 0), family=family) as listening, socket.socket(family) as bot:
        bot.connect(listening.getsockname())
        ours = listening.accept()[0]
        with ours:
            assert not has_unread(ours)
            ours.sendall(b'"anna"')
            blocked_until(lambda: has_unread(ours))
            assert bot.recv(100) == b'"anna"'
            assert not has_unread(ours)
        assert not has_unread(ours), "it is over"
