"""A move is not lost on its way to the referee, whatever happens on our side."""

from __future__ import annotations

import asyncio

import pytest
from django.db import IntegrityError

from arena.core.referee import MOST_IN_A_MAILBOX
from arena.core.retry import retry
from arena.match.commands import AnswerOffer, Fault, Offer, Pause, Play, Refusal, Resume
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from arena.protocols.native.adapter import Native
from tests.bots.session.test_session import FIRST_BOARD, Opens, opening
from tests.kit.clients import Wire
from tests.kit.refereeing import moves_of
from tests.kit.storage import FailingMemory, GatedMemory
from tests.kit.until import until


async def test_a_move_that_meets_a_full_mailbox_is_played_all_the_same() -> None:
    store = GatedMemory()
    async with opening(store) as opened:
        seat, port = await opened(Droidcon, clock="5s")
        async with Wire.to(port) as bot:
            await bot.send("NAME a", "JOIN a")
            await bot.until("YOUR_MOVE")
            await asyncio.sleep(0.02)
            store.gate.shut()
            answers: list[Refusal | None] = []
            seat.referee.post(seat.live, Pause("lunch"), answers.append)
            assert seat.live.busy
            seat.referee.post(seat.live, Resume(), answers.append)
            for _ in range(MOST_IN_A_MAILBOX - 1):
                seat.referee.post(seat.live, Play(1, 2, "9"), answers.append)
            before = seat.sessions[0].connection.stamp
            await bot.send("PUT 3")
            await until(lambda: seat.sessions[0].connection.stamp > before)
            store.gate.open()
            await until(lambda: moves_of(seat.live) == ["4"])
            assert len(answers) == MOST_IN_A_MAILBOX + 1


async def test_a_move_that_meets_a_full_mailbox_is_judged_before_what_its_bot_does_after_it() -> None:
    store = GatedMemory()
    async with opening(store) as opened:
        seat, port = await opened(Droidcon, clock="5s")
        async with Wire.to(port) as bot:
            await bot.send("NAME a", "JOIN a")
            await bot.until("YOUR_MOVE")
            answers: list[Refusal | None] = []
            store.gate.shut()
            seat.referee.post(seat.live, Pause("lunch"), answers.append)
            assert seat.live.busy
            seat.referee.post(seat.live, Resume(), answers.append)
            for _ in range(MOST_IN_A_MAILBOX - 1):
                seat.referee.post(seat.live, Play(1, 2, "9"), answers.append)
            before = seat.sessions[0].connection.stamp
            await bot.send("PUT 3")
            await until(lambda: seat.sessions[0].connection.stamp > before)
            store.gate.open()
            await until(lambda: len(answers) == MOST_IN_A_MAILBOX + 1)
            retry(seat.referee, seat.live, Fault(0, "disconnect", "the connection is gone"))
            await until(lambda: seat.live.over)
            assert moves_of(seat.live) == ["4"]


async def test_a_move_that_could_not_be_stored_is_tried_again() -> None:
    store = FailingMemory()
    async with opening(store) as opened:
        seat, port = await opened(Fiar, clock="5s")
        async with Wire.to(port) as bot:
            assert await bot.line() == FIRST_BOARD
            store.errors = [IntegrityError("a constraint of the database")]
            await bot.send("4")
            await until(lambda: moves_of(seat.live) == ["4"])
            assert await seat.referee.ledger.read(seat.live.id) == seat.live.events


async def holding(bot: Wire, part: str) -> str:
    """The next line that has this in it."""
    while part not in (line := await bot.line()):
        assert line, f"the connection ended before {part}"
    return line


async def test_a_native_bot_is_asked_for_a_takeback_grants_it_and_is_asked_for_its_move_anew(opened: Opens) -> None:
    seat, port = await opened(Native, offers=True)
    async with Wire.to(port) as bot:
        await bot.send('{"type":"hello","name":"ada","offers":true}', '{"type":"join","room":"a"}')
        await holding(bot, '"turn"')
        await bot.send('{"type":"move","ply":1,"move":"4"}')
        await until(lambda: moves_of(seat.live) == ["4"])
        await seat.referee.play(seat.live, 1, 2, "5")
        await seat.referee.act(seat.live, Offer(1, "takeback", 2))
        offered = await holding(bot, '"offer"')
        assert '"seat":1,"what":"takeback"' in offered
        await bot.send(f'{{"type":"accept","offer":{seat.live.state.seq}}}')
        assert '"ply":1,"seat":1' in await holding(bot, '"takeback","ply"')
        await seat.referee.play(seat.live, 1, 2, "3")
        assert '"ply":3' in await holding(bot, '"turn"')
        await bot.send('{"type":"offer","what":"takeback"}')
        number = '"offer":' + str(seat.live.state.seq + 1)
        assert number in await holding(bot, '"offer","offer"')
        await seat.referee.act(seat.live, AnswerOffer(1, seat.live.state.seq, True))
        assert '"ply":1' in await holding(bot, '"turn"'), "its first move is asked for once more"
        await bot.send('{"type":"move","ply":1,"move":"2"}')
        await until(lambda: seat.live.state.position.ply == 1)
        await bot.send('{"type":"accept","offer":3}')
        assert '"code":"no_offer"' in await holding(bot, '"refused"')


async def test_a_native_bot_that_knows_nothing_of_offers_hears_nothing_and_plays_on(opened: Opens) -> None:
    seat, port = await opened(Native, offers=True)
    async with Wire.to(port) as bot:
        await bot.send('{"type":"hello","name":"ada"}', '{"type":"join","room":"a"}')
        await holding(bot, '"turn"')
        await seat.referee.act(seat.live, Offer(1, "draw", 0))
        assert seat.live.state.offer is None and seat.live.events[-1].kind == "declined", "who asked need not wait"
        with pytest.raises(Refusal, match="cannot take moves back"):
            await seat.referee.act(seat.live, Offer(1, "takeback", 0))
        await bot.send('{"type":"move","ply":1,"move":"4"}')
        assert '"moved"' in await bot.line(), "no word of it came before"


async def test_what_a_bot_says_on_and_on_while_nothing_can_be_stored_does_not_pile_up() -> None:
    store = FailingMemory()
    async with opening(store) as opened:
        seat, port = await opened(Native, offers=True)
        async with Wire.to(port) as bot:
            await bot.send('{"type":"hello","name":"ada","offers":true}', '{"type":"join","room":"a"}')
            await holding(bot, '"turn"')
            store.broken = True
            for kind in ('{"type":"offer","what":"draw"}', '{"type":"resign"}'):
                for _ in range(40):
                    await bot.send(kind)
            await bot.send('{"type":"hurrah"}')
            await holding(bot, '"code":"busy"')
            await holding(bot, '"code":"unknown_type"')
            assert len(seat.live.mailbox) <= MOST_IN_A_MAILBOX + 1
            store.broken = False
            await until(lambda: seat.live.over)
            assert seat.live.state.termination == "resign"
