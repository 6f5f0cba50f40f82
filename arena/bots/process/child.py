"""A bot that is a child process: restarted for every round, so that no state of an earlier match remains.

If a `room` is given, the process is kept from one match to the next as long as nothing goes wrong.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.bots.failure.evidence import last_error
from arena.bots.process.sandbox import Launch, Sandbox, Unreachable, why_it_died
from arena.bots.session.connection import Connection
from arena.bots.session.identity import proven
from arena.bots.session.session import Session
from arena.bots.session.tokens import Identity
from arena.common.detached import detached
from arena.core.hub import LiveMatch, TurnSignal, Update
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.said import said
from arena.match.series import Loser
from arena.play.meaning import (
    EXIT_S,
    GOOD_ENDINGS,
    LEAVING_S,
    Looks,
    Loss,
    loss_of_process,
    program_on_seat,
    shown_stderr,
    stopped,
)
from arena.protocols.adapter import Adapter, Bye, Join, Wish
from arena.rooms.room import LiveRoom
from arena.transports import Transport, stdio
from arena.transports.process import ChildTransport
from arena.transports.programs import not_started, takes_terminal
from arena.transports.reading import reads_input

log = logging.getLogger("arena.bots")


class ChildBot:
    """`argv` is run without a shell in `cwd`, inside `sandbox` if there is one. It is an occupant whose session lasts
    one round. `who` is the registered bot; without `pty` its output is a pipe instead of a terminal. `on_stopped(exit,
    last_error)` is called when its process has ended by itself during a match.
    """

    ready = True

    def __init__(
        self,
        referee: Referee,
        adapter: type[Adapter],
        argv: Sequence[str],
        name: str,
        cwd: Path,
        sandbox: Sandbox | None = None,
        who: Identity | None = None,
        pty: bool = True,
    ) -> None:
        setup = program_on_seat(adapter, name)
        self.setup = proven(setup, who) if who is not None else setup
        self.room: LiveRoom | None = None
        self._startup_ms = setup.startup_ms
        self.on_stopped: Callable[[str, str], None] = lambda exit, last_error: None
        self._referee = referee
        self._adapter = adapter
        self._argv = argv
        self._cwd = cwd
        self._sandbox = sandbox
        self._pty = pty and takes_terminal(argv, str(cwd))
        self._launch: Launch | None = None
        self._releasing: asyncio.Task[None] | None = None
        self._session: Session | None = None
        self._child: ChildTransport | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a process now."""
        return self._session is not None and not self._session.released.is_set()

    def part(self) -> None:
        """End the process because the server stops; the match stays as the log has it."""
        if self._session is not None and self._child is not None:
            self._session.part()
            self._child.abort()

    def as_loser(self) -> Loser:
        """The next round has a new process, which has broken no rule."""
        return Loser("bot")

    async def prepare(self) -> None:
        """Start the process and wait for its protocol's opening messages. Raises OSError if it cannot be started, and
        Refusal if the sandbox cannot run what is in its folder.
        """
        goes_on = self._may_go_on()
        self.setup = self.setup._replace(startup_ms=0 if goes_on else self._startup_ms)
        if goes_on:
            return
        await self.close()
        try:
            await self._start()
        except Unreachable as why:
            log.warning("%s cannot be started: %s", self.setup.name, why)
            raise not_here(self.setup.name) from why
        except OSError as why:
            if why.filename is None:
                raise
            log.warning("%s could not be started: %s", self.setup.name, why)
            raise OSError(not_started(why)) from why
        if self._session is not None and self._child is not None:
            session = self._session
            if await says_no_name(session.adapter, self._child):
                session.connection.tick("ready")
            await session.settled.wait()

    def _may_go_on(self) -> bool:
        """Whether its process is kept, and the last match gave no reason to restart it."""
        session = self._session
        if self.room is None or session is None or not session.ready or session.live is None:
            return False
        return session.live.state.termination in GOOD_ENDINGS

    async def _start(self) -> None:
        if self._sandbox is None:
            self._hear(await stdio.spawn(self._argv, self._receive, cwd=self._cwd, pty=self._pty))
            return
        launch = self._launch = self._sandbox.wrap(self._argv, self._cwd)
        try:
            spawning = stdio.spawn(
                launch.argv, self._receive, cwd=self._cwd, env=launch.env, pty=self._pty, pass_fds=launch.pass_fds
            )
            self._hear(await spawning)
        except BaseException:
            await detached(launch.release())  # to its end, however often this is cancelled
            raise
        launch.started()
        self._releasing = asyncio.create_task(self._release(launch))

    def _hear(self, child: ChildTransport) -> None:
        """Record all output of the process, also on stderr, in its session's wire."""
        session = self._session
        assert session is not None, "spawning has made the session"
        self._child = child
        child.on_stderr = lambda data: session.connection.wire.complained(data)
        if self._adapter.says_the_end:
            child.leaving_s = LEAVING_S

    async def _release(self, launch: Launch) -> None:
        if self._session is not None:
            await self._session.released.wait()
        await launch.release()

    def _receive(self, transport: Transport) -> Connection:
        session = Session(self._adapter(), transport, self._referee, _Alone())
        session.setup, session.keeps_name = self.setup, True
        session.rounds = 1 if self.room is None else None
        session.exit_s = EXIT_S
        session.why_lost = self._why_lost
        session.met(True)
        self._session = session
        return session.connection

    def _why_lost(self, reason: str) -> Loss:
        child = self._child
        assert child is not None, "a session has a child"
        last_words = shown_stderr(child.stderr_tail)
        if reason == child.exit_words:
            self.on_stopped(child.exit_words, last_error(last_words))
        if reason == child.exit_words and self._launch is not None:
            death = why_it_died(child.exit_status or 0, self._launch.events(), child.stderr_tail)
            crashed = f"{self.setup.name} {stopped(death.reason)}"
            return Loss(death.termination, crashed if death.termination == "crash" else death.reason, last_words)
        return loss_of_process(self.setup.name, reason, child.exit_words, child.stderr_tail)

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        if self._session is not None:
            self._referee.hub.follow(live, self._look)
            self._session.room = self.room
            self._session.take_seat(live, seat)

    def _look(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        """At the end of a match, while the process lives, note whether a late bot computed or waited for input."""
        if not isinstance(news, Update) or not news.events or news.events[-1].kind != "ended":
            return
        self._referee.hub.unfollow(live, self._look)
        late = news.events[-1].data["termination"] in ("timeout", "stall")
        if late and self._session is not None and self._child is not None:
            self._session.connection.wire.reads_input = reads_input(self._child.pid)

    def met(self, there: bool) -> None:
        """Nothing to do: its process is started when both sides are there."""

    def dismiss(self) -> None:
        """End the process with all it started, unless it is kept; `close` waits for that. If it still owes an answer,
        it gives that first, within the adapter's deadline.
        """
        if not self._may_go_on():
            self._end()

    def _end(self) -> None:
        if self._child is None or self._session is None:
            return
        adapter = self._session.adapter
        if self._session.connected and not adapter.wants_close:
            self._session.connection.say(Bye())  # a protocol that pings always has a deadline, but owes no answer
        if adapter.deadline is None and not adapter.wants_close:  # else it is already being closed
            self._child.abort()

    async def close(self) -> None:
        """End the process of the last round, and wait until nothing of it is left."""
        if self._child is not None and self._session is not None:
            self._end()
            await self._session.released.wait()
            self._child = self._session = None
        if self._releasing is not None:
            await self._releasing
            self._launch = self._releasing = None


def not_here(name: str) -> Refusal:
    """Nobody loses a match because a program cannot be started. Only the log and the bot's own page say why."""
    return Refusal("cannot_start", said("This server cannot start {name}. Its page tells its owner why.", name=name))


class _Alone:
    """The finder of a child process, which was started for a certain seat."""

    async def seek(self, session: Session, wish: Wish) -> str:
        """Grant any room that the bot names: it is this one."""
        return wish.code if isinstance(wish, Join) else ""

    def ready(self, session: Session) -> None:
        """Nothing to do: `prepare` waits for it."""

    def lost(self, session: Session) -> None:
        """Nothing to do: the session ends its match."""


async def says_no_name(adapter: Adapter, process: ChildTransport) -> bool:
    """Whether the program waits for input and has sent nothing; False once it has, or has ended.

    A program that is still starting is not silent, and a start takes seconds on a busy machine. One that cannot be
    seen waiting has the protocol's full handshake time.
    """
    looks = Looks()
    while adapter.listens and process.exit_status is None:
        await asyncio.sleep(looks.pause_s)
        if looks.waits(process.waits_for_input() and adapter.listens):
            return True
    return False
