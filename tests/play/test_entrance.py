"""Matches whose two bots come to one port."""

from __future__ import annotations

import asyncio
import sys
from itertools import repeat

import pytest

from arena.play.spec import SocketSeat
from tests.kit.ports import free_port
from tests.play.test_port import SAMPLE, Table, connection, names, series


@pytest.fixture
def table() -> Table:
    return Table()


def dials(name: str, port: int) -> SocketSeat:
    """The sample bot under this name, which we start."""
    return SocketSeat("droidcon", port, (sys.executable, SAMPLE, name, "x", "127.0.0.1", str(port)))


async def test_who_comes_first_to_the_port_of_both_has_the_first_seat(table: Table) -> None:
    seat = SocketSeat("droidcon", free_port())
    playing = asyncio.ensure_future(table.play(seat, seat, rounds=4))
    async with connection(seat.port) as first:
        await first.enter("ada", "x")
        bob = asyncio.ensure_future(series(seat.port, "bob", 1))
        assert (await first.play(repeat(0).__next__)).count("NEW_GAME") == 4
        assert (await bob).count("NEW_GAME") == 4
    logs = await playing
    assert [names(log) for log in logs] == [["ada", "bob"], ["bob", "ada"]] * 2
    assert [log.state.winner for log in logs] == [0, 0, 0, 0]


@pytest.mark.long
async def test_clients_at_one_port_keep_their_seats_when_they_are_started_again(table: Table) -> None:
    port = free_port()
    logs = await table.play(dials("ada", port), dials("bob", port), rounds=10)
    assert [names(log) for log in logs] == [["ada", "bob"], ["bob", "ada"]] * 5


@pytest.mark.parametrize("side", [0, 1])
async def test_a_client_comes_to_the_port_of_both_when_the_other_is_there(table: Table, side: int) -> None:
    port = free_port()
    seats = [SocketSeat("droidcon", port), SocketSeat("droidcon", port)]
    seats[side] = dials("ada", port)
    playing = asyncio.ensure_future(table.play(seats[0], seats[1], rounds=2))
    assert (await series(port, "bob")).count("NEW_GAME") == 2
    expected = [["bob", "ada"], ["ada", "bob"]] if side else [["ada", "bob"], ["bob", "ada"]]
    assert [names(log) for log in await playing] == expected


@pytest.mark.long
async def test_a_client_that_does_not_come_is_told_and_not_the_one_behind_it(table: Table) -> None:
    port, code = free_port(), "import time; time.sleep(3600)"
    first = SocketSeat("droidcon", port, (sys.executable, "-c", code))
    [log] = await table.play(first, dials("bob", port), connect_s=0.3)
    assert log.state.reason == f"nobody connected to droidcon on port {port} within 0.3 s"
    [log] = await table.play(first._replace(argv=(sys.executable, "-c", "raise SystemExit(3)")), dials("bob", port))
    assert log.state.reason == f"{sys.executable} stopped with exit code 3 before it played on port {port}"


async def test_where_nobody_comes_to_the_port_of_both_it_is_named_once(table: Table) -> None:
    seat = SocketSeat("droidcon", free_port())
    [log] = await table.play(seat, seat, connect_s=0.1)
    assert log.state.reason == f"nobody connected to droidcon on port {seat.port} within 0.1 s"
