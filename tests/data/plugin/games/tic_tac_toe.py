"""Tic-tac-toe: three in a row. All that the arena needs to play a new game is in this one file."""

from __future__ import annotations

from dataclasses import dataclass

from games.game import Board, Cell, Game, IllegalMove, InvalidMove, Outcome, Position, Variant

_NAMES = ("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1")
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_SEATS = {"x": 0, "o": 1}


@dataclass(frozen=True, slots=True, repr=False)
class TicTacToePosition(Position):
    """Nine cells of `.`, `x` and `o`, from the top left."""

    cells: str

    @property
    def ply(self) -> int:
        return 9 - self.cells.count(".")

    @property
    def to_move(self) -> int | None:
        return None if self.outcome() else self.ply % 2

    def legal_moves(self) -> tuple[str, ...]:
        return () if self.outcome() else tuple(n for n, cell in zip(_NAMES, self.cells, strict=True) if cell == ".")

    def play(self, move: str) -> TicTacToePosition:
        if move not in _NAMES:
            raise InvalidMove("received {what}: expected a square from a1 to c3", what=repr(move[:40]))
        if move not in self.legal_moves():
            raise IllegalMove("{move} is taken, or the match is over", move=move)
        at = _NAMES.index(move)
        return TicTacToePosition(f"{self.cells[:at]}{'xo'[self.ply % 2]}{self.cells[at + 1 :]}")

    def outcome(self) -> Outcome | None:
        for line in self._finished():
            return Outcome(_SEATS[self.cells[line[0]]], "three in a row")
        return None if "." in self.cells else Outcome(None, "board full")

    def board(self) -> Board:
        cells = [
            Cell(n, seat=_SEATS.get(c), text=c.strip("."), label=n) for n, c in zip(_NAMES, self.cells, strict=True)
        ]
        marks = {_NAMES[cell] for line in self._finished() for cell in line}
        rows = (tuple(cells[0:3]), tuple(cells[3:6]), tuple(cells[6:9]))
        return Board(rows, {move: (move,) for move in self.legal_moves()}, tuple(sorted(marks)))

    def __str__(self) -> str:
        return self.cells

    def _finished(self) -> list[tuple[int, int, int]]:
        return [line for line in _LINES if {self.cells[cell] for cell in line} in ({"x"}, {"o"})]


def _read(text: str) -> TicTacToePosition:
    if len(text) != 9 or set(text) - set(".xo") or text.count("x") - text.count("o") not in (0, 1):
        raise ValueError(f"received {text[:40]!r}: expected nine of . x o")
    return TicTacToePosition(text)


TIC_TAC_TOE = Game(
    "tic-tac-toe",
    "Tic-tac-toe",
    (Variant("tic-tac-toe", "Tic-tac-toe", "tic-tac-toe", lambda: TicTacToePosition("." * 9), _read),),
)
