"""Starts the bot that is checked, by its command.

It speaks on its standard input and output; or, where the command holds `{port}` or a port is named, it connects to that
port of 127.0.0.1, as it would to the arena.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.bots.conformance.candidate import Candidate, Failed
from arena.bots.conformance.tap import Tap
from arena.bots.failure.diagnosis import diagnose
from arena.protocols.adapter import Adapter
from arena.protocols.hints import Evidence
from arena.transports import Receiver, Transport, stdio, tcp
from arena.transports.process import ChildTransport

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Command:
    """`answer_s` is how long one answer may take, `startup_s` what the first of a process may take longer; `port` is
    where the bot connects, 0 for any free one, None for a bot on standard input and output.
    """

    adapter: type[Adapter]
    argv: Sequence[str]
    cwd: Path
    answer_s: float
    startup_s: float
    port: int | None = None
    pty: bool = True

    def start(self, in_pieces: bool = False) -> AbstractAsyncContextManager[Candidate]:
        """The bot, just started; at the end nothing of it is left. Raises Failed when it does not come."""
        return self._on_stdio(in_pieces) if self.port is None else self._on_socket(self.port, in_pieces)

    @asynccontextmanager
    async def _on_stdio(self, in_pieces: bool) -> AsyncIterator[Candidate]:
        made: list[Candidate] = []

        def make(transport: Transport) -> Receiver:
            assert isinstance(transport, ChildTransport), "spawn makes these"
            tap = Tap(transport, transport.end_input, in_pieces)
            made.append(self._candidate(tap))
            return tap

        process = await stdio.spawn(self.argv, make, cwd=self.cwd, pty=self.pty)
        (bot,) = made
        bot.process = process
        try:
            yield bot
        finally:
            process.abort()
            await bot.over()

    @asynccontextmanager
    async def _on_socket(self, port: int, in_pieces: bool) -> AsyncIterator[Candidate]:
        came: asyncio.Future[Candidate] = asyncio.get_running_loop().create_future()

        def make(transport: Transport) -> Receiver:
            tap = Tap(transport, transport.close, in_pieces)
            bot = self._candidate(tap)
            if came.done():
                transport.abort()  # a seat has one connection
            else:
                came.set_result(bot)
            return tap

        async with await tcp.listen(HOST, port, make) as server, self._program(server) as process:
            try:
                bot = await self._first(came, process)
            except Failed:
                came.cancel()  # who connected and ended before we looked is let in no more
                raise
            bot.process, bot.on_socket = process, True
            try:
                yield bot
            finally:
                bot.tap.abort()
                await bot.over()

    @asynccontextmanager
    async def _program(self, server: tcp.Listener) -> AsyncIterator[ChildTransport]:
        """The process that connects; what it prints is drained and means nothing."""
        port = server.sockets[0].getsockname()[1]
        argv = [word.replace("{host}", HOST).replace("{port}", str(port)) for word in self.argv]
        screen = _Screen()
        process = await stdio.spawn(argv, lambda transport: screen, cwd=self.cwd, pty=self.pty)
        try:
            yield process
        finally:
            process.abort()
            await screen.over.wait()

    async def _first(self, came: asyncio.Future[Candidate], process: ChildTransport) -> Candidate:
        """The bot that connects. Raises Failed when nobody does, or the program ends before."""
        seconds = self.adapter.ready_s
        end = asyncio.get_running_loop().time() + seconds
        while not came.done():
            if process.exit_status is not None:
                raise self._absent("crash", f"the process ended ({process.exit_words})", process)
            if asyncio.get_running_loop().time() > end:
                raise self._absent("no_start", f"nobody connected within {seconds:g} s", process)
            await asyncio.sleep(0.01)
        return came.result()

    def _absent(self, termination: str, reason: str, process: ChildTransport) -> Failed:
        evidence = Evidence(
            self.adapter.slug,
            termination,
            reason,
            exit="" if process.exit_status is None else process.exit_words,
            stderr=process.stderr_tail.decode(errors="backslashreplace"),
            heard=False,
        )
        card = diagnose(evidence)
        assert card is not None, f"{termination} is always explained"
        return Failed(card, [])

    def _candidate(self, tap: Tap) -> Candidate:
        return Candidate(self.adapter(), tap, self.answer_s, self.startup_s)


class _Screen:
    """Where the output of a program goes that speaks over a socket."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    def data_received(self, data: bytes, stamp: float) -> None:
        """Nobody reads it."""

    def eof_received(self) -> None:
        """It may still play."""

    def connection_lost(self, reason: str) -> None:
        self.over.set()
