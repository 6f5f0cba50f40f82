"""Connect Four on any board: drop stones in turn, four in a row in any direction wins, a full board is a draw.

A board of `columns` x `rows` is two bitboards, one a seat: column by column from the left, each from the bottom, with
`rows + 1` bits a column. The bit above each column stays 0, so a shifted board never wraps from one column into the
next, and a full column shows as a drop that falls nowhere. A stone's bit is `column * (rows + 1) + row`.

Moves are columns counted from 1 (`"4"`). The text of a position is `7x6` and its cells from the top left, `x` first.
"""

from __future__ import annotations

from functools import cache, partial
from operator import attrgetter
from reprlib import repr as shortened

from games.game import Board, Cell, Game, IllegalMove, InvalidMove, Outcome, Position, Variant

_COLUMN = r"-?(?:0|[1-9][0-9]{0,9})"
_OVERS = (Outcome(0, "four in a row"), Outcome(1, "four in a row"))
_FULL = Outcome(None, "board full")
_SEAT_WORDS = {0: "first", 1: "second", None: "empty"}
# No seat has four stones before ply 7; checking earlier would add a third to the line checks of a random playout.
_FIRST_WIN = 7
_CELLS = str.maketrans("012", ".xo")


class ConnectFourPosition(Position):
    """One state: `columns`, `rows`, `stones` (the bitboards of seats 0 and 1) and `ply`. Immutable by convention.

    Plain slots and a constructor take 0.15 µs to build; a frozen dataclass takes 0.54, and a tuple is no faster.
    """

    __slots__ = ("_filled", "_followed_by", "_mine", "_ply", "_shape", "_to_move", "_won")

    # Read a dozen times a move: a getter in C takes a third of the time of a method.
    ply = property(attrgetter("_ply"))
    to_move = property(attrgetter("_to_move"))

    def __init__(self, shape: _Shape, mine: int, filled: int, ply: int, won: bool) -> None:
        self._shape = shape
        self._mine = mine  # stones of the seat to move
        self._filled = filled
        self._ply = ply
        self._won = won  # whether the other seat, which has just moved, has won
        self._to_move = None if won or filled == shape.cells else ply & 1
        self._followed_by = None

    @property
    def columns(self) -> int:
        """The number of columns of the board."""
        return self._shape.columns

    @property
    def rows(self) -> int:
        """The number of rows of the board."""
        return self._shape.rows

    @property
    def stones(self) -> tuple[int, int]:
        """The bitboards of seat 0 and seat 1."""
        theirs = self._filled ^ self._mine
        return (theirs, self._mine) if self._ply & 1 else (self._mine, theirs)

    def legal_moves(self) -> tuple[str, ...]:
        if self._won:
            return ()
        shape = self._shape
        return shape.open_columns(self._filled & shape.top_row)

    def play(self, move: str) -> ConnectFourPosition:
        shape = self._shape
        drop = shape.drops.get(move)
        if drop is None or self._won:
            raise self._refusal(move)
        bottom, column = drop
        stone = (self._filled + bottom) & column
        if not stone:
            raise self._refusal(move)
        ply = self._ply + 1
        won = ply >= _FIRST_WIN and _has_line(self._mine | stone, shape.directions)
        return ConnectFourPosition(shape, self._filled ^ self._mine, self._filled | stone, ply, won)

    def after(self, move: str) -> Position:
        known = self._followed_by
        if known is not None and known[0] == move:
            return known[1]
        after = self.play(move)
        self._followed_by = move, after
        return after

    def outcome(self) -> Outcome | None:
        if self._won:
            return _OVERS[1 - (self._ply & 1)]
        return _FULL if self._filled == self._shape.cells else None

    def board(self) -> Board:
        choices = {move: (move,) for move in self.legal_moves()}
        return Board(rows=self._rows_of_cells(), choices=choices, marks=self._marks())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConnectFourPosition):
            return NotImplemented
        return self._state() == other._state()

    def __hash__(self) -> int:
        return hash(self._state())

    def __str__(self) -> str:
        shape, (first, second) = self._shape, self.stones
        # The bits, read as hexadecimal digits: 1 for a stone of the first seat, 2 for one of the second.
        digits = int(f"{first:b}", 16) + 2 * int(f"{second:b}", 16)
        places = format(digits, shape.digits)[::-1]
        cells = "".join([places[row] for row in shape.rows_as_read]).translate(_CELLS)
        return f"{shape.columns}x{shape.rows} {cells}"

    def __reduce__(self) -> tuple[object, ...]:
        return _read, (self.columns, self.rows, str(self))

    def _state(self) -> tuple[int, int, int, int]:
        return self._shape.columns, self._shape.rows, self._mine, self._filled

    def _rows_of_cells(self) -> tuple[tuple[Cell, ...], ...]:
        shape = self._shape
        cells = [self._cell(bit, name) for bit, name in zip(shape.bits_as_read, shape.names_as_read, strict=True)]
        return tuple(tuple(cells[i : i + shape.columns]) for i in range(0, len(cells), shape.columns))

    def _cell(self, bit: int, name: str) -> Cell:
        first, second = self.stones
        seat = 0 if first & bit else 1 if second & bit else None
        return Cell(id=name, seat=seat, label=f"{name}, {_SEAT_WORDS[seat]}")

    def _marks(self) -> tuple[str, ...]:
        if not self._won:
            return ()
        shape = self._shape
        lines = _cells_of_lines(self._filled ^ self._mine, shape.directions)
        return tuple(name for bit, name in zip(shape.bits_as_read, shape.names_as_read, strict=True) if lines & bit)

    def _refusal(self, move: str) -> InvalidMove | IllegalMove:
        import re  # imported only where needed, so that a runner starts sooner

        columns = self.columns
        if not re.fullmatch(_COLUMN, move):
            return InvalidMove(
                "received {what}: expected a column from 1 to {columns}, such as '1'",
                what=shortened(move),
                columns=columns,
            )
        if (outcome := self.outcome()) is not None:
            return IllegalMove(
                "column {column} was not played: the match is over ({reason})", column=move, reason=outcome.reason
            )
        if move not in self._shape.drops:
            return IllegalMove("there is no column {column}; columns are 1 to {columns}", column=move, columns=columns)
        others = ", ".join(self.legal_moves())
        return IllegalMove("column {column} is full; open columns: {others}", column=move, others=others)


