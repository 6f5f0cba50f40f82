"""Staff pause a match in which a bot is asked: it is asked once, and what it says in the pause is not lost."""

from __future__ import annotations

import pytest

from arena.core.hub import LiveMatch
from arena.core.referee import MOST_IN_A_MAILBOX
from arena.match.commands import Play, Refusal, Resume
from arena.protocols.adapter import Adapter
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from arena.protocols.gamestate.adapter import GameState
from arena.protocols.nyu_nim.adapter import NyuNim
from arena.protocols.santorini_json.adapter import SantoriniJson
from tests.bots.session.test_session import Opens, Seat, opening
from tests.kit.clients import Wire
from tests.kit.refereeing import moves_of
from tests.kit.storage import GatedMemory
from tests.kit.until import until

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


async def asked(bot: Wire, adapter: type[Adapter]) -> tuple[str, list[str]]:
    """Wait for the first question. The answer to it, and what follows."""
    says, question, answer, follows = TALKS[adapter]
    if says:
        await bot.send(*says)
    await bot.until(question)
    return answer, follows


def received(live: LiveMatch, line: str) -> bool:
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
async def test_what_it_says_in_a_pause_is_played_after_it_and_not_asked_for_again(
    adapter: type[Adapter], opened: Opens
) -> None:
    seat, port = await opened(adapter, clock="1m", variant=adapter.variants[0])
    async with Wire.to(port) as bot:
        answer, follows = await asked(bot, adapter)
        live = seat.live
        await seat.referee.pause(live, "a word with the players")
        await bot.send(answer)
        await until(lambda: received(live, answer))
        await seat.referee.resume(live)
        await until(lambda: moves_of(live) == ["4"])
        await seat.referee.play(live, 1, 2, "1")
        assert [await bot.line() for _ in follows] == follows


@pytest.mark.parametrize("at_once", [True, False], ids=["with its answer", "after it"])
@pytest.mark.parametrize("adapter", TALKS)
async def test_who_ends_its_side_in_a_pause_is_gone_and_may_come_back(
    adapter: type[Adapter], at_once: bool, opened: Opens
) -> None:
    seat, port = await opened(adapter, clock="1m", variant=adapter.variants[0])
    async with Wire.to(port) as bot:
        answer, _ = await asked(bot, adapter)
        live = seat.live
        await seat.referee.pause(live, "a word with the players")
        await bot.send(answer)
        if not at_once:
            await until(lambda: received(live, answer) and not live.busy)
        bot.finish()
        await until(lambda: not seat.sessions[0].connected)
        assert moves_of(live) == []


# -- it answers while storage is slow to go on -------------------------------------------------------------------------


async def answered_meanwhile(store: GatedMemory, seat: Seat, bot: Wire, answer: bytes, others: int) -> None:
    """The bot answers while the match is leaving a pause, and this many other commands wait before its answer."""
    live = seat.live
    await seat.referee.pause(live, "a word with the players")
    refusals: list[Refusal | None] = []
    store.gate.shut()
    seat.referee.post(live, Resume(), refusals.append)
    for _ in range(others):
        seat.referee.post(live, Play(1, 2, "9"), refusals.append)
    before = seat.sessions[0].connection.stamp
    await bot.send_bytes(answer)
    await until(lambda: seat.sessions[0].connection.stamp > before)
    assert live.state.phase == "paused" and live.busy
    store.gate.open()


@pytest.mark.parametrize("others", [0, MOST_IN_A_MAILBOX], ids=["alone", "busy"])
@pytest.mark.parametrize("adapter", TALKS)
async def test_an_answer_on_the_way_out_of_a_pause_is_played_and_not_asked_for_again(
    adapter: type[Adapter], others: int
) -> None:
    store = GatedMemory()
    async with opening(store) as opened:
        seat, port = await opened(adapter, clock="1m", variant=adapter.variants[0])
        async with Wire.to(port) as bot:
            answer, follows = await asked(bot, adapter)
            await answered_meanwhile(store, seat, bot, f"{answer}\n".encode(), others)
            await until(lambda: moves_of(seat.live) == ["4"])
            await seat.referee.play(seat.live, 1, 2, "1")
            assert [await bot.line() for _ in follows] == follows


@pytest.mark.parametrize("others", [0, MOST_IN_A_MAILBOX], ids=["alone", "busy"])
async def test_so_is_that_of_a_nim_bot(others: int) -> None:
    store = GatedMemory()
    async with opening(store) as opened:
        seat, port = await opened(NyuNim, clock="1m", variant="expanding-nim")
        async with Wire.to(port) as bot:
            assert await bot.some() == b"100 2 0 0"
            await answered_meanwhile(store, seat, bot, b"1 0", others)
            await until(lambda: moves_of(seat.live) == ["1"])
            await seat.referee.play(seat.live, 1, 2, "1")
            assert await bot.some() == b"98 2 0 0"


@pytest.mark.parametrize("others", [0, MOST_IN_A_MAILBOX], ids=["alone", "busy"])
async def test_so_is_that_of_a_santorini_bot(others: int) -> None:
    store = GatedMemory()
    async with opening(store) as opened:
        seat, port = await opened(SantoriniJson, clock="1m", variant="santorini-6x6")
        async with Wire.to(port) as bot:
            await bot.send_bytes(b'"ada"')
            assert (await bot.line()).startswith('["new_game",')
            await bot.send_bytes(b'"OK"')
            assert await bot.line() == '["place",[]]'
            await answered_meanwhile(store, seat, bot, b'["place",0,0]', others)
            await until(lambda: moves_of(seat.live) == ["a6"])
            await seat.referee.play(seat.live, 1, 2, "b6")
            assert (await bot.line()).count('"ada"') == 1, "one worker of its own stands on the board"
