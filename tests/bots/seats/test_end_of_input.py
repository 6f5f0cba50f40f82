"""Bots at doors that end their side and still read, as `printf … | nc` does: what they have said counts."""

from __future__ import annotations

import asyncio
import socket

import pytest

from arena.host import Host
from arena.models import Match
from tests.bots.conftest import Opens
from tests.kit.clients import Droidcon, Wire
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


async def ended(host: Host) -> tuple[int | None, str | None, str]:
    """Winner, termination and reason of the one match there is."""
    await until(lambda: bool(host.lobby.rooms) and not host.hub.running())
    [row] = [row async for row in Match.objects.exclude(termination="")]
    return row.winner, row.termination, row.reason


async def test_answers_ahead_of_the_end_of_input_still_win(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as piped, Wire.to(port) as other:
        await piped.send_bytes(b"1\n1\n1\n1")
        piped.finish()
        await until(lambda: len(host.lobby.rooms) == 1)
        await asyncio.gather(piped.hear(), answers(other))
    winner, termination, _ = await ended(host)
    assert (winner, termination) == (0, "normal")
    assert piped.heard.count(b"\n") == 4 and other.heard.count(b"\n") == 3


async def test_who_goes_behind_its_answers_ahead_is_offered_to_nobody(host: Host, opened: Opens) -> None:
    async with Wire.to(await opened("fiar")) as gone:
        await gone.send_bytes(b"1\n")
        gone.finish()
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        gone.reset()
        await until(lambda: not host.lobby.open_rooms())


async def answers(bot: Wire) -> None:
    while await bot.line():
        await bot.send("2")


async def test_a_bot_that_has_said_all_it_had_loses_when_it_is_asked_for_more(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as piped, Wire.to(port) as other:
        await piped.send_bytes(b"1\n1\n")
        piped.finish()
        await asyncio.gather(piped.hear(), answers(other))
    assert (await ended(host))[:2] == (1, "disconnect")


async def test_answers_ahead_of_a_reset_connection_play_and_then_it_has_lost(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as reset, Wire.to(port) as other:
        await reset.send_bytes(b"1\n1\n1\n")
        assert await reset.line()
        reset.reset()
        await answers(other)
    assert (await ended(host))[:2] == (1, "disconnect")
    assert other.heard.count(b"\n") == 3


async def test_a_put_glued_to_the_last_login_is_punished_in_the_round_it_falls_into(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Droidcon.to(port) as first, Wire.to(port) as second:
        await first.enter("ada", "lab")
        await second.send_bytes(b"NAME bob\nJOIN lab\nPUT 3")
        second.finish()
        assert await first.rest() == ["NEW_GAME", "YOUR_MOVE", "PUT 3", "YOU_WON"]
        assert await second.rest() == ["SUCCESS", "SUCCESS", "NEW_GAME", "Error NOT_YOUR_TURN", "YOU_LOST"]
    assert (await ended(host))[:2] == (0, "out_of_turn")


async def test_where_nobody_can_answer_any_more_both_states_of_nim_end(host: Host, opened: Opens) -> None:
    port = await opened("nyu-nim")
    async with Wire.to(port) as first, Wire.to(port) as second:
        assert (await first.some()).startswith(b"100 2 0 0") or (await second.some()).startswith(b"100 2 0 0")
        asked, other = (first, second) if first.heard else (second, first)
        await asked.send_bytes(b"3")
        asked.finish()
        await asyncio.gather(asked.hear(), other.hear())
    assert (asked.heard, other.heard) == (b"100 2 0 00 0 0 1", b"0 0 0 1")
    assert (await ended(host))[:2] == (1, "disconnect")


async def test_a_state_of_nim_is_read_before_the_end(host: Host, opened: Opens) -> None:
    """Known clients miss an end that is joined to a state, and loop forever."""
    address, loop = ("127.0.0.1", await opened("nyu-nim")), asyncio.get_running_loop()
    with socket.create_connection(address) as one, socket.create_connection(address) as two:
        one.setblocking(False)
        two.setblocking(False)
        reading = {side: asyncio.ensure_future(loop.sock_recv(side, 100)) for side in (one, two)}
        await asyncio.wait(reading.values(), return_when=asyncio.FIRST_COMPLETED)
        asked, other = (one, two) if reading[one].done() else (two, one)
        reading[other].cancel()
        await asyncio.gather(*reading.values(), return_exceptions=True)
        await loop.sock_sendall(asked, b"3 0")
        asked.close()
        assert (await ended(host))[:2] == (1, "disconnect")
        assert [await loop.sock_recv(other, 100) for _ in range(3)] == [b"97 3 0 0", b"0 0 0 1", b""]
