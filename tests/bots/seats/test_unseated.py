"""Connections at a door that have no seat."""

from __future__ import annotations

import pytest

from arena.bots.seats import unseated
from arena.bots.seats.doors import Door
from arena.host import Host, networks
from arena.protocols.droidcon.adapter import Droidcon
from tests.bots.conftest import Opens
from tests.kit.clients import Droidcon as Bot
from tests.kit.until import until


class Stranger:
    """A connection from elsewhere: the tests' own all come from loopback, which is exempt."""

    def __init__(self, peer: str = "198.51.100.7:5123") -> None:
        self.peer = peer
        self.is_closing = self.is_unread = False

    def write(self, data: bytes) -> None:
        """Nobody reads."""

    def close(self) -> None:
        self.is_closing = True

    abort = close

    def pause_reading(self) -> None:
        """Nothing is read."""

    resume_reading = pause_reading


@pytest.mark.parametrize(
    ("peer", "trusted", "let_in"),
    [
        ("198.51.100.7:{}", [], unseated.MOST_UNSEATED_OF_ONE),
        ("[2001:db8::{0:x}]:{0}", [], unseated.MOST_UNSEATED_OF_ONE),
        ("198.51.100.7:{}", ["198.51.100.0/24"], 30),
        ("127.0.0.1:{}", [], 30),
    ],
)
async def test_one_address_may_have_so_many_connections_without_a_seat(
    host: Host, peer: str, trusted: list[str], let_in: int
) -> None:
    door = Door(host.seat_ports, Droidcon, networks(trusted))
    strangers = [Stranger(peer.format(5000 + n)) for n in range(30)]
    connections = [door._connected(stranger) for stranger in strangers]
    assert sum(not stranger.is_closing for stranger in strangers) == let_in
    for connection in connections:
        connection.connection_lost("gone")
    again = Stranger(peer.format(6000))
    connection = door._connected(again)
    assert not again.is_closing
    connection.connection_lost("gone")
    assert not door._unseated.total


async def test_a_seat_makes_room_for_the_next_without_one(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as bot:
        await until(lambda: host.doors["droidcon"]._unseated.total == 1)
        await bot.enter("ada", "a")
        assert host.doors["droidcon"]._unseated.total == 0
    await until(lambda: not host.doors["droidcon"]._sessions)
    assert host.doors["droidcon"]._unseated.total == 0