class _Shape:
    """What positions of one board size share: bit masks, the drop of each move and the names of the open columns."""

    def __init__(self, columns: int, rows: int) -> None:
        height = rows + 1
        bits = [[1 << (column * height + row) for row in range(rows)] for column in range(columns)]
        self.columns, self.rows = columns, rows
        self.cells = sum(map(sum, bits))
        self.top_row = sum(column[-1] for column in bits)
        # Bit distances: up, right, and the two diagonals.
        self.directions = (1, height, height + 1, height - 1)
        self.drops = {str(number): (column[0], sum(column)) for number, column in enumerate(bits, start=1)}
        self.digits = f"0{columns * height}x"
        self.rows_as_read = [slice(row, None, height) for row in reversed(range(rows))]
        self.bits_as_read = [bits[column][row] for row in reversed(range(rows)) for column in range(columns)]
        self.names_as_read = [
            f"{chr(97 + column)}{row + 1}" for row in reversed(range(rows)) for column in range(columns)
        ]
        self.open_columns = cache(self._open_columns)

    def _open_columns(self, full: int) -> tuple[str, ...]:
        """The moves left when the cells `full` of the top row are taken; cached, at most 256 sets on 8 columns."""
        return tuple(move for move, (_, column) in self.drops.items() if not full & column)


_shape = cache(_Shape)


def _has_line(stones: int, directions: tuple[int, ...]) -> bool:
    for step in directions:
        pairs = stones & (stones >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


def _cells_of_lines(stones: int, directions: tuple[int, ...]) -> int:
    """All cells that are part of four in a row."""
    found = 0
    for step in directions:
        pairs = stones & (stones >> step)
        fours = pairs & (pairs >> 2 * step)
        found |= fours | fours << step | fours << 2 * step | fours << 3 * step
    return found


def _begin(columns: int, rows: int) -> ConnectFourPosition:
    return ConnectFourPosition(_shape(columns, rows), 0, 0, 0, False)


def _read(columns: int, rows: int, text: str) -> ConnectFourPosition:
    """The position written as `text`. Raises ValueError for text that is malformed or plainly unreachable in play."""
    import re

    size = f"{columns}x{rows}"
    if not re.fullmatch(rf"{size} [.xo]{{{columns * rows}}}", text):
        raise ValueError(f"received {shortened(text)}: expected '{size}' and {columns * rows} cells of . x o")
    shape = _shape(columns, rows)
    cells = text.removeprefix(f"{size} ")
    first = sum(bit for bit, cell in zip(shape.bits_as_read, cells, strict=True) if cell == "x")
    second = sum(bit for bit, cell in zip(shape.bits_as_read, cells, strict=True) if cell == "o")
    return _checked(shape, first, second, text)


def _checked(shape: _Shape, first: int, second: int, text: str) -> ConnectFourPosition:
    ply = (first | second).bit_count()
    if first.bit_count() - second.bit_count() != ply & 1:
        raise ValueError(f"received {shortened(text)}: x has as many stones as o, or one more")
    # A floating stone: its bit is set, the one below is not, and it is not the lowest of its column.
    lowest = sum(bottom for bottom, _ in shape.drops.values())
    filled = first | second
    if filled & ~(filled << 1 | lowest):
        raise ValueError(f"received {shortened(text)}: a stone has nothing below it")
    mine, theirs = (second, first) if ply & 1 else (first, second)
    if _has_line(mine, shape.directions):
        raise ValueError(f"received {shortened(text)}: the seat to move has four in a row already")
    return ConnectFourPosition(shape, mine, filled, ply, _has_line(theirs, shape.directions))


def variant(columns: int, rows: int) -> Variant:
    """Connect Four on a board of this size; at most 26 columns, since each is named by a letter."""
    return Variant(
        slug=f"connect-four-{columns}x{rows}",
        title=f"Connect Four {columns}x{rows}",
        game="connect-four",
        begin=partial(_begin, columns, rows),
        read=partial(_read, columns, rows),
    )


CONNECT_FOUR = Game("connect-four", "Connect Four", (variant(7, 6), variant(8, 8)))
