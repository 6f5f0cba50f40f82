"""Connect Four of any size: a dark frame with holes, discs that fall behind it, one button a column.

Units: a cell is 100, the frame's padding 16, the lane above it 96, its lower lip with the numbers 40. Columns and rows
count from 1, rows from the bottom, as people do. Discs and plates are drawn once per page and referenced, because a
websocket frame is not compressed: 42 discs take 2.3 KB, against 12 KB drawn in full.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as _

from arena.web.drawing.view import Choice, View, after_move, board_after, board_of
from arena.web.tongue import gettext
from games import Board, Position

GAME = "connect-four"
MOVES_ABREAST = 2
KEYS = gettext_lazy("<kbd>←</kbd> <kbd>→</kbd> choose · <kbd>Enter</kbd> drop")
SCRIPT = ""
VIEWS = ()

_FINISHED = {
    4: (_("Four in a row, in column {low}."), _("Four in a row, from column {low} to {high}.")),
    5: (_("Five in a row, in column {low}."), _("Five in a row, from column {low} to {high}.")),
    6: (_("Six in a row, in column {low}."), _("Six in a row, from column {low} to {high}.")),
    7: (_("Seven in a row, in column {low}."), _("Seven in a row, from column {low} to {high}.")),
}
_CELLS = {0: _("orange"), 1: _("blue"), None: _("empty")}


class _Shape(NamedTuple):
    """The parts that are the same for every position of a size: `disc[seat][row from top][column from left]`."""

    name: str
    columns: int
    rows: int
    disc: tuple[tuple[tuple[str, ...], ...], ...]
    plates: tuple[str, str]

    @property
    def width(self) -> int:
        return 100 * self.columns + 32

    @property
    def height(self) -> int:
        return 100 * self.rows + 168


def frame(position: Position) -> str:
    """`eight` is the square board, for which the page leaves a different space (fit.css)."""
    return "connect-four eight" if len(board_of(position).rows) == 8 else "connect-four"


def defs(position: Position) -> SafeString:
    shape = _shape_of(board_of(position))
    name, across, down = shape.name, 100 * shape.columns, 100 * shape.rows
    holes = "".join(f"M{x - 40} {y}a40 40 0 1 0 80 0a40 40 0 1 0-80 0z" for x, y in _centres(shape))
    digits = "".join(
        f'<text class="digit" x="{66 + 100 * c}" y="{shape.height - 15}">{c + 1}</text>' for c in range(shape.columns)
    )
    corners = [f"a30 30 0 0 1{corner}" for corner in (" 30 30", "-30 30", "-30-30", " 30-30")]
    wide, high = across - 28, down + 12
    outline = f"M30 96h{wide}{corners[0]}v{high}{corners[1]}h-{wide}{corners[2]}v-{high}{corners[3]}z"
    return SafeString(
        f"{_light(name)}"
        f'<pattern id="{name}-rims" patternUnits="userSpaceOnUse" x="16" y="112" width="100" height="100">'
        f'<circle class="hole-rim" cx="50" cy="50" r="41" stroke="url(#{name}-rim)"/>'
        f'<circle cx="50" cy="50" r="39.5" fill="url(#{name}-shade)"/></pattern>'
        f'<rect id="{name}-back" class="hole" x="6" y="102" width="{across + 20}" height="{down + 20}" rx="30"/>'
        f'<g id="{name}-front"><path fill="url(#{name}-fall)" fill-rule="evenodd" d="{outline}{holes}"/>'
        f'<rect x="16" y="112" width="{across}" height="{down}" fill="url(#{name}-rims)"/>'
        f'<path class="lip" stroke="url(#{name}-lip)" d="M2 126a28 28 0 0 1 28-28.5h{wide}a28 28 0 0 1 28 28.5"/>'
        f"{digits}</g>"
    )


def _light(name: str) -> str:
    """One light from above: on the frame, on its upper edge, on the rim of each hole, and the shade inside of it."""
    stops = {
        "fall": "frame-top frame-mid frame-low",
        "rim": "rim-top rim-mid rim-low",
        "shade": "shade-top shade-low",
        "lip": "lip-top lip-low",
    }
    ends = {"shade": (0, 0.34), "lip": (0, 1)}
    return "".join(
        f'<linearGradient id="{name}-{what}" x2="0" y2="1">'
        + "".join(
            f'<stop offset="{at}" class="{stop}"/>'
            for at, stop in zip(ends.get(what, (0, 0.5, 1)), classes.split(), strict=True)
        )
        + "</linearGradient>"
        for what, classes in stops.items()
    )


def pieces(view: View, oob: str = "") -> SafeString:
    board = view.board
    shape = _shape_of(board)
    drawn = [
        shape.disc[cell.seat][r][c]
        for r, row in enumerate(board.rows)
        for c, cell in enumerate(row)
        if cell.seat is not None
    ]
    back, front = shape.plates
    discs, ring = "".join(drawn), ""
    if view.last:
        x, y, fallen = _landed(board, int(view.last))
        discs = discs.replace(f' x="{x}" y="{y}"', f' class="drop drop-{fallen}" x="{x}" y="{y}"')
        ring = f'<circle class="last" cx="{x}" cy="{y}" r="41.5"/>'
    won = ""
    if board.marks:
        discs, won, ring = _hit(shape, board, discs), ' class="won"', _lines(board)
    return SafeString(
        f'<svg id="pieces"{won} viewBox="0 0 {shape.width} {shape.height}" role="img" '
        f'aria-label="{after_move(view)}"{oob}>{back}{discs}{front}{ring}</svg>'
    )


def controls(view: View, choice: Choice) -> SafeString:
    """The buttons: never removed while the match lasts, only disabled, so that the focus stays where it is."""
    if choice.seat is None:
        return SafeString("")
    shape, board = _shape_of(view.board), view.board
    heights = enumerate(_stones(shape, board), start=1)
    buttons = [_column(shape, column, stones, choice, str(column) in board.choices) for column, stones in heights]
    label = gettext("Columns")
    return SafeString(f'<div class="cols" role="group" aria-label="{label}" data-roving="row">{"".join(buttons)}</div>')


def _column(shape: _Shape, column: int, stones: int, choice: Choice, legal: bool) -> str:
    start = f'<button id="col-{column}"'
    if stones == shape.rows:
        label = gettext("Column {column}, full").format(column=column)
        return f'{start} type="button" aria-disabled="true" aria-label="{label}"></button>'
    if not (choice.enabled and legal):
        label = gettext("Column {column}").format(column=column)
        return f'{start} type="button" aria-disabled="true" aria-describedby="status" aria-label="{label}"></button>'
    advised = ' class="hinted"' if choice.hint == str(column) else ""
    label = gettext("Column {column}, lands on row {row}").format(column=column, row=stones + 1)
    return (
        f'{start} type="submit" name="move" value="{column}"{advised} aria-label="{label}">'
        f'<svg class="ghost" viewBox="0 0 100 {shape.height}" aria-hidden="true">'
        f"{_ghost(shape, 50, column, stones, choice.seat)}</svg></button>"
    )


def ready(position: Position, seat: int) -> SafeString:
    shape = _shape_of(board_of(position))
    column = (shape.columns + 1) // 2
    stones = _stones(shape, board_of(position))[column - 1]
    return SafeString(
        f'<svg class="ghost ready" viewBox="0 0 {shape.width} {shape.height}">'
        f"{_ghost(shape, 100 * column - 34, column, stones, seat)}</svg>"
    )


def _ghost(shape: _Shape, x: int, column: int, stones: int, seat: int | None) -> str:
    """A disc in the lane, the place where it would land, and the number of the column."""
    return (
        f'<use href="#d{seat}" x="{x}" y="47"/>'
        f'<circle class="landing s{seat}" cx="{x}" cy="{_y(shape, stones)}" r="35"/>'
        f'<text class="digit" x="{x}" y="{shape.height - 15}">{column}</text>'
    )


def reader(view: View) -> SafeString:
    top = len(view.board.rows)
    head = "".join(f'<th scope="col">{c + 1}</th>' for c in range(len(view.board.rows[0])))
    row_of, said = gettext("Row {row}"), {seat: f"<td>{gettext(word)}</td>" for seat, word in _CELLS.items()}
    body = "".join(
        f'<tr><th scope="row">{row_of.format(row=top - r)}</th>{"".join([said[cell.seat] for cell in row])}</tr>'
        for r, row in enumerate(view.board.rows)
    )
    return SafeString(f"<caption>{board_after(view)}</caption><tr><td></td>{head}</tr>{body}")


def mini(position: Position) -> SafeString:
    """A small board without the plate: at this size a dark ground with dots shows the same in a third of the bytes.

    The ground falls like the plate; its colours are in fragments/seats.html.
    """
    board = board_of(position)
    shape = _shape_of(board)
    cells = [
        f'<use href="#t{cell.seat}" x="{66 + 100 * c}" y="{66 + 100 * r}"/>'
        if cell.seat is not None
        else f'<circle class="hole" cx="{66 + 100 * c}" cy="{66 + 100 * r}" r="40"/>'
        for r, row in enumerate(board.rows)
        for c, cell in enumerate(row)
    ]
    width, height = shape.width, 100 * shape.rows + 32
    return SafeString(
        f'<svg viewBox="0 0 {width} {height}" aria-hidden="true"><rect fill="url(#fall)" width="{width}" '
        f'height="{height}" rx="30"/>{"".join(cells)}</svg>'
    )


def notes(position: Position, moves: Sequence[str]) -> list[str]:
    """The row on which each disc landed, counted down from the current heights."""
    board = board_of(position)
    stones = {str(column): count for column, count in enumerate(_stones(_shape_of(board), board), start=1)}
    rows, row_of = [], gettext("row {row}")
    for move in reversed(moves):
        rows.append(row_of.format(row=stones[move]))
        stones[move] -= 1
    return rows[::-1]


def named(move: str) -> str:
    return gettext("column {column}").format(column=move)


def subject(move: str) -> str:
    return named(move)


def listed(move: str, note: str) -> SafeString:
    return SafeString(f'{escape(move)} <span class="small muted">{escape(note)}</span>')


def spoken(move: str, note: str, name: str = "") -> str:
    words = gettext("{name} dropped in {column}, {row}.") if name else gettext("You dropped in {column}, {row}.")
    return words.format(name=name, column=named(move), row=note)


def asked(position: Position) -> str:
    return ""


def finish(position: Position, reason: str) -> str:
    """`Four in a row, from column 2 to 5.` for every line that was finished."""
    return " ".join(dict.fromkeys(_line_words(line) for line in _runs(board_of(position))))


def _line_words(line: Sequence[tuple[int, int]]) -> str:
    low, high = sorted((line[0][1] + 1, line[-1][1] + 1))
    upright, other = _FINISHED[min(len(line), 7)]
    return gettext(upright if low == high else other).format(low=low, high=high)


# -- geometry ----------------------------------------------------------------------------------------------------------


def _shape_of(board: Board) -> _Shape:
    return _shape(len(board.rows[0]), len(board.rows))


@cache
def _shape(columns: int, rows: int) -> _Shape:
    disc = tuple(
        tuple(
            tuple(
                f'<use id="p-{c + 1}-{rows - r}" href="#d{seat}" x="{66 + 100 * c}" y="{162 + 100 * r}"/>'
                for c in range(columns)
            )
            for r in range(rows)
        )
        for seat in (0, 1)
    )
    name = f"c4-{columns}x{rows}"
    plates = (f'<use class="plate" href="#{name}-back"/>', f'<use class="plate" href="#{name}-front"/>')
    return _Shape(name, columns, rows, disc, plates)


def _centres(shape: _Shape) -> list[tuple[int, int]]:
    return [(66 + 100 * c, _y(shape, r)) for r in range(shape.rows) for c in range(shape.columns)]


def _y(shape: _Shape, row: int) -> int:
    """The middle of a row, 0 at the bottom."""
    return 162 + 100 * (shape.rows - 1 - row)


def _stones(shape: _Shape, board: Board) -> list[int]:
    """How many discs lie in each column."""
    return [sum(row[c].seat is not None for row in board.rows) for c in range(shape.columns)]


def _landed(board: Board, column: int) -> tuple[int, int, int]:
    """The place of the topmost disc of a column (from 1), and how many rows it fell from the lane."""
    top = next(r for r, row in enumerate(board.rows) if row[column - 1].seat is not None)
    return 66 + 100 * (column - 1), 162 + 100 * top, top + 1


# -- the finished line -------------------------------------------------------------------------------------------------


def _hit(shape: _Shape, board: Board, discs: str) -> str:
    """The discs of the line stay bright, the others fade (connect-four.css)."""
    for r, c in _marked(board):
        place = f'id="p-{c + 1}-{shape.rows - r}"'
        discs = discs.replace(f'{place} href="#d0"', f'{place} data-hit href="#d0"')
        discs = discs.replace(f'{place} href="#d1"', f'{place} data-hit href="#d1"')
    return discs


def _lines(board: Board) -> str:
    """A capsule around each line, so that the marks of its discs stay visible."""
    drawn = []
    for line in _runs(board):
        (r0, c0), (r1, c1) = line[0], line[-1]
        turned = {(0, 1): 0, (1, 0): 90, (1, 1): 45, (1, -1): 135}[(r1 > r0) - (r1 < r0), (c1 > c0) - (c1 < c0)]
        far = f"{round(100 * math.hypot(r1 - r0, c1 - c0), 1):g}"
        place = f'transform="translate({66 + 100 * c0} {162 + 100 * r0})rotate({turned})"'
        path = f'd="M0-46h{far}a46 46 0 0 1 0 92h-{far}a46 46 0 0 1 0-92z" {place}'
        drawn.append(f'<path class="line-under" {path}/><path class="line-over" {path}/>')
    return "".join(drawn)


def _marked(board: Board) -> set[tuple[int, int]]:
    return {(r, c) for r, row in enumerate(board.rows) for c, cell in enumerate(row) if cell.id in board.marks}


def _runs(board: Board) -> list[list[tuple[int, int]]]:
    """Every line of four or more among the marked cells; one disc may finish several."""
    marked = _marked(board)
    found = []
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for r, c in sorted(marked):
            if (r - dr, c - dc) in marked:
                continue
            line = [(r, c)]
            while (line[-1][0] + dr, line[-1][1] + dc) in marked:
                line.append((line[-1][0] + dr, line[-1][1] + dc))
            if len(line) >= 4:
                found.append(line)
    return found
