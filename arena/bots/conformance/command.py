"""Starts the bot under test by its command.

It uses its standard input and output; if the command contains `{port}` or a port is given, it connects to that port of
127.0.0.1, as it would to the arena. Without a command it is waited for there: somebody else has started it, perhaps on
another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots.conformance.candidate import Candidate
from arena.bots.conformance.observed import Failed
from arena.bots.conformance.tap import Tap
from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import ASKS
from arena.play.any_token import AnyToken
from arena.play.loop import Loop
from arena.play.sockets import ListeningPort, PolledSocket
from arena.play.start import keeper, start
from arena.protocols.adapter import Adapter
from arena.protocols.hints import Evidence
from arena.transports import Receiver, Transport
from arena.transports.addresses import LOCAL
from arena.transports.process import ChildTransport
from arena.transports.programs import check, environment, takes_terminal
from arena.transports.reading import asks

if TYPE_CHECKING:
    from arena.bots.process.launch import Launch

# How long a bot that we do not start may take to come, for its first step and back for each of the others.
COMES_S = 120.0


@dataclass(frozen=True, slots=True)
class Command:
    """`answer_s` is how long an answer may take, `startup_s` the extra time for the first of a process; `port` is where
    the bot connects, 0 for any free port, None for a bot on standard input and output, and `host` the address of that
    port. `sandbox` says how a bot on standard input and output is confined. `tokens` has what each connection that said
    anything has shown for itself, "" for nothing.
    """

    adapter: type[Adapter]
    argv: Sequence[str]
    cwd: Path
    answer_s: float
    startup_s: float
    port: int | None = None
    pty: bool = True
    host: str = LOCAL
    sandbox: Callable[[Sequence[str]], Launch] | None = None
    tokens: list[str] = field(default_factory=list)

    def start(self, in_pieces: bool = False) -> AbstractContextManager[Candidate]:
        """The bot, just started; nothing of it is left afterwards. Raises Failed if it does not connect."""
        return self._on_stdio(in_pieces) if self.port is None else self._on_socket(self.port, in_pieces)

    @contextmanager
    def _on_stdio(self, in_pieces: bool) -> Iterator[Candidate]:
        loop, made = Loop(), list[Candidate]()

        def make(transport: Transport) -> Receiver:
            assert isinstance(transport, ChildTransport), "a program is started with one"
            tap = Tap(loop, transport, transport.end_input, in_pieces)
            made.append(self._candidate(loop, tap))
            return tap

        with self._confined() as launch:
            process = self._begin(loop, self.argv, make, launch)
            (bot,) = made
            bot.seen.process = process
            try:
                yield bot
            finally:
                process.abort()
                bot.over()

    @contextmanager
    def _confined(self) -> Iterator[Launch | None]:
        """The sandbox for one start, if there is to be one; nothing of it is left afterwards."""
        launch = self.sandbox(self.argv) if self.sandbox is not None else None
        try:
            yield launch
        finally:
            if launch is not None:
                launch.release_now()

    @contextmanager
    def _on_socket(self, port: int, in_pieces: bool) -> Iterator[Candidate]:
        loop, came, gates = Loop(), list[Candidate](), list[AnyToken]()

        def make(transport: Transport) -> Receiver:
            tap = Tap(loop, transport, transport.close, in_pieces)
            bot, gate = self._candidate(loop, tap), AnyToken(transport, tap)
            if came:
                loop.call_later(0.0, transport.abort)  # a seat has one connection
            else:
                came.append(bot)
                gates.append(gate)
            return gate

        listening = ListeningPort(loop, port, lambda connection: PolledSocket(loop, connection, make), self.host)
        try:
            with self._program(loop, listening.port) as process:
                bot = self._first(loop, came, process)
                bot.seen.process, bot.seen.on_socket = process, True
                try:
                    yield bot
                finally:
                    self.tokens.extend(self._shown(bot, gates[0]))
                    bot.tap.abort()
                    bot.over()
        finally:
            listening.close()

    def _shown(self, bot: Candidate, gate: AnyToken) -> list[str]:
        """What it has shown for itself; nothing of a bot that was ended before it said anything."""
        token = gate.token or bot.token
        return [token] if token or bot.tap.since(0) else []

    @contextmanager
    def _program(self, loop: Loop, port: int) -> Iterator[ChildTransport | None]:
        """The process that connects, if it is ours to start; its output is drained and ignored."""
        if not self.argv:
            yield None
            return
        argv = [word.replace("{host}", LOCAL).replace("{port}", str(port)) for word in self.argv]
        screen = _Screen()
        process = self._begin(loop, argv, lambda transport: screen)
        try:
            yield process
        finally:
            process.abort()
            loop.run(lambda: screen.over)

    def _begin(
        self, loop: Loop, argv: Sequence[str], make: Callable[[Transport], Receiver], launch: Launch | None = None
    ) -> ChildTransport:
        if launch is not None:
            pty = self.pty and takes_terminal(argv, str(self.cwd))  # what is started is a sandbox around it
            child = start(launch.argv, str(self.cwd), launch.env, pty, launch.pass_fds)
            launch.started()
        else:
            env = environment()
            check(argv[0], str(self.cwd), env)
            child = start(argv, str(self.cwd), env, self.pty)
        return ChildTransport(loop, child, child.stdout, f"{argv[0]} (pid {child.pid})", make, keeper.release)

    def _first(self, loop: Loop, came: list[Candidate], process: ChildTransport | None) -> Candidate:
        """The first connection. Raises Failed if none comes, or the program exits before."""
        seconds = COMES_S if process is None else self.adapter.ready_s

        def over() -> bool:
            return bool(came) or (process is not None and process.exit_status is not None)

        if not loop.wait(over, seconds):
            asking = f", and it {ASKS}" if process is not None and asks(process.pid) else ""
            raise self._absent("no_start", f"nobody connected within {seconds:g} s{asking}", process)
        if not came:
            assert process is not None, "it is over"
            raise self._absent("crash", f"the process ended ({process.exit_words})", process)
        return came[0]

    def _absent(self, termination: str, reason: str, process: ChildTransport | None) -> Failed:
        evidence = Evidence(
            self.adapter.slug,
            termination,
            reason,
            exit="" if process is None or process.exit_status is None else process.exit_words,
            stderr="" if process is None else process.stderr_tail.decode(errors="backslashreplace"),
            heard=False,
        )
        card = diagnose(evidence)
        assert card is not None, f"{termination} is always explained"
        return Failed(card, [])

    def _candidate(self, loop: Loop, tap: Tap) -> Candidate:
        return Candidate(loop, self.adapter(), tap, self.answer_s, self.startup_s)


class _Screen:
    """Discards the output of a program that connects to a socket."""

    over = False

    def data_received(self, data: bytes, stamp: float) -> None:
        """Ignore it."""

    def eof_received(self) -> None:
        """Nothing to do: it may still play."""

    def connection_lost(self, reason: str) -> None:
        self.over = True
