"""The observations of the bot under test, and the card that they give for a failed step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.bots.conformance.tap import Tap, transcript
from arena.bots.failure.cards import Card
from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import failure_in, with_wire
from arena.play.meaning import STDERR_SHOWN
from arena.protocols.adapter import Adapter, BotFault
from arena.protocols.framing import shown
from arena.protocols.hints import Evidence, Timing
from arena.protocols.steps import StepFailed
from arena.transports.process import FLOODS_STDERR, ChildTransport
from arena.transports.reading import reads_input
from games import Position


class Failed(StepFailed):
    """A step failed: `card` says why, `wire` has the lines of the connection."""

    def __init__(self, card: Card, wire: list[str]) -> None:
        super().__init__(card.code, card.title, card.sentence)
        self.card = card
        self.wire = wire


@dataclass(slots=True)
class Observed:
    """`answer_s` is how long an answer may take, `startup_s` the extra time while it is `starting`. `gone` is why its
    connection ended, None while it lasts. `position` is the last one that it was asked about, `said_before` the end of
    its standard error then.
    """

    adapter: Adapter
    tap: Tap
    answer_s: float
    startup_s: float
    process: ChildTransport | None = None
    on_socket: bool = False
    starting: bool = True
    flooded: bool = False
    gone: str | None = None
    position: Position | None = None
    said_before: str = ""
    moves: list[str] = field(default_factory=list)

    def failed(self, termination: str, fault: BotFault | None = None, **known: Any) -> Failed:
        """The failure to raise, with all known facts."""
        if fault is not None:
            known = {"received": fault.received, "expected": fault.expected, "move": fault.move} | known
        found = diagnose(self.evidence(termination, **known))
        assert found is not None, f"{termination} is always explained"
        return Failed(found, self.wire())

    def evidence(self, termination: str, **known: Any) -> Evidence:
        """The facts known at this moment."""
        process = self.process
        status = "" if process is None or process.exit_status is None else process.exit_words
        startup_ms = round(self.startup_s * 1000) if self.starting else 0
        data: dict[str, Any] = {
            "asked": self._last_told(),
            "moves": tuple(self.moves),
            "position": self.position,
            "exit": status,
            "stderr": self.stderr(),
            "detail": failure_in(termination, self.stderr().removeprefix(self.said_before)),
            "timing": Timing(None, f"move:{self.answer_s:.3f}s", startup_ms),
            "heard": bool(self.tap.since(0)),
        }
        return Evidence(self.adapter.slug, termination, **(data | known))

    def _last_told(self) -> str:
        """The last line of the last message: where nothing has a line end, that is the message."""
        told = (data for way, data in reversed(self.tap.passed) if way == "<")
        lines = (line for data in told for line in reversed(data.split(b"\n")))
        return shown(next((line for line in lines if line and not line.startswith(b"Error ")), b""))

    def stderr(self) -> str:
        """The end of its output on standard error."""
        tail = b"" if self.process is None else self.process.stderr_tail[-STDERR_SHOWN:]
        return tail.decode(errors="backslashreplace")

    def wire(self) -> list[str]:
        """Everything on its connection, as lines."""
        return list(transcript(self.tap.passed))

    def late(self, termination: str) -> Failed:
        """The failure of a bot that has not answered in time, explained by its connection as after a match."""
        reads = None if self.process is None else reads_input(self.process.pid)
        wire = [("in" if way == ">" else "out", data) for way, data in self.tap.passed]
        found = diagnose(with_wire(self.evidence(termination, reads_input=reads), wire))
        assert found is not None, f"{termination} is always explained"
        return Failed(found, self.wire())

    def dead(self) -> Failed:
        """The failure of a bot whose connection or process is gone."""
        process = self.process
        if self.gone == FLOODS_STDERR:
            return self.failed("resource_limit", reason="standard error")
        if self.flooded:
            return self.failed("bad_output", reason="the bot sent more than it was asked for")
        if process is not None and process.exit_status is not None:
            return self.failed("crash", reason=f"the process ended ({process.exit_words})")
        if process is not None and process.has_closed_input:
            return self.failed("disconnect", reason="it closed its input and did not exit")
        if self.gone is None and not self.on_socket:
            return self.failed("disconnect", reason="it closed its output and did not exit")
        return self.failed("disconnect", reason=self.gone or "it closed the connection")
