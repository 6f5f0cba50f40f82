"""Prints what the original runner of a protocol printed during a match."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from arena.match.endings import counts
from arena.match.state import LogEvent
from arena.play.bout import Bout, BoutTurn
from arena.play.driver import Log, Watcher
from arena.protocols.adapter import BotMove
from arena.protocols.drop_in import End, Output
from arena.protocols.framing import LINE_CAP, shown

# Explains in lines why the bot of a match failed.
Explain = Callable[[Log], Iterable[str]]


class Printer(Watcher):
    """Follows a match and prints it; `broken` says why there is no result. Failures are explained on stderr."""

    def __init__(self, output: Output, explain: Explain) -> None:
        self.broken = ""
        self._line_ends = ["\n", "\n"]  # of each player's last answer, as it was read
        self._output, self._explain = output, explain

    def started(self, log: Log) -> None:
        _print(self._output.started())

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        for event in events:
            if event.kind == "move":
                seat = event.seat or 0
                _print(self._output.moved(seat, event.move, bout.state.position, self._line_ends[seat]))
        if turn is not None:
            _print(self._output.asks(turn.seat))

    def sent(self, bout: Bout, seat: int, data: bytes) -> None:
        _print(self._output.sent(bout.state.position))

    def answered(self, bout: Bout, seat: int, move: BotMove) -> None:
        self._line_ends[seat] = "\n" if move.ended else ""

    def complained(self, data: bytes) -> None:
        if self._output.shows_stderr:
            sys.stderr.flush()
            sys.stderr.buffer.write(data)
            sys.stderr.buffer.flush()

    def silent(self, bout: Bout, seat: int, waits: bool | None, seconds: float) -> None:
        if seat in self._output.people:
            return
        name = bout.state.setup.seats[seat].name
        does = {
            True: "It waits for input itself: did it flush its answer, with a newline at the end?",
            False: "It is still computing.",
            None: "It may still be computing, or not have flushed its answer.",
        }[waits]
        player = self._output.players[seat]
        print(f"runner: waiting for {player} ({name}): no answer in {seconds:g} s. {does}", file=sys.stderr)

    def ended(self, log: Log) -> None:
        state, end = log.state, log.events[-1]
        termination, seat = str(state.termination), end.seat or 0
        card = [] if termination in ("normal", "resign") else [*self._explain(log)]
        if card:
            name = f"{self._output.players[seat]} ({state.setup.seats[seat].name})"
            print(f"{name}: {card[0]}", *card[1:], sep="\n  ", file=sys.stderr)
        if not counts(termination):
            self.broken = f"no result: {state.reason}"
            return
        if termination != "normal" and not card:
            print(state.reason, file=sys.stderr)
        line_end = self._line_ends[seat]
        reply = _reply(log, seat, line_end)
        how = End(state.position, state.winner, termination, end.seat, end.data, reply, line_end)
        _print(self._output.result(how))


def _reply(log: Log, seat: int, line_end: str) -> str:
    """The unreadable line that this seat's program lost with, as it was read and whole where the log has only its
    beginning, or the line that it had begun when it ended.
    """
    *lines, begun = b"".join(data for way, data in log.passed[seat] if way == "in").split(b"\n")
    if log.state.termination in ("bad_output", "out_of_turn"):
        received = str(log.events[-1].data.get("received", ""))
        whole = (shown(line, LINE_CAP) for line in (*lines, begun) if shown(line[:LINE_CAP]) == received)
        return next(whole, received) + "\n"
    return shown(begun, LINE_CAP) if log.state.termination in ("crash", "disconnect") and line_end else ""


def _print(lines: list[str]) -> None:
    """Print and flush, because the reader may be a program."""
    if lines:
        sys.stdout.write("\n".join([*lines, ""]))
        sys.stdout.flush()
