"""A move is not lost on its way to the referee, whatever happens on our side."""

from __future__ import annotations

import asyncio

from django.db import IntegrityError

from arena.core.referee import MOST_IN_A_MAILBOX
from arena.match.commands import Pause, Play, Refusal, Resume
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from tests.bots.clients import Wire
from tests.bots.session.test_session import FIRST_BOARD, opening
from tests.refereeing import moves_of, until
from tests.storage import FailingMemory, GatedMemory


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
