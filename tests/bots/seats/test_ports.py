from __future__ import annotations

import asyncio

import pytest

from arena.bots.seats.gate import Deaf
from arena.bots.seats.ports import Pool
from arena.match.commands import Refusal
from arena.protocols.seat_line import turned_away
from arena.transports import Transport
from tests.kit.clients import Wire
from tests.kit.ports import free_port


def deaf(transport: Transport) -> Deaf:
    return Deaf(transport, turned_away("seat_taken", "Nobody is here."))


async def test_ports_are_given_in_order_taken_ones_are_skipped_and_given_back_ones_come_again() -> None:
    first, second, third = free_port(), free_port(), free_port()
    pool = Pool([first, second, third])
    pool.host = "127.0.0.1"
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", second)
    one, two = await pool.reserve(deaf), await pool.reserve(deaf)
    assert (one.number, two.number) == (first, third)
    with pytest.raises(Refusal, match="All 3 ports for waiting bots"):
        await pool.reserve(deaf)
    one.close()
    again = await pool.reserve(deaf)
    assert again.number == first
    again.open()
    async with Wire.to(first) as wire:
        assert await wire.rest() == ["SEAT REFUSED seat_taken: Nobody is here."]
    for server in (again, two):
        server.close()
    taken.close()
    await taken.wait_closed()


async def test_the_port_that_is_wished_for_or_none() -> None:
    number, other = free_port(), free_port()
    pool = Pool([other])
    pool.host = "127.0.0.1"
    server = await pool.reserve(deaf, number)
    assert server.number == number
    with pytest.raises(Refusal, match=f"Port {number} is in use"):
        await pool.reserve(deaf, number)
    server.close()


async def test_without_ports_for_bots_it_says_so() -> None:
    with pytest.raises(Refusal, match="without ports for bots"):
        await Pool([4300]).reserve(deaf)


async def test_an_address_that_is_not_ours_is_no_matter_of_ports() -> None:
    pool = Pool([4300])
    pool.host = "192.0.2.1"
    with pytest.raises(OSError, match="assign"):
        await pool.reserve(deaf)


async def test_a_port_that_is_lent_is_free_and_nobody_else_s_until_it_is_given_back() -> None:
    first, second = free_port(), free_port()
    pool = Pool([first, second])
    with pytest.raises(Refusal, match="without ports for bots"):
        pool.lend()
    pool.host = "127.0.0.1"
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", first)
    assert pool.lend() == second
    with pytest.raises(Refusal, match="All 2 ports for waiting bots"):
        pool.lend()
    pool.give_back(second)
    server = await pool.reserve(deaf)
    assert server.number == second
    server.close()
    taken.close()
    await taken.wait_closed()
