"""Staff pause a match in which a bot is asked: it is asked once, and what it says in the pause is not lost."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from arena.hub import Live
from arena.protocols.adapter import Adapter
from arena.protocols.droidcon import Droidcon
from arena.protocols.fiar import Fiar
from arena.protocols.gamestate import GameState
from tests.bots.clients import Wire
from tests.bots.test_session import Opens, opening
from tests.refereeing import moves_of, until

# What it says first, the question at its first turn, its answer, and what it is told when the other side has moved.
TALKS = {
    Droidcon: (("NAME a", "JOIN a"), "YOUR_MOVE", "PUT 3", ["PUT 0", "YOUR_MOVE"]),
    Fiar: ((), "@ " + "." * 42, "4", ["@ " + "." * 35 + "O..@..."]),
    GameState: (
        (),
        "REQUEST_MOVE",
        "3",
        [
            "GAMESTATE: " + "-" * 56 + "---X----",
            "GAMESTATE: " + "-" * 56 + "O--X----",
            "REQUEST_MOVE",
        ],
    ),
}


@pytest.fixture
async def opened() -> AsyncIterator[Opens]:
    async with opening() as open_seat:
        yield open_seat


async def asked(bot: Wire, adapter: type[Adapter]) -> tuple[str, list[str]]:
    """Wait for the first question. The answer to it, and what follows."""
    says, question, answer, follows = TALKS[adapter]
    if says:
        await bot.send(*says)
    await bot.until(question)
    return answer, follows


def received(live: Live, line: str) -> bool:
    return any(way == "in" and data.endswith(f"{line}\n".encode()) for _, way, data, _ in live.wires[0].messages)


@pytest.mark.parametrize("adapter", TALKS)
async def test_who_thinks_through_a_pause_is_asked_once(adapter: type[Adapter], opened: Opens) -> None:
    seat, port = await opened(adapter, clock="1m", variant=adapter.variants[0])
    async with Wire.to(port) as bot:
        answer, follows = await asked(bot, adapter)
        live = seat.live
        await seat.referee.pause(live, "a word with the players")
        await seat.referee.resume(live)
        await bot.send(answer)
        await until(lambda: moves_of(live) == ["4"])
        await seat.referee.play(live, 1, 2, "1")
        assert [await bot.line() for _ in follows] == follows


@pytest.mark.parametrize("adapter", TALKS)
async def test_what_it_says_in_a_pause_costs_nothing(adapter: type[Adapter], opened: Opens) -> None:
    seat, port = await opened(adapter, clock="1m", variant=adapter.variants[0])
    async with Wire.to(port) as bot:
        answer, follows = await asked(bot, adapter)
        live = seat.live
        await seat.referee.pause(live, "a word with the players")
        await bot.send(answer)
        await until(lambda: received(live, answer))
        await seat.referee.resume(live)
        if adapter is not Droidcon:  # who is told the board is asked once more
            await bot.until(TALKS[adapter][1])
            await bot.send(answer)
        await until(lambda: moves_of(live) == ["4"])
        await seat.referee.play(live, 1, 2, "1")
        assert [await bot.line() for _ in follows] == follows
