"""Any board of any game: cells in rows, words below them.

A move is a path of targets (`games.Board.choices`). The picture offers the next targets that continue some legal move:
cells of the board, or words beside it. A target that completes a move posts it; any other is a step, a plain GET of
`?sel=b2,c1` in the form `#steps`, so that it works without JavaScript too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from arena.web.drawing.view import Choice, View, after_move, board_after, board_of
from arena.web.tongue import gettext
from games import Board, Cell, Position

GAME = ""
MOVES_ABREAST = 1
KEYS = gettext_lazy("<kbd>Tab</kbd> <kbd>→</kbd> choose · <kbd>Enter</kbd> play")
SCRIPT = ""
VIEWS = ()
# Up to here every cell is a button, so that the focus stays where it is between two turns; on larger boards (Nim with a
# hundred stones would send 12 KB a move) only the cells that can be chosen are.
MOST_QUIET_BUTTONS = 64

# Attributes with which a step is requested in place; the page's own address answers it.
_STEP = 'form="steps" name="sel"'


class _Next(NamedTuple):
    """The possible next targets: `finishes` maps a target to its move, `leads` are targets with more to come.

    `done` is the move that the chosen targets already make, or "".
    """

    finishes: dict[str, str]
    leads: frozenset[str]
    done: str


def frame(position: Position) -> str:
    return "generic"


def defs(position: Position) -> SafeString:
    return SafeString("")


def pieces(view: View, oob: str = "") -> SafeString:
    board = view.board
    drawn = "".join(_cell(cell, 100 * c, 100 * r) for r, row in enumerate(board.rows) for c, cell in enumerate(row))
    width, height = _size(board)
    rings = "".join(_rings(board, view.last))
    return SafeString(
        f'<svg id="pieces" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{after_move(view)}"{oob}>'
        f'<rect class="plate" width="{width}" height="{height}" rx="18"/>{drawn}{rings}</svg>'
    )


def controls(view: View, choice: Choice) -> SafeString:
    if choice.seat is None:
        return SafeString("")
    choice = choice._replace(chosen=_still_chosen(view.board, choice.chosen))
    offered = _next(view.board, choice.chosen) if choice.enabled else _Next({}, frozenset(), "")
    targets = {target for path in view.board.choices.values() for target in path}
    cells = {cell.id for row in view.board.rows for cell in row}
    grid = _grid(view.board, offered, choice.chosen) if targets & cells else ""
    return SafeString(grid + _words(offered, choice.chosen, cells))


def ready(position: Position, seat: int) -> SafeString:
    return SafeString("")


def reader(view: View) -> SafeString:
    body = "".join(
        f"<tr>{''.join([f'<td>{escape(cell.label or cell.text or cell.id)}</td>' for cell in row])}</tr>"
        for row in view.board.rows
    )
    return SafeString(f"<caption>{board_after(view)}</caption>{body}")


def mini(position: Position) -> SafeString:
    board = board_of(position)
    width, height = _size(board)
    cells = "".join(_cell(cell, 100 * c, 100 * r, "") for r, row in enumerate(board.rows) for c, cell in enumerate(row))
    return SafeString(
        f'<svg viewBox="0 0 {width} {height}" aria-hidden="true"><rect class="plate" width="{width}" height="{height}" '
        f'rx="18"/>{cells}</svg>'
    )


def notes(position: Position, moves: Sequence[str]) -> list[str]:
    return [""] * len(moves)


def named(move: str) -> str:
    return move


def subject(move: str) -> str:
    return move


def listed(move: str, note: str) -> SafeString:
    return SafeString(escape(move))


def spoken(move: str, note: str, name: str = "") -> str:
    words = gettext("{name} played {move}.") if name else gettext("You played {move}.")
    return words.format(name=name, move=move)


def asked(position: Position) -> str:
    return ""


def finish(position: Position, reason: str) -> str:
    return ""


# -- the picture -------------------------------------------------------------------------------------------------------


def _size(board: Board) -> tuple[int, int]:
    return 100 * max((len(row) for row in board.rows), default=1), 100 * max(len(board.rows), 1)


def _cell(cell: Cell, x: int, y: int, prefix: str = "p-") -> str:
    parts = [f'<rect class="{_ground(cell)}" x="{x + 5}" y="{y + 5}" width="90" height="90" rx="14"/>']
    if cell.seat is not None:
        parts.append(f'<use href="#d{cell.seat}" x="{x + 50}" y="{y + 50}" transform="{_smaller(x, y)}"/>')
    elif cell.text:
        parts.append(f'<text class="glyph" x="{x + 50}" y="{y + 64}">{escape(cell.text)}</text>')
    if cell.level:
        parts.append(f'<rect class="height-tag" x="{x + 64}" y="{y + 64}" width="28" height="28" rx="6"/>')
        parts.append(f'<text class="height" x="{x + 78}" y="{y + 86}">{cell.level:d}</text>')
    if cell.seat is not None and cell.text:
        parts.append(f'<rect class="height-tag" x="{x + 8}" y="{y + 8}" width="28" height="28" rx="6"/>')
        parts.append(f'<text class="height" x="{x + 22}" y="{y + 30}">{escape(cell.text)}</text>')
    identity = f' id="{prefix}{escape(cell.id)}"' if prefix else ""
    return f"<g{identity}>{''.join(parts)}</g>"


def _ground(cell: Cell) -> str:
    return f"cell up{min(cell.level, 4):d}" if cell.level else "cell"


def _smaller(x: int, y: int) -> str:
    """A disc is drawn for a hole of 100; here it is scaled to a cell of 90."""
    return f"translate({(x + 50) * 0.15:g} {(y + 50) * 0.15:g}) scale(.85)"


def _rings(board: Board, last: str | None) -> list[str]:
    """Rings around the finished line, else around the cells that the last move names. A bare number is an amount."""
    named = set(board.marks) or {word for word in re.split(r"[^0-9A-Za-z]+", last or "") if not word.isdigit()}
    return [
        f'<rect class="mark" x="{100 * c + 6}" y="{100 * r + 6}" width="88" height="88" rx="14"/>'
        for r, row in enumerate(board.rows)
        for c, cell in enumerate(row)
        if cell.id in named
    ]


# -- the choice --------------------------------------------------------------------------------------------------------


def _still_chosen(board: Board, chosen: tuple[str, ...]) -> tuple[str, ...]:
    """The chosen targets; none if they were chosen on an earlier board and lead to no move of this one."""
    return chosen if any(path[: len(chosen)] == chosen for path in board.choices.values()) else ()


def _next(board: Board, chosen: tuple[str, ...]) -> _Next:
    depth, finishes, leads, done = len(chosen), {}, set(), ""
    for move, path in board.choices.items():
        if path[:depth] != chosen:
            continue
        if len(path) == depth:
            done = move
        elif len(path) == depth + 1:
            finishes[path[depth]] = move
        else:
            leads.add(path[depth])
    return _Next(finishes, frozenset(leads), done)


def _grid(board: Board, offered: _Next, chosen: tuple[str, ...]) -> str:
    width, height = _size(board)
    quiet = width * height // 10_000 <= MOST_QUIET_BUTTONS
    rows = "".join(_row_of_buttons(row, width // 100, offered, chosen, quiet) for row in board.rows)
    return (
        f'<div class="cells"><svg viewBox="0 0 {width} {height}" aria-hidden="true"></svg>'
        f'<div class="rows" role="grid" aria-label="{gettext("Board")}" data-roving="grid">{rows}</div></div>'
    )


def _row_of_buttons(cells: Sequence[Cell], columns: int, offered: _Next, chosen: tuple[str, ...], quiet: bool) -> str:
    drawn = [_cell_button(cell, offered, chosen, quiet) for cell in cells] + ["<i></i>"] * (columns - len(cells))
    row = "".join(drawn)
    # For screen readers, a row must contain cells.
    return f'<div role="row">{row}</div>' if "<button" in row else f"<div>{row}</div>"


def _cell_button(cell: Cell, offered: _Next, chosen: tuple[str, ...], quiet: bool) -> str:
    label = escape(cell.label or cell.text or cell.id)
    if cell.id in offered.finishes or cell.id in offered.leads:
        return _button(cell.id, f'role="gridcell" class="target" aria-label="{label}"', "", offered, chosen)
    if cell.id not in chosen and not quiet:
        return "<i></i>"
    state = 'class="chosen" aria-selected="true"' if cell.id in chosen else 'aria-disabled="true"'
    return f'<button id="t-{escape(cell.id)}" type="button" role="gridcell" {state} aria-label="{label}"></button>'


def _words(offered: _Next, chosen: tuple[str, ...], cells: set[str]) -> str:
    """Targets that are not cells, the choice so far, and the way back."""
    targets = [target for target in (*offered.finishes, *sorted(offered.leads)) if target not in cells]
    buttons = [_button(target, "", escape(target), offered, chosen) for target in dict.fromkeys(targets)]
    if offered.done:
        label = gettext("Play {move}").format(move=escape(" ".join(chosen)))
        move = escape(offered.done)
        buttons.insert(0, f'<button id="t-done" class="go" type="submit" name="move" value="{move}">{label}</button>')
    if chosen and (offered.done or offered.finishes or offered.leads):
        back = escape(",".join(chosen[:-1]))
        buttons.append(f'<button id="t-undo" type="submit" {_STEP} value="{back}">{gettext("Undo step")}</button>')
    said = "".join(buttons)
    return f'<div class="words" role="group" aria-label="{gettext("Moves")}">{said}</div>' if buttons else ""


def _button(target: str, attributes: str, inner: str, offered: _Next, chosen: tuple[str, ...]) -> str:
    identity = f'<button id="t-{escape(target)}" type="submit"'
    if target in offered.finishes and target not in offered.leads:
        return f'{identity} name="move" value="{escape(offered.finishes[target])}" {attributes}>{inner}</button>'
    steps = escape(",".join((*chosen, target)))
    return f'{identity} {_STEP} value="{steps}" {attributes}>{inner}</button>'
