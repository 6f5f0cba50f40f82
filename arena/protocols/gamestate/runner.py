"""The output shown in protocol text 000. The last board is not broadcast."""

from __future__ import annotations

from arena.protocols.drop_in import End, Output, rows, spaced
from games import Position


class GameStateOutput(Output):
    """Always prints its boards."""

    variant = "connect-four-8x8"
    shows_stderr = True
    asks_human = "REQUEST_MOVE"

    def started(self) -> list[str]:
        return [line for seat in self.people for line in (f"ASSIGN_PLAYER: {seat}", f"GAMESTATE: {'-' * 64}")]

    def asks(self, seat: int) -> list[str]:
        return [f"requesting move from player{seat}", *([self.asks_human] if seat in self.people else [])]

    def moved(self, seat: int, move: str, position: Position, line_end: str) -> list[str]:
        board, column = rows(position, "-XO"), int(move) - 1
        row = next(number for number, places in enumerate(board) if places[column] != "-")
        lines = [
            f"got reply from player{seat}: {column}{line_end}",
            f"player{seat} moves to ({row},{column})\n",
            "current board:",
            *map(spaced, board),
            "",
        ]
        if position.to_move is not None:
            state = f"GAMESTATE: {''.join(board)}"
            lines += [f"broadcasting: {state}", *[state] * len(self.people)]
        return lines

    def result(self, end: End) -> list[str]:
        outcome = f"OUTCOME: {'TIE' if end.winner is None else end.winner}"
        if end.termination != "normal":
            reply = f"got reply from player{end.seat}: {_reply(end)}"
            return [reply, f"player{end.seat} moved illegally! forfeits!", outcome]
        return [outcome] if end.winner is None else [f"player{end.winner} wins!", outcome]


def _reply(end: End) -> str:
    """The answer of the losing player as it was read: with its line end, if it had one."""
    if end.data.get("move"):
        return f"{int(end.data['move']) - 1}{end.line_end}"
    return end.reply
