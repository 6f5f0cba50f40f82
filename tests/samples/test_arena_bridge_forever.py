"""The bridge with --forever: match after match from one start (static/samples/arena-bridge.py)."""

from __future__ import annotations

from tests.kit.bridging import Arena, bridge
from tests.kit.ports import free_port
from tests.samples.test_arena_bridge import ECHO, arena, gone, python

__all__ = ["arena"]

SAYS_WHO_IT_IS = "import os; print(os.getpid(), flush=True); input()"


async def test_for_ever_each_match_has_a_new_bot_and_a_new_connection(arena: Arena) -> None:
    bots = set()
    async with bridge(arena.port, "--forever", "--seat", "arn_1", bot=python(SAYS_WHO_IT_IS)) as bridged:
        for _ in range(3):
            guest = await arena.guest()
            assert await guest.hears_line() == "SEAT arn_1"
            bots.add(int(await guest.hears_line()))
            guest.say(b"3")
            guest.close()
        await arena.guest()
        bridged.process.terminate()
        assert await bridged.ends() == 143
    assert len(bots) == 3
    for bot in bots:
        await gone(bot)


async def test_for_ever_an_arena_that_is_away_for_long_or_busy_is_waited_for(arena: Arena) -> None:
    async with bridge(arena.port, "--forever", "--seat", "arn_1", bot=python(ECHO)) as bridged:
        guest = await arena.guest()
        await bridged.says("connected")
        arena.close()
        guest.reset()
        await bridged.says("nothing listens on")
        await arena.open()
        guest = await arena.guest()
        guest.say(b"SEAT REFUSED seat_taken: A bot is connected to this seat already.\n")
        guest.close()
        await arena.guest()
        await bridged.says("seat_taken: A bot is connected")


async def test_for_ever_ends_where_time_mends_nothing(arena: Arena) -> None:
    async with bridge(arena.port, "--forever", "--seat", "arn_1", bot=python(ECHO)) as bridged:
        (await arena.guest()).say(
            b"SEAT REFUSED token_revoked: The token of this bot was revoked: its owner can make a new one.\n"
        )
        assert await bridged.ends() == 4
    assert "token_revoked: The token" in bridged.said
    async with bridge(free_port(), "--forever", bot=python(ECHO)) as bridged:
        assert await bridged.ends() == 3


async def test_for_ever_ends_with_a_bot_that_always_ends_too_early(arena: Arena) -> None:
    async with bridge(arena.port, "--forever", bot=python("input(); raise SystemExit(3)")) as bridged:
        for _ in range(3):
            guest = await arena.guest()
            guest.say(b"3\n")
            assert await guest.hears_the_end() == b""
        assert await bridged.ends() == 1
    assert "the bot has ended too early 3 times in a row" in bridged.said
