"""A bot that is a child process, and what it says: the driver's side of what sessions are on the server."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.common.limits import Bucket
from arena.match.commands import Abort, Command, Fault, Play, Refusal, Resign
from arena.match.state import LogEvent
from arena.play import meaning
from arena.play.bout import Bout, BoutTurn
from arena.play.flood import COSTS_OF_A_LINE, LINES, lines_in
from arena.play.loop import Alarm, Loop
from arena.play.start import Child, keeper, start
from arena.protocols import adapter as wire
from arena.transports.process import ChildTransport
from arena.transports.programs import check, environment

if TYPE_CHECKING:
    from arena.protocols.adapter import Adapter, Deadline
    from arena.transports import Transport

# Of what went over its connection, so many messages are kept for whoever asks why it failed.
RECENT_MESSAGES = 64


class Program:
    """One process of one bot. `setup` is who sits there, `failed` why it could not be started.

    It is `settled` when it is known whether it can play, and `over` when nothing of its process is left. `sent` is
    called with what is written to it.
    """

    def __init__(self, loop: Loop, adapter: type[Adapter], name: str) -> None:
        self.setup = meaning.program_on_seat(adapter, name)
        self.adapter = adapter()
        self.failed = ""
        self.ready = self.settled = self.over = False
        self.sent: Callable[[Program, bytes], None] | None = None
        self.passed: deque[tuple[str, bytes]] = deque(maxlen=RECENT_MESSAGES)
        self.child: ChildTransport | None = None
        self.reads_input: bool | None = None
        self.bout: Bout | None = None
        self.seat = 0
        self._loop = loop
        self._stamp = time.monotonic()
        self._allowance = Bucket(*LINES, self._stamp)
        self._why_lost: meaning.Loss | None = None
        self._lost = ""
        self._asked_ply = 0
        self._is_last: Callable[[str], bool] = _always
        self._pumping = False
        self._deadline: Deadline | None = None
        self._timer: Alarm | None = None
        self._handshake: Alarm | None = None
        self._looks: meaning.Looks | None = None

    # -- its process ---------------------------------------------------------------------------------------------------

    def begin(self, argv: tuple[str, ...], cwd: str, pty: bool, child: Child | None = None) -> None:
        """Start it, unless it has been started as `child` already, and let it say what its protocol says first."""
        try:
            if child is None:
                env = environment()
                check(argv[0], cwd, env)
                child = start(argv, cwd, env, pty)
        except OSError as why:
            self.failed, self.settled, self.over = str(why), True, True
            return
        peer = f"{argv[0]} (pid {child.pid})"
        self.child = ChildTransport(self._loop, child, child.stdout, peer, self._receive, keeper.release)
        self.child.on_stderr = self._complained
        self._handshake = self._loop.call_later(self.adapter.ready_s, self._not_ready)
        if self.adapter.joins:
            self.adapter.send(wire.Company(True))
        self._pump()
        if self.adapter.listens:
            self._looks = meaning.Looks()
            self._loop.call_later(self._looks.pause_s, self._look)

    def end(self) -> None:
        """End the process, unless it still owes an answer, which it gives within the adapter's deadline."""
        if self.over or self.child is None:
            return
        self._step(self.adapter.send, wire.Bye())
        if self.adapter.deadline is None and not self.adapter.wants_close:  # else it is being closed already
            self.child.abort()

    def _look(self) -> None:
        """Whether it waits for input instead of saying a name, where its protocol leaves that open."""
        if self.child is None or self._looks is None or self.over or not self.adapter.listens:
            return
        if self._looks.waits(self.child.waits_for_input() and self.adapter.listens):
            self._step(self.adapter.tick, "ready")
        else:
            self._loop.call_later(self._looks.pause_s, self._look)

    def _receive(self, transport: Transport) -> Program:
        return self

    def _complained(self, data: bytes) -> None:
        self.passed.append(("err", data))

    # -- as the receiver of its process --------------------------------------------------------------------------------

    def data_received(self, data: bytes, stamp: float) -> None:
        self.passed.append(("in", data))
        if not self._allowance.take(lines_in(data), stamp):
            self._flooded()
            return
        self._stamp = stamp
        self._step(self.adapter.receive_data, data)

    def eof_received(self) -> None:
        self._stamp = time.monotonic()
        self._step(self.adapter.receive_eof)

    def connection_lost(self, reason: str) -> None:
        self.over, self._lost = True, reason
        for alarm in (self._timer, self._handshake):
            if alarm is not None:
                alarm.cancel()
        self._settle(False)
        if self.bout is not None and not self.bout.over:
            self._lose_connection()

    def _flooded(self) -> None:
        sentence = f"{self.setup.name} sent more than {LINES.at_once:g} lines at once and {LINES.per_second:g} a second"
        self._blame(meaning.Loss("bad_output", sentence))
        if self.child is not None:
            self.child.abort()

    def _blame(self, loss: meaning.Loss, move: str = "", stamp: float | None = None) -> None:
        """It loses its match by this: now, or as soon as it has one."""
        if self.bout is None:
            self._why_lost = self._why_lost or loss
            self._settle(False)
            if self.child is not None:
                self.child.close()
        elif not self.bout.over:
            fault = Fault(self.seat, loss.code, loss.reason, loss.received, loss.expected, move)
            self.bout.post(fault, stamp=stamp)

    def _lose_connection(self) -> None:
        assert self.bout is not None and self.child is not None, "it was lost in a match"
        child = self.child
        loss = self._why_lost or meaning.loss_of_process(
            self.setup.name, self._lost, child.exit_words, child.stderr_tail
        )
        self.bout.post(Fault(self.seat, loss.code, loss.reason, loss.received, loss.expected))

    # -- what it means -------------------------------------------------------------------------------------------------

    def _heard(self, event: wire.FromBot) -> None:
        _TAKE[type(event)](self, event)

    def _hello(self, hello: wire.Hello) -> None:
        """It is called as it was started, and no token is asked for."""
        self.adapter.send(wire.Admitted())

    def _seek(self, wish: wire.Wish) -> None:
        """Whatever seat it asks for, it is this one: it was started for it."""
        self.adapter.send(wire.Joined(wish.code if isinstance(wish, wire.Join) else ""))
        self._settle(True)

    def _is_ready(self, _: wire.Ready) -> None:
        self._settle(True)

    def _settle(self, ready: bool) -> None:
        if self._handshake is not None:
            self._handshake.cancel()
        self.ready, self.settled = ready and not self.over, True

    def _not_ready(self) -> None:
        """The handshake did not come in its time."""
        self._step(self.adapter.tick, "ready")
        if not self.ready:
            self._blame(meaning.Loss("stall", meaning.not_ready(self.setup.name, self.adapter.ready_s)))

    def _play(self, play: wire.BotMove) -> None:
        if self.bout is not None:
            self.bout.post(Play(self.seat, self._asked_ply, play.text), self._judged, self._stamp)

    def _judged(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            self._step(self.adapter.send, wire.Refused(refusal.code, refusal.sentence))

    def _resign(self, _: wire.BotResigns) -> None:
        if self.bout is not None and not self.bout.over:
            self.bout.post(Resign(self.seat))

    def _fault(self, fault: wire.BotFault) -> None:
        reason = meaning.reason_of(fault, self.setup.name)
        self._blame(meaning.Loss(fault.code, reason, fault.received, fault.expected), fault.move, self._stamp)

    def _closed(self, _: wire.Closed) -> None:
        if self.child is not None:
            self._loop.call_later(meaning.EXIT_S, self.child.close)

    # -- as a player of a match ----------------------------------------------------------------------------------------

    def may_go_on(self) -> bool:
        """Whether its process can play another match: nothing went wrong in the last one."""
        return self.ready and self.bout is not None and self.bout.state.termination in meaning.GOOD_ENDINGS

    def go_on(self) -> None:
        """It plays another match: it has started up, so nothing more is allowed for that."""
        self.setup = replace(self.setup, startup_ms=0)

    def take_seat(self, bout: Bout, seat: int, is_last: Callable[[str], bool]) -> None:
        """Play this match; `is_last` says of its termination whether this process plays no other."""
        self.bout, self.seat, self._is_last = bout, seat, is_last
        bout.followers.append(self)
        setup = bout.state.setup
        opponent = setup.seats[1 - seat].name
        self._step(self.adapter.send, wire.Seated(seat, self.setup.name, opponent, setup.clock, bout.id))
        if self.child is not None and (self.over or self._why_lost is not None):
            self._lose_connection()

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """Tell the bot what is in the log, and ask it when its turn begins: all of it in one write."""
        position, adapter = bout.state.position, self.adapter
        try:
            for event in events:
                if event.kind == "move":
                    adapter.send(meaning.moved(event, position))
                elif event.kind == "started":
                    adapter.send(meaning.started(bout.state.setup, position))
                elif event.kind == "ended":
                    self._end_match(event)
            if turn is not None and turn.seat == self.seat:
                self._asked_ply = position.ply + 1
                self._allowance.give(COSTS_OF_A_LINE * adapter.answer_lines)
                adapter.send(wire.Turn(position, turn.left_ms[self.seat], turn.left_ms[1 - self.seat]))
        except Exception:
            self._broke()
        self._pump()

    def _end_match(self, event: LogEvent) -> None:
        assert self.bout is not None, "its match has ended"
        if event.data["termination"] in ("timeout", "stall"):
            self.reads_input = self.waits_for_input()
        last = self._is_last(event.data["termination"])
        self.ready = self.ready and not last
        self.bout.followers.remove(self)
        self.adapter.send(meaning.ended(event, self.bout.state.position, last))

    def waits_for_input(self) -> bool | None:
        """Whether it is blocked reading its input, None where that cannot be seen."""
        if self.child is None or self.over:
            return None
        from arena.transports.reading import reads_input

        return reads_input(self.child.pid)

    # -- its adapter ---------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Write what the adapter wants to say, then take what the bot meant."""
        if self._pumping or self.child is None:
            return
        adapter, self._pumping = self.adapter, True
        try:
            while True:
                if data := adapter.data_to_send():
                    self.passed.append(("out", data))
                    if self.sent is not None:
                        self.sent(self, data)
                    self.child.write(data)
                events = adapter.events_received()
                if not events:
                    break
                for event in events:
                    self._heard(event)
        except Exception:
            self._broke()
        finally:
            self._pumping = False
        if adapter.deadline is not self._deadline:
            self._wait(adapter.deadline)
        if adapter.wants_close:
            self.child.close()

    def _wait(self, deadline: Deadline | None) -> None:
        self._deadline = deadline
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None and not self.over:
            self._timer = self._loop.call_later(deadline.seconds, self._tick)

    def _tick(self) -> None:
        if self._deadline is not None:
            self._step(self.adapter.tick, self._deadline.name)

    def _step(self, step: Callable[[Any], None] | Callable[[], None], *arguments: object) -> None:
        try:
            step(*arguments)
        except Exception:
            self._broke()
        self._pump()

    def _broke(self) -> None:
        """A defect of ours, where an exception is being handled: it ends this match and no other."""
        import logging

        logging.getLogger("arena.play").exception("%s: the adapter failed", self.setup.name)
        if self.bout is not None and not self.bout.over:
            command: Command = Abort("server_abort", f"the server could not speak for {self.setup.name}")
            self.bout.post(command)
        if self.child is not None:
            self.child.abort()


def _always(termination: str) -> bool:
    return True


_TAKE: dict[type, Callable[[Program, Any], None]] = {
    wire.Hello: Program._hello,
    wire.Join: Program._seek,
    wire.Queue: Program._seek,
    wire.Challenge: Program._seek,
    wire.Ready: Program._is_ready,
    wire.BotMove: Program._play,
    wire.BotResigns: Program._resign,
    wire.BotFault: Program._fault,
    wire.Closed: Program._closed,
}
