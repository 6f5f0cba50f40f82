"""The choice of a turn of Santorini: a button for every square, and a bar that says which step comes.

`Choice.chosen` are the steps already taken: the worker's square, then the one it goes to. A square that completes the
turn posts it, any other is a step. `data-legal` tells santorini.js the same: `b2>c1+b1,c2` is a worker on b2 that may
go to c1 and build on b1 or c2, `b2>c3` wins.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.utils.translation import gettext_noop as _
from django.utils.translation import pgettext_lazy

from arena.web.drawing.view import Choice
from arena.web.tongue import gettext
from games.santorini import SantoriniPosition

_DOME = 4
_STEP = 'type="submit" form="steps" name="sel"'
_CHIPS = (
    pgettext_lazy("step of a turn", "worker"),
    pgettext_lazy("step of a turn", "move"),
    pgettext_lazy("step of a turn", "build"),
)

# From a worker's square to where it may go, from there to where it may build; a step that wins builds nowhere.
Legal = dict[str, dict[str, list[str]]]


class _Turn(NamedTuple):
    """The choice so far and the possible next steps. `path` is empty, a worker, or a worker and where it goes."""

    placing: bool
    path: tuple[str, ...]
    legal: Legal


def grid(at: SantoriniPosition, choice: Choice) -> str:
    """The squares as the rows of a grid, north first."""
    turn = _turn(at, choice)
    names = _names(at.size)
    cells = [_square(at, cell, name, choice, turn) for cell, name in enumerate(names)]
    rows = "".join(f'<div role="row">{"".join(cells[i : i + at.size])}</div>' for i in range(0, len(cells), at.size))
    told = f' data-legal="{_told(turn.legal)}"' if turn.legal else ""
    label = gettext("Board")
    return (
        f'<div class="grid" role="grid" aria-label="{label}" data-roving="grid" data-seat="{choice.seat}"{told}>'
        f"{rows}</div>"
    )


def steps(at: SantoriniPosition, names: tuple[str, str], choice: Choice, hint: str = "") -> str:
    """The next step in words that keep their place, and the way back: the page's only line of instruction.

    `hint` is a requested hint, in words.
    """
    turn = _turn(at, choice)
    words, more = _words(at, names, choice, turn)
    turn_words = f'<strong class="lead">{gettext("Your turn")}</strong> ' if choice.enabled else ""
    hinted = f"<b>{escape(gettext('Hint: {m}.').format(m=hint))}</b> " if hint else ""
    now = len(turn.path) if turn.legal else -1
    chips = "".join(f"<li{_chip(n, now)}>{name}</li>" for n, name in enumerate(_CHIPS))
    undo = (
        f'{_STEP} value="{",".join(turn.path[:-1])}"'
        if choice.chosen and turn.path
        else 'type="button" aria-disabled="true"'
    )
    return (
        f'<div class="steps card{" yours" if choice.enabled else ""}"><p class="grow">{turn_words}'
        f"{hinted}<b>{words}</b> "
        f'<span class="muted">{more}</span></p>'
        f'<ol class="chips" aria-hidden="true">{chips}</ol>'
        f'<button id="t-undo" class="btn sm" {undo}>{gettext("Undo step")}</button></div>'
    )


def _turn(at: SantoriniPosition, choice: Choice) -> _Turn:
    placing = at.is_placing
    if not choice.enabled or at.to_move is None:
        return _Turn(placing, (), {})
    legal = {} if placing else _legal(at)
    path = choice.chosen[:2]
    if not path or path[0] not in legal:
        # A worker that is the only one to move is chosen already.
        return _Turn(placing, tuple(legal) if len(legal) == 1 else (), legal)
    known = len(path) == 2 and legal[path[0]].get(path[1])
    return _Turn(placing, path if known else path[:1], legal)


@lru_cache(maxsize=64)
def _legal(at: SantoriniPosition) -> Legal:
    found: Legal = {}
    for move in at.legal_moves():
        origin, dash, rest = move.partition("-")
        target, plus, site = rest.partition("+")
        sites = found.setdefault(origin, {}).setdefault(target, [])
        if site:
            sites.append(site)
    return found


def _told(legal: Legal) -> str:
    return ";".join(
        f"{origin}&gt;{target}" + (f"+{','.join(sites)}" if sites else "")
        for origin, targets in legal.items()
        for target, sites in targets.items()
    )


# -- a square ----------------------------------------------------------------------------------------------------------


def _square(at: SantoriniPosition, cell: int, name: str, choice: Choice, turn: _Turn) -> str:
    level = at.heights[cell]
    look, act, said = _state(at, cell, name, choice, turn)
    up = f"up{level} " if level else ""
    look = f"{up}{look}".strip()
    look = f' class="{look}"' if look else ""
    return (
        f'<button id="t-{name}" role="gridcell"{look} {act} '
        f'aria-label="{_described(at, cell, name, choice.seat)}{f", {gettext(said)}" if said else ""}"></button>'
    )


def _described(at: SantoriniPosition, cell: int, name: str, seat: int | None) -> str:
    level = at.heights[cell]
    if level == _DOME:
        return f"{name}, {gettext('dome')}"
    words = f"{name}, {gettext('height {n}').format(n=level)}"
    if cell not in at.workers:
        return words
    index = at.workers.index(cell)
    whose = gettext("your worker {n}") if index & 1 == seat else gettext("their worker {n}")
    return f"{words}, {whose.format(n=index // 2 + 1)}"


_QUIET = 'type="button" aria-disabled="true"'


def _state(at: SantoriniPosition, cell: int, name: str, choice: Choice, turn: _Turn) -> tuple[str, str, str]:
    """The classes, the attributes and the words of a square at this step."""
    if not choice.enabled or at.to_move is None:
        return "", _QUIET, ""
    if turn.placing:
        free = cell not in at.workers
        return ("target place", _posts(name), _("you can place here")) if free else ("", _QUIET, "")
    if len(turn.path) == 2:
        return _build(at, cell, name, turn)
    if name in turn.path:
        return "chosen", 'type="button" aria-selected="true" aria-disabled="true"', _("selected")
    if turn.path and name in turn.legal[turn.path[0]]:
        return _go(at, cell, name, turn)
    if name in turn.legal:
        return ("pick" if turn.path else "target pick"), f'{_STEP} value="{name}"', _("you can choose it")
    return "", _QUIET, ""


def _go(at: SantoriniPosition, cell: int, name: str, turn: _Turn) -> tuple[str, str, str]:
    origin = turn.path[0]
    if not turn.legal[origin][name]:
        return "target win", _posts(f"{origin}-{name}"), _("you can step up and win")
    rises = at.heights[cell] > at.heights[_names(at.size).index(origin)]
    step = f'{_STEP} value="{origin},{name}"'
    return ("target up", step, _("you can step up here")) if rises else ("target step", step, _("you can step here"))


def _build(at: SantoriniPosition, cell: int, name: str, turn: _Turn) -> tuple[str, str, str]:
    origin, target = turn.path
    left = " from" if name == origin else ""
    if name in turn.legal[origin][target]:
        dome = at.heights[cell] == _DOME - 1
        said = _("you can build here, becomes a dome") if dome else _("you can build here")
        return f"target build{left}", _posts(f"{origin}-{target}+{name}"), said
    if name == target:
        return "chosen", 'type="button" aria-selected="true" aria-disabled="true"', _("selected")
    return left.strip(), _QUIET, ""


def _posts(move: str) -> str:
    return f'type="submit" name="move" value="{move}"'


# -- the bar -----------------------------------------------------------------------------------------------------------


def _words(at: SantoriniPosition, names: tuple[str, str], choice: Choice, turn: _Turn) -> tuple[str, str]:
    if at.to_move is None:
        return gettext("The match is over."), ""
    if not choice.enabled:
        return escape(gettext("{name} is to move.").format(name=names[at.to_move])), ""
    if turn.placing:
        second = len(at.workers) > 1
        which = gettext("Place your second worker.") if second else gettext("Place your first worker.")
        return which, gettext("Any free square.")
    if not turn.path:
        return gettext("Choose a worker."), gettext("Then where it goes, then where it builds.")
    cells = _names(at.size)
    number = at.workers.index(cells.index(turn.path[0])) // 2 + 1
    if len(turn.path) == 1:
        return gettext("Move worker {n}.").format(n=number), gettext("One level up at most.")
    target = turn.path[1]
    moved = gettext("Worker {n} moved to {square}, height {height}.")
    height = at.heights[cells.index(target)]
    return gettext("Choose where to build."), moved.format(n=number, square=target, height=height)


def _chip(n: int, now: int) -> str:
    return ' class="done"' if n < now else ' class="now"' if n == now else ""


@lru_cache
def _names(size: int) -> tuple[str, ...]:
    """The names of the cells, row by row from the north-west."""
    return tuple(f"{chr(97 + column)}{size - row}" for row in range(size) for column in range(size))
