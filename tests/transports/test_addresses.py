"""Both addresses that `localhost` may mean."""

from __future__ import annotations

import socket

from arena.transports import addresses
from tests.kit.ports import free_port

HERE = ("127.0.0.1", "::1")


def reached(port: int) -> list[str]:
    """The addresses of this machine at which somebody listens on this port."""
    found = []
    for host in HERE:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as bot:
            if bot.connect_ex((host, port)) == 0:
                found.append(host)
    return found


def test_both_are_listened_on_with_one_number() -> None:
    for wished in (free_port(), 0):
        opened = addresses.listen(wished, 1)
        port = opened[0].getsockname()[1]
        assert reached(port) == list(HERE) and wished in (port, 0)
        for each in opened:
            each.close()
        assert reached(port) == []


def test_another_program_may_keep_the_second() -> None:
    port = free_port()
    with socket.create_server(("::1", port), family=socket.AF_INET6):
        (opened,) = addresses.listen(port, 1)
        assert opened.getsockname()[:2] == ("127.0.0.1", port)
        opened.close()


def test_an_address_is_written_as_one_reads_it() -> None:
    assert [addresses.shown(host, 4242) for host in HERE] == ["127.0.0.1:4242", "[::1]:4242"]
