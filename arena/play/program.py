"""A bot that is a child process."""

from __future__ import annotations

from arena.match.series import Loser
from arena.play import meaning
from arena.play.freezing import Freezer
from arena.play.line import Line
from arena.play.loop import Loop
from arena.play.seated import SeatedBot
from arena.play.start import Child, keeper, start
from arena.protocols import adapter as wire
from arena.transports.process import ChildTransport
from arena.transports.programs import check, environment, not_started
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.play.bout import Bout
    from arena.protocols.adapter import Adapter
    from arena.transports import Transport


class Launched(NamedTuple):
    """A program started in a sandbox. `why_lost(exit status, stderr)` explains its end."""

    child: Child
    why_lost: Callable[[int, bytes], meaning.Loss]


class Program(SeatedBot):
    """One process of one bot. `complained` is called with everything that it writes to its standard error."""

    def __init__(
        self,
        loop: Loop,
        adapter: type[Adapter],
        name: str,
        keep_wire: bool = False,
        freeze: bool = False,
        patient: bool = False,
    ) -> None:
        super().__init__(loop, adapter, meaning.program_on_seat(adapter, name), keep_wire)
        self._freezes, self._patient = freeze, patient
        self._freezer: Freezer | None = None
        self.over = True  # until a process is started
        self.child: ChildTransport | None = None
        self.complained: Callable[[bytes], None] | None = None
        self._looks: meaning.Looks | None = None
        self._launched: Launched | None = None

    # -- its process ---------------------------------------------------------------------------------------------------

    def begin(
        self,
        argv: tuple[str, ...],
        cwd: str,
        pty: bool,
        child: Child | None = None,
        launch: Callable[[], Launched] | None = None,
    ) -> None:
        """Start the process, by `launch` if given, unless it runs as `child`; then send the protocol's first output.

        Raises OSError when the machine has no processes, files or terminals left, which is no fault of the bot.
        """
        env = environment()
        try:
            if launch is not None:
                self._launched = launch()
                child = self._launched.child
            elif child is None:
                check(argv[0], cwd, env)
        except OSError as why:
            self.failed, self.settled = not_started(why), True
            return
        child = child or _started(argv, cwd, env, pty)
        peer = f"{argv[0]} (pid {child.pid})"
        self.child = ChildTransport(self._loop, child, child.stdout, peer, self._receive, keeper.release)
        self.over = False  # not earlier: after an interruption only the keeper would end it
        self.child.on_stderr = self._complained
        if self.adapter.says_the_end:
            self.child.leaving_s = meaning.LEAVING_S
        if self._freezes:
            self._freezer = Freezer(self._loop, child.pid, self._may_freeze, self._launched is not None)
        self._expect_handshake()
        if self.adapter.joins:
            self.adapter.send(wire.Company(True))
        self.line.pump()
        if self.adapter.listens:
            self._looks = meaning.Looks()
            self._loop.call_later(self._looks.pause_s, self._look)

    def _receive(self, transport: Transport) -> Line:
        self.line.connect(transport)
        return self.line

    def _complained(self, data: bytes) -> None:
        self.line.complained(data)
        if self.complained is not None:
            self.complained(data)

    # -- outside its turn ----------------------------------------------------------------------------------------------

    def take_seat(self, bout: Bout, seat: int, is_last: Callable[[str], bool]) -> None:
        if self._freezer is not None:
            self._freezer.seat = seat
            bout.followers.append(self._freezer)
        super().take_seat(bout, seat, is_last)

    def _may_freeze(self) -> bool:
        if self.over or self.child is None or self.child.exit_status is not None or not self.playing:
            return False
        return self.adapter.deadline is None and not self.line.is_unread

    def end(self) -> None:
        """End the process, unless it still owes an answer, which it gives within the adapter's deadline."""
        if self.over or self.child is None:
            return
        if self._freezer is not None:
            self._freezer.thaw()
        self.line.say(wire.Bye())
        if self.adapter.deadline is None and not self.adapter.wants_close:  # else it is already being closed
            self.child.abort()

    def abort(self) -> None:
        """End the process now, whatever it owes."""
        if self.child is not None:
            self.child.abort()

    def lost(self, reason: str) -> None:
        if self._freezer is not None:
            self._freezer.thaw()  # it looks again at what forks, and the number may be another process's from now on
        super().lost(reason)

    def _look(self) -> None:
        """Check whether it waits for input instead of saying a name, if its protocol allows both."""
        if self.child is None or self._looks is None or self.over or not self.adapter.listens:
            return
        if self._looks.waits(self.child.waits_for_input() and self.adapter.listens):
            self.line.tick("ready")
        else:
            self._loop.call_later(self._looks.pause_s, self._look)

    def waits_for_input(self) -> bool | None:
        if self.child is None or self.over:
            return None
        from arena.transports.reading import reads_input

        return reads_input(self.child.pid)

    def loss(self) -> meaning.Loss:
        assert self.child is not None, "what was not started was not lost"
        if self._launched is not None and self._lost == self.child.exit_words:
            return self._launched.why_lost(self.child.exit_status or 0, self.child.stderr_tail)
        return meaning.loss_of_process(self.setup.name, self._lost, self.child.exit_words, self.child.stderr_tail)

    def _closed(self, _: wire.Closed) -> None:
        """Wait a moment for its exit, which explains more than the end of its output."""
        if self.over:
            if self.playing and not self._may_still_answer():
                self._lose_connection()
        elif self.child is not None:
            self._loop.call_later(meaning.EXIT_S, self.child.close)

    def _may_still_answer(self) -> bool:
        waits = self._patient and self.bout is not None and self.bout.state.to_move != self.seat
        return waits or super()._may_still_answer()

    # -- from match to match -------------------------------------------------------------------------------------------

    def stays(self, keep: bool) -> bool:
        """Whether its process plays another match: if processes are kept, and the last match ended well."""
        return keep and self.ready and self.bout is not None and self.bout.state.termination in meaning.GOOD_ENDINGS

    def go_on(self) -> None:
        """Play another match, without a start-up grace."""
        if self.setup.startup_ms:
            self.setup = self.setup._replace(startup_ms=0)

    def as_loser(self) -> Loser:
        """The next round has a new process."""
        return Loser("bot")


def _started(argv: tuple[str, ...], cwd: str, env: dict[str, str], pty: bool) -> Child:
    try:
        return start(argv, cwd, env, pty)
    except OSError as why:
        words = why.strerror or why
        raise OSError(f"no process can be started: {words}. Play fewer matches at a time, or see `ulimit -a`.") from why
