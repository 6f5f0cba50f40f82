"""Santorini: the board from the side and from above, both drawings of one state, and a turn chosen in three steps.

Which of the two is shown is the reader's own choice (`data-view` of the page), so both are in every picture. The
buttons over them are the same for both; CSS places them by row, column and height. A turn is worker, square, square:
`santorini.js` does the steps from `data-legal`; without it each is a plain GET of `?sel=b2,c1`, as on any board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape
from typing import NamedTuple, cast

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from arena.web.drawing.santorini_grid import grid, steps
from arena.web.drawing.santorini_shapes import (
    LIFTS,
    above_box,
    corner,
    shapes,
    side_box,
    side_x,
    side_y,
)
from arena.web.drawing.view import Choice, View, after_move, board_after
from arena.web.tongue import gettext
from arena.web.words import colour
from games import Position
from games.santorini import SantoriniPosition

GAME = "santorini"
MOVES_ABREAST = 1
KEYS = ""
SCRIPT = "-santorini"
VIEWS = (("3d", gettext_lazy("3D")), ("above", gettext_lazy("From above")))

_DOME = 4
_RIM = 18  # of a small board


class _Last(NamedTuple):
    """The cells of the last move, -1 for a missing one; the worker that moved is `workers[index]`."""

    origin: int = -1
    target: int = -1
    site: int = -1


def frame(position: Position) -> str:
    return f"santorini n{_at(position).size}"


def defs(position: Position) -> SafeString:
    return SafeString(shapes(_at(position).size))


def pieces(view: View, oob: str = "") -> SafeString:
    at = _stepped(_at(view.position), view.chosen)
    last = _last(at, view.last)
    side, above = ['<use href="#s-side"/>'], ['<use href="#s-above"/>']
    # Workers seen from the side stand over the squares that can be chosen: those behind one would cover its head.
    front: list[str] = []
    for cell, level in enumerate(at.heights):
        if level or cell in at.workers or cell in last:
            _draw(at, cell, last, (side, front, above))
    box = f'viewBox="{side_box(at.size)}" aria-hidden="true"'
    return SafeString(
        f'<div id="pieces" class="both" role="img" aria-label="{after_move(view)}"{oob}>'
        f'<svg class="side" {box}>{"".join(side)}</svg><svg class="side front" {box}>{"".join(front)}</svg>'
        f'<svg class="above" aria-hidden="true"><svg id="above" viewBox="{above_box(at.size)}">{"".join(above)}'
        "</svg></svg></div>"
    )


def controls(view: View, choice: Choice) -> SafeString:
    if choice.seat is None:
        return SafeString("")
    at = _at(view.position)
    return SafeString(grid(at, choice) + steps(at, view.names, choice, named(choice.hint) if choice.hint else ""))


def ready(position: Position, seat: int) -> SafeString:
    return SafeString("")


def reader(view: View) -> SafeString:
    at = _at(view.position)
    head = "".join(f'<th scope="col">{chr(97 + c)}</th>' for c in range(at.size))
    body = "".join(
        f'<tr><th scope="row">{at.size - r}</th>{"".join(_read(at, r * at.size + c) for c in range(at.size))}</tr>'
        for r in range(at.size)
    )
    return SafeString(f"<caption>{board_after(view)}</caption><tr><td></td>{head}</tr>{body}")


def mini(position: Position) -> SafeString:
    """A small board from above. Squares of one height are one path, so that a list of matches stays small."""
    at = _at(position)
    width = 100 * at.size
    floors = "".join(
        f'<path class="floor{floor}" d="{"".join(_floor(at, cell, inset) for cell in _built(at, floor))}"/>'
        for floor, inset in ((1, 5), (2, 14), (3, 23))
        if max(at.heights) >= floor
    )
    domes = "".join(
        f'<circle class="dome" cx="{100 * (cell % at.size) + 50}" cy="{100 * (cell // at.size) + 50}" r="27"/>'
        for cell in _built(at, _DOME)
    )
    workers = "".join(
        f'<use href="#t{index & 1}" transform="translate({100 * (cell % at.size) + 50} '
        f'{100 * (cell // at.size) + 50})scale(.8)"/>'
        for index, cell in enumerate(at.workers)
    )
    # As wide as a row, with dashes as long as a square, each row beginning with another one than the last.
    turf = "".join(f"M{100 * (row % 2)} {100 * row + 50}H{width}" for row in range(at.size))
    whole = width + 2 * _RIM
    return SafeString(
        f'<svg viewBox="{-_RIM} {-_RIM} {whole} {whole}" aria-hidden="true"><rect class="kerb" x="{-_RIM}" y="{-_RIM}" '
        f'width="{whole}" height="{whole}" rx="18"/><rect class="grass1" width="{width}" height="{width}"/>'
        f'<path class="turf" d="{turf}"/>{floors}{domes}{workers}</svg>'
    )


def notes(position: Position, moves: Sequence[str]) -> list[str]:
    """`worker 1, height 2, dome`: which worker, how high it stands, whether a dome was built; read backwards.

    It is the same in every language; `listed` and `spoken` turn it into words.
    """
    at = _at(position)
    names, heights, workers = _names(at.size), list(at.heights), list(at.workers)
    found = []
    for move in reversed(moves):
        origin, _, rest = move.partition("-")
        if not rest:
            found.append(f"worker {(len(workers) + 1) // 2}")
            workers.pop()
            continue
        target, _, site = rest.partition("+")
        index = workers.index(names[target])
        dome = ", dome" if site and heights[names[site]] == _DOME else ""
        if site:
            heights[names[site]] -= 1
        found.append(f"worker {index // 2 + 1}, height {heights[names[target]]}{dome}")
        workers[index] = names[origin]
    return found[::-1]


def listed(move: str, note: str) -> SafeString:
    origin, _, rest = move.partition("-")
    words = note.split(", ")
    number = escape(words[0].removeprefix("worker "))
    if not rest:
        placed = gettext("{number} on {square}").format(number=number, square=escape(move))
        return SafeString(f'{placed} <span class="small muted">{gettext("placed")}</span>')
    target, _, site = rest.partition("+")
    dome = f" {gettext('dome')}" if words[-1] == "dome" else ""
    then = f"+{escape(site)}{dome}" if site else gettext("height {n}").format(n=3)
    return SafeString(f'{number} {escape(origin)}→{escape(target)} <span class="small muted">{then}</span>')


def named(move: str) -> str:
    origin, _, rest = move.partition("-")
    if not rest:
        return gettext("a worker on {square}").format(square=move)
    target, _, site = rest.partition("+")
    words = gettext("{origin} to {target}, building on {site}") if site else gettext("{origin} to {target}")
    return words.format(origin=origin, target=target, site=site)


def subject(move: str) -> str:
    origin, _, rest = move.partition("-")
    if not rest:
        return named(move)
    target, _, site = rest.partition("+")
    words = gettext("moving {origin} to {target} and building on {site}")
    return (words if site else gettext("moving {origin} to {target}")).format(origin=origin, target=target, site=site)


def spoken(move: str, note: str, name: str = "") -> str:
    origin, _, rest = move.partition("-")
    words = note.split(", ")
    facts = {"name": name, "n": words[0].removeprefix("worker "), "square": move}
    if not rest:
        placed = gettext("{name} placed worker {n} on {square}.")
        return (placed if name else gettext("You placed worker {n} on {square}.")).format(**facts)
    facts["square"], _, site = rest.partition("+")
    facts["height"] = words[1].removeprefix("height ")
    moved = gettext("{name} moved worker {n} to {square}, height {height}.")
    said = (moved if name else gettext("You moved worker {n} to {square}, height {height}.")).format(**facts)
    if not site:
        return said
    built = gettext("Built a dome on {site}.") if words[-1] == "dome" else gettext("Built a level on {site}.")
    return f"{said} {built.format(site=site)}"


def asked(position: Position) -> str:
    return ""


def finish(position: Position, reason: str) -> str:
    at = _at(position)
    for index, cell in enumerate(at.workers):
        if at.heights[cell] == 3:
            words = gettext("Worker {n} stepped up to height 3 on {square}.")
            return words.format(n=index // 2 + 1, square=_name(at.size, cell))
    return ""


def _stepped(at: SantoriniPosition, chosen: Sequence[str]) -> SantoriniPosition:
    """The position with the chosen worker on its new square, before it has built."""
    names, step = _names(at.size), "-".join(chosen[:2])
    if len(chosen) < 2 or not any(move.startswith(f"{step}+") for move in at.legal_moves()):
        return at
    origin, target = names[chosen[0]], names[chosen[1]]
    return replace(at, workers=tuple(target if cell == origin else cell for cell in at.workers))


# -- the picture -------------------------------------------------------------------------------------------------------


def _draw(at: SantoriniPosition, cell: int, last: _Last, drawings: tuple[list[str], list[str], list[str]]) -> None:
    """Draw one cell from the ground up, in all drawings. turn.js reads the cell from id or `data-at`."""
    side, front, above = drawings
    size, name = at.size, _name(at.size, cell)
    x, y = side_x(size, cell), side_y(size, cell)
    left, top = corner(size, cell)
    level = at.heights[cell]
    fresh = cell == last.site
    if below := level - fresh:
        side.append(f'<use id="b-{name}" href="#k{below}" x="{x}" y="{y}"/>')
        above.append(f'<use id="l-{name}" href="#l{below}" x="{left}" y="{top}"/>')
    if fresh:
        side.append(
            f'<use id="f-{name}" class="built" href="#k{level}" x="{x}" y="{y}"/>'
            f'<text class="more" data-at="{name}" x="{x}" y="{y - LIFTS[level] + 5}">+1</text>'
        )
        above.append(
            f'<use id="g-{name}" class="built" href="#l{level}" x="{left}" y="{top}"/>'
            f'<text class="more" data-at="{name}" x="{left + 20}" y="{top + 30}">+1</text>'
        )
    if cell in (last.origin, last.target):
        side.append(f'<use data-at="{name}" href="#m{level}" x="{x}" y="{y}"/>')
        above.append(f'<use data-at="{name}" href="#m" x="{left}" y="{top}"/>')
    if cell in at.workers:
        index = at.workers.index(cell)
        number, moved = f"{index & 1}{index // 2 + 1}", _came(size, last) if cell == last.target else ""
        here = f'{moved} data-at="{name}"'
        front.append(f'<use id="w-{number}"{here} href="#q{number}" x="{x}" y="{y - LIFTS[level]}"/>')
        above.append(f'<use id="v-{number}"{here} href="#v{number}" x="{left}" y="{top}"/>')


def _came(size: int, last: _Last) -> str:
    """The class of a worker that has just arrived, with its origin; a placed one comes from above."""
    if last.origin < 0:
        return ' class="built"'
    across = last.origin % size - last.target % size
    down = last.origin // size - last.target // size
    return f' class="came {("w", "", "e")[across + 1]} {("n", "", "s")[down + 1]}"'


def _last(at: SantoriniPosition, move: str | None) -> _Last:
    if move is None:
        return _Last()
    names = _names(at.size)
    origin, _, rest = move.partition("-")
    if not rest:
        return _Last(target=names[origin])
    target, _, site = rest.partition("+")
    return _Last(names[origin], names[target], names[site] if site else -1)


def _read(at: SantoriniPosition, cell: int) -> str:
    level = at.heights[cell]
    words = gettext("dome") if level == _DOME else gettext("height {n}").format(n=level)
    if cell in at.workers:
        index = at.workers.index(cell)
        words += ", " + gettext("worker {n} of {colour}").format(n=index // 2 + 1, colour=colour(index & 1))
    return f"<td>{words}</td>"


def _built(at: SantoriniPosition, floor: int) -> list[int]:
    return [cell for cell, level in enumerate(at.heights) if level >= floor]


def _floor(at: SantoriniPosition, cell: int, inset: int) -> str:
    side = 100 - 2 * inset
    return f"M{100 * (cell % at.size) + inset} {100 * (cell // at.size) + inset}h{side}v{side}h-{side}z"


# -- names -------------------------------------------------------------------------------------------------------------


def _at(position: Position) -> SantoriniPosition:
    return cast(SantoriniPosition, position)


def _name(size: int, cell: int) -> str:
    return f"{chr(97 + cell % size)}{size - cell // size}"


@lru_cache
def _names(size: int) -> dict[str, int]:
    return {_name(size, cell): cell for cell in range(size * size)}
