"""Tokens that are shown on a real connection: looked up before the adapter hears of anything behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arena.bots.session.connection import Connection
from arena.bots.session.session import Session
from arena.bots.session.tokens import Identity
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.protocols import protocol
from arena.protocols.adapter import Adapter, Wish
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.native.adapter import Native
from arena.transports import Transport
from tests.kit.clients import Wire
from tests.kit.listening import listen
from tests.kit.refereeing import refereeing
from tests.kit.until import until

GOOD, BAD = "arn_" + "a" * 26, "arn_" + "b" * 26
GRAVITY = Identity(7, "gravity-9", "droidcon", None, "f" * 64)


class Gate:
    """Lets in who shows the good token, as soon as the test says so."""

    def __init__(self, referee: Referee, adapter: type[Adapter]) -> None:
        self.referee, self.adapter = referee, adapter
        self.sessions: list[Session] = []
        self.open = asyncio.Event()
        self.open.set()
        self.ready_for = 0
        self.breaks = False

    def connected(self, transport: Transport) -> Connection:
        self.sessions.append(Session(self.adapter(), transport, self.referee, self, self.prove))
        return self.sessions[-1].connection

    async def prove(self, session: Session, token: str) -> None:
        await self.open.wait()
        if self.breaks:
            raise ZeroDivisionError
        if token != GOOD:
            raise Refusal("unknown_token", "Nobody has it.")
        session.identify(GRAVITY)

    async def seek(self, session: Session, wish: Wish) -> str:
        return "lab"

    def ready(self, session: Session) -> None:
        self.ready_for += 1

    def lost(self, session: Session) -> None:
        """The test looks at the session."""


@asynccontextmanager
async def gate(adapter: type[Adapter] = Droidcon) -> AsyncIterator[tuple[Gate, int]]:
    async with refereeing() as referee:
        gate = Gate(referee, adapter)
        server = await listen("127.0.0.1", 0, gate.connected)
        yield gate, server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()


async def test_what_stands_behind_the_line_waits_for_the_answer() -> None:
    async with gate() as (found, port), Wire.to(port) as bot:
        found.open.clear()
        await bot.send(f"SEAT {GOOD}", "NAME ada", "JOIN lab")
        await until(lambda: bool(found.sessions and found.sessions[0].connection.undecided))
        assert found.sessions[0].setup.name == "droidcon (unverified)"
        found.open.set()
        assert [await bot.line(), await bot.line()] == ["SUCCESS", "SUCCESS"]
        assert found.sessions[0].setup.name == "gravity-9" and found.sessions[0].setup.verified


async def test_who_has_no_good_token_reads_why_and_is_closed() -> None:
    async with gate() as (found, port), Wire.to(port) as bot:
        await bot.send(f"SEAT {BAD}", "NAME ada")
        assert await bot.rest() == ["SEAT REFUSED unknown_token: Nobody has it."]
        assert found.ready_for == 0


async def test_without_a_token_a_name_is_nobodys() -> None:
    async with gate() as (found, port), Wire.to(port) as bot:
        await bot.send("NAME gravity-9")
        await bot.line()
        assert found.sessions[0].setup.name == "gravity-9 (unverified)" and not found.sessions[0].setup.verified


async def test_an_end_behind_the_line_is_heard_after_it() -> None:
    async with gate() as (found, port), Wire.to(port) as bot:
        found.open.clear()
        await bot.send(f"SEAT {GOOD}", "NAME ada")
        bot.finish()
        await until(lambda: bool(found.sessions and found.sessions[0].connection.undecided))
        found.open.set()
        assert await bot.rest() == ["SUCCESS"]


async def test_half_a_line_at_the_end_is_the_adapters() -> None:
    async with gate() as (_, port), Wire.to(port) as bot:
        await bot.send_bytes(b"SEAT x")
        bot.finish()
        assert await bot.rest() == ["Error INVALID_COMMAND"]


async def test_native_may_show_it_with_its_name_and_joins_when_it_is_known() -> None:
    async with gate(Native) as (found, port), Wire.to(port) as bot:
        found.open.clear()
        await bot.send(f'{{"type": "hello", "name": "ada", "token": "{GOOD}"}}', '{"type": "join", "room": "lab"}')
        await until(lambda: bool(found.sessions and found.sessions[0].setup.name == "ada (unverified)"))
        found.open.set()
        assert '"welcome"' in await bot.line()
        await until(lambda: found.ready_for >= 2)
        assert found.sessions[0].setup.name == "gravity-9"


async def test_native_is_refused_in_its_own_words() -> None:
    async with gate(Native) as (_, port), Wire.to(port) as bot:
        await bot.send(f'{{"type": "hello", "name": "ada", "token": "{BAD}"}}')
        (refused,) = await bot.rest()
        assert '"unknown_token"' in refused, "it was never welcome"


@pytest.mark.parametrize(
    ("slug", "said", "words"),
    [
        ("droidcon", "x" * 513, "Error INVALID_COMMAND"),
        ("fiar", "3" * 513, "SEAT REFUSED line_too_long: Received no end of it, expected a column from 1 to 7"),
        ("native", "x" * 8193, '{"type":"refused","code":"line_too_long","received":"xxxxx'),
        (
            "santorini-json",
            '"' + "x" * 8192,
            "SEAT REFUSED line_too_long: Received no end of it, expected a value of 8192 bytes",
        ),
    ],
)
async def test_a_line_without_an_end_is_refused_in_words_before_the_close(slug: str, said: str, words: str) -> None:
    async with gate(protocol(slug)) as (found, port), Wire.to(port) as bot:
        await bot.send_bytes(said.encode())
        (refused,) = await bot.rest()
        assert refused.startswith(words)


@pytest.mark.parametrize("said", ["NAME ada\n", '["join",7]', "null"])
async def test_who_begins_with_nothing_the_protocol_knows_is_told_what_it_expects(said: str) -> None:
    async with gate(protocol("santorini-json")) as (found, port), Wire.to(port) as bot:
        await bot.send_bytes(said.encode())
        (refused,) = await bot.rest()
        assert refused.startswith(f"SEAT REFUSED not_understood: Received {said.strip()[:70]}")
        assert ', expected a JSON array or text, beginning with [ or "' in refused or '["join", name]' in refused


async def test_a_defect_of_ours_closes_this_connection() -> None:
    async with gate() as (found, port), Wire.to(port) as bot:
        found.breaks = True
        await bot.send(f"SEAT {GOOD}")
        assert await bot.rest() == []


async def test_who_vanishes_while_the_token_is_looked_up_leaves_nothing() -> None:
    async with gate() as (found, port):
        found.open.clear()
        async with Wire.to(port) as bot:
            await bot.send(f"SEAT {GOOD}")
            await until(lambda: bool(found.sessions and found.sessions[0].connection.undecided))
        found.open.set()
        await found.sessions[0].released.wait()
        assert not found.sessions[0].connected
