"""What the two original runners print while a match is played."""

from __future__ import annotations

import sys
from collections.abc import Callable

from arena.match.endings import counts
from arena.match.state import LogEvent, MatchState
from arena.play.bout import Bout, BoutTurn
from arena.play.driver import Log, Watcher


class Printer(Watcher):
    """Follows a match and prints it; `broken` says why there is no result."""

    # What the protocol calls the two players.
    players = ("player0", "player1")

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.broken = ""

    def silent(self, bout: Bout, seat: int, waits: bool | None, seconds: float) -> None:
        name = bout.state.setup.seats[seat].name
        does = {
            True: "It waits for input itself: did it flush its answer, with a newline at the end?",
            False: "It is still computing.",
            None: "It may still be computing, or not have flushed its answer.",
        }[waits]
        print(f"runner: waiting for {self.players[seat]} ({name}): no answer in {seconds:g} s. {does}", file=sys.stderr)

    def ended(self, log: Log) -> None:
        termination, reason = str(log.state.termination), log.state.reason
        if not counts(termination):
            self.broken = f"{termination}: {reason}"
            return
        if termination != "normal":
            print(f"{termination}: {reason}", file=sys.stderr)
        self.result(log.state, log.events[-1])

    def result(self, state: MatchState, end: LogEvent) -> None:
        """The match is over and has a result."""


class GameStatePrinter(Printer):
    """The output that protocol text 000 shows. The last board is not broadcast."""

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        for event in events:
            if event.kind == "move":
                self._moved(bout.state, event)
        if turn is not None:
            _print(f"requesting move from player{turn.seat}")

    def _moved(self, state: MatchState, move: LogEvent) -> None:
        rows = _rows(state, "-XO")
        column = int(move.move) - 1
        row = next(number for number, places in enumerate(rows) if places[column] != "-")
        _print(
            f"got reply from player{move.seat}: {column}\n",
            f"player{move.seat} moves to ({row},{column})\n",
            "current board:",
            *("".join(f"{place} " for place in places) for places in rows),
            "",
        )
        if state.position.to_move is not None:
            _print(f"broadcasting: GAMESTATE: {''.join(rows)}")

    def result(self, state: MatchState, end: LogEvent) -> None:
        winner = state.winner
        if state.termination == "normal":
            if winner is not None:
                _print(f"player{winner} wins!")
        else:
            _print(f"got reply from player{end.seat}: {_reply(end)}", f"player{end.seat} moved illegally! forfeits!")
        _print(f"OUTCOME: {'TIE' if winner is None else winner}")


class FiarPrinter(Printer):
    """The output that protocol text 001 shows: with `-v` the board before each request, and at the end.

    Behind every place stands a blank, behind the last one as well. An illegal answer is asked for again.
    """

    players = ("player @", "player O")

    def sent(self, bout: Bout, seat: int, data: bytes) -> None:
        """All that this protocol sends are requests."""
        self._print_board(bout.state)

    def result(self, state: MatchState, end: LogEvent) -> None:
        winner = state.winner
        self._print_board(state)
        if winner is None:
            # The original looks at a full board once more, as before a move, and finds that there is none.
            self._print_board(state)
        _print("Draw." if winner is None else f"Player {'@O'[winner]} wins.")

    def _print_board(self, state: MatchState) -> None:
        if self.verbose:
            _print("1 2 3 4 5 6 7", *("".join(f"{place} " for place in places) for places in _rows(state, ".@O")))


PRINTERS: dict[str, Callable[[bool], Printer]] = {"gamestate": GameStatePrinter, "fiar": FiarPrinter}


def _rows(state: MatchState, signs: str) -> list[str]:
    """The board from the top, with the protocol's signs for empty, first and second."""
    size, places = str(state.position).split(" ")
    columns = int(size.split("x")[0])
    places = places.translate(str.maketrans(".xo", signs))
    return [places[start : start + columns] for start in range(0, len(places), columns)]


def _reply(end: LogEvent) -> str:
    """What the losing player answered, with the end of its line; nothing where there was no answer."""
    if end.data.get("move"):
        return f"{int(end.data['move']) - 1}\n"
    if end.data["termination"] in ("bad_output", "out_of_turn"):
        return f"{end.data.get('received', '')}\n"
    return ""


def _print(*lines: str) -> None:
    """At once: who reads may be a program."""
    sys.stdout.write("\n".join([*lines, ""]))
    sys.stdout.flush()
