"""Nim: a tray of stones, and below it how many to take, the reset and what follows from both, in words.

Units: stones stand 60 apart with a gap of 22 after every fifth, the tray's padding is 30. Stone n counts from the
bottom left; the last ones are taken. Rows hold ten stones, in large heaps twenty or forty, so that a thousand still fit
on a page. Below those that may be taken now every row is one element, so that a move of 1000 stones is 5 KB at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import NamedTuple, cast

from django.utils.safestring import SafeString, mark_safe

from arena.web.drawing.view import Choice, View
from games import Position
from games.expanding_nim import NimPosition

GAME = "expanding-nim"
MOVES_ABREAST = 1
KEYS = mark_safe("<kbd>←</kbd> <kbd>→</kbd> choose · <kbd>R</kbd> reset · <kbd>Enter</kbd> take")
SCRIPT = "-nim"
VIEWS = ()
# Up to here each amount is a button, above there is a number to type.
MOST_BUTTONS = 12

_TILTS = (-11, 8, 3, -6, 10)
_GREY = (1, 3)  # of five pebbles these are of the greyer tint
_PARTS = ("top", "mid", "low")
_BENDS = (5, -4, 7, -6, 3)  # of the grain
_WORDS = {0: "Orange", 1: "Blue"}


class _Tray(NamedTuple):
    """Where the stones of a heap stand: `across` in a row."""

    start: int
    across: int

    @property
    def rows(self) -> int:
        return -(-self.start // self.across)

    @property
    def width(self) -> int:
        return 60 * self.across + 22 * (self.across // 5 - 1) + 60

    @property
    def height(self) -> int:
        return 60 * self.rows + 60

    def x(self, stone: int) -> int:
        column = (stone - 1) % self.across
        return 60 + 60 * column + 22 * (column // 5)

    def y(self, stone: int) -> int:
        return self.row_y((stone - 1) // self.across)

    def row_y(self, row: int) -> int:
        """The middle of a row, 0 at the bottom."""
        return 60 * (self.rows - row)


def frame(position: Position) -> str:
    return "nim"


def defs(position: Position) -> SafeString:
    tray = _tray(_nim(position).start)
    row = "".join(f'<use href="#ns{n % 5}" x="{tray.x(n)}"/>' for n in range(1, tray.across + 1))
    stones = "".join(
        f'<g id="ns{n}"><ellipse class="stone-shade" cx="2" cy="5" rx="23" ry="19"/>'
        f'<ellipse fill="url(#nim-{"grey" if n in _GREY else "light"})" rx="22.5" ry="19.5" '
        f'transform="rotate({tilt})"/></g>'
        for n, tilt in enumerate(_TILTS)
    )
    pebbles = "".join(
        f'<radialGradient id="nim-{tint}" cx=".36" cy=".26" r=".85">'
        + "".join(f'<stop offset="{at}" class="{tint}-{part}"/>' for at, part in zip((0, 0.5, 1), _PARTS, strict=True))
        + "</radialGradient>"
        for tint in ("light", "grey")
    )
    return mark_safe(f'{_wood(tray)}{pebbles}{stones}<g id="nim-row">{row}</g>{_chosen()}')


def _wood(tray: _Tray) -> str:
    """A tray of walnut: its grain, an edge that catches the light, a carved groove for each five stones, the dents."""
    grain = "".join(
        f'<path class="{"vein" if n % 3 else "knot"}" '
        f'd="M4 {y}q{tray.width // 4} {_BENDS[n % 5]} {tray.width // 2} {_BENDS[(n + 2) % 5]}t{tray.width // 2 - 8} '
        f'{_BENDS[(n + 1) % 5]}"/>'
        for n, y in enumerate(range(16, tray.height - 10, 33))
    )
    grooves = "".join(
        f'<rect x="{tray.x(5 * five + 1) - 36}" y="{tray.row_y(row) - 27}" width="312" height="54" rx="27"/>'
        for row in range(tray.rows)
        for five in range(tray.across // 5)
    )
    return (
        '<linearGradient id="nim-fall" x2="0" y2="1"><stop class="wood-top"/><stop offset=".5" class="wood-mid"/>'
        f'<stop offset="1" class="wood-low"/></linearGradient>'
        f'<g id="nim-tray"><rect width="{tray.width}" height="{tray.height}" rx="30" fill="url(#nim-fall)"/>{grain}'
        f'<rect class="edge" x="1.5" y="1.5" width="{tray.width - 3}" height="{tray.height - 3}" rx="28.5"/>'
        f'<g class="grooves">{grooves}</g><path class="dents" d="{_beads(tray, 1, tray.start)}"/></g>'
    )


def pieces(view: View, oob: str = "") -> SafeString:
    nim = _nim(view.position)
    tray = _tray(nim.start)
    # A player who may choose sees each stone that can be taken on its own, for it is lifted when it is chosen.
    full = (nim.stones - nim.most) // tray.across
    rows = [f'<use id="r-{row}" href="#nim-row" y="{tray.row_y(row)}"/>' for row in range(full)]
    loose = range(full * tray.across + 1, nim.stones + 1)
    stones = [f'<use id="p-{n}" href="#ns{n % 5}" x="{tray.x(n)}" y="{tray.y(n)}"/>' for n in loose]
    words = f"{nim.stones} {_stones(nim.stones)} left of {nim.start}. Maximum so far {nim.largest}."
    return mark_safe(
        f'<svg id="pieces" viewBox="0 0 {tray.width} {tray.height}" role="img" '
        f'aria-label="{escape(view.title)}: {words}"{oob}><use href="#nim-tray"/>'
        f"{''.join(rows)}{''.join(stones)}{_taken(nim, tray, view.last)}</svg>"
    )


def controls(view: View, choice: Choice) -> SafeString:
    """A panel that keeps its parts and its height while the match lasts; when it is not your turn it sends nothing."""
    if choice.seat is None:
        return mark_safe("")
    nim, other = _nim(view.position), view.names[1 - choice.seat]
    yours = choice.enabled and nim.to_move is not None
    most = nim.most if yours else min(nim.stones, nim.largest + 1)
    return mark_safe(
        f'<fieldset class="takes card{" yours" if yours else ""}" data-stones="{nim.stones}" '
        f'data-largest="{nim.largest}" data-seat="{choice.seat}">'
        f"{_head(nim, view, yours, choice.hint)}{_amounts(most, nim, yours)}{_reset(nim, choice.seat, other, yours)}"
        f"{_after(nim, other, yours)}</fieldset>"
    )


def reader(view: View) -> SafeString:
    nim = _nim(view.position)
    facts = [("Stones left", f"{nim.stones} of {nim.start}"), ("Maximum so far", str(nim.largest))]
    facts += [(f"Resets left of {_WORDS[seat]}", _resets_left(nim, seat)) for seat in (0, 1) if nim.resets_each != 0]
    if nim.to_move is not None:
        facts.append((f"{_WORDS[nim.to_move]} may take", _range(nim.most)))
    body = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in facts)
    return mark_safe(f"<caption>Board after move {view.ply}</caption>{body}")


def mini(position: Position) -> SafeString:
    nim = _nim(position)
    tray = _tray(nim.start)
    dents, stones = _beads(tray, nim.stones + 1, nim.start), _beads(tray, 1, nim.stones)
    return mark_safe(
        f'<svg viewBox="0 0 {tray.width} {tray.height}" aria-hidden="true"><rect class="wood" width="{tray.width}" '
        f'height="{tray.height}" rx="30"/><path class="dents" d="{dents}"/><path class="beads" d="{stones}"/></svg>'
    )


def notes(position: Position, moves: Sequence[str]) -> list[str]:
    """How many were left after each move, counted back from what is left now."""
    left, found = _nim(position).stones, []
    for move in reversed(moves):
        found.append(f"{left} left")
        left += _take(move)
    return found[::-1]


def listed(move: str, note: str) -> SafeString:
    reset = ' <span class="tag">reset</span>' if move.endswith("r") else ""
    return mark_safe(f'takes {_take(move)}{reset} <span class="small muted">{escape(note)}</span>')


def named(move: str) -> str:
    reset = " and a reset" if move.endswith("r") else ""
    return f"{_take(move)} {_stones(_take(move))}{reset}"


def subject(move: str) -> str:
    return f"taking {named(move)}"


def spoken(move: str, note: str, you: bool = False) -> str:
    takes, uses = ("take", "use") if you else ("takes", "uses")
    reset = f" and {uses} reset" if move.endswith("r") else ""
    return f"{takes} {_take(move)}{reset}. {note}"


def asked(position: Position) -> str:
    return f"You may take {_range(_nim(position).most)}."


def finish(position: Position, reason: str) -> str:
    return ""


# -- the picture -------------------------------------------------------------------------------------------------------


@cache
def _tray(start: int) -> _Tray:
    return _Tray(start, 10 if start <= 100 else 20 if start <= 400 else 40)


def _beads(tray: _Tray, first: int, last: int) -> str:
    """The stones from `first` to `last` as lines that CSS draws as dots, 60 apart.

    A line is longer by one than its last dot needs, which would else be lost to rounding.
    """
    path = []
    while first <= last:
        end = min(last, first + 4 - (first - 1) % 5)
        path.append(f"M{tray.x(first)} {tray.y(first)}h{60 * (end - first) + 1}")
        first = end + 1
    return "".join(path)


def _chosen() -> str:
    """A stone about to be taken, and the place of one that was: with the ring or the diamond of the seat."""
    marks = ('<circle class="d0-mark" r="8"/>', '<path class="d1-mark" d="M0-11L11 0 0 11-11 0z"/>')
    return "".join(
        f'<g id="nk{seat}"><ellipse class="rim" cy="-6" rx="25.5" ry="22.5"/><g transform="translate(0-6)">'
        f'<ellipse class="d{seat}-face" rx="22.5" ry="19.5"/>{mark}</g></g>'
        f'<g id="nt{seat}" class="gone s{seat}"><ellipse rx="21" ry="18"/>{mark}</g>'
        for seat, mark in enumerate(marks)
    )


def _taken(nim: NimPosition, tray: _Tray, last: str | None) -> str:
    """What the last move took away."""
    if last is None:
        return ""
    mover = 1 - (nim.ply & 1)
    places = range(nim.stones + 1, nim.stones + _take(last) + 1)
    return "".join(
        [f'<use id="x-{n}" class="taken" href="#nt{mover}" x="{tray.x(n)}" y="{tray.y(n)}"/>' for n in places]
    )


# -- the choice --------------------------------------------------------------------------------------------------------


def _head(nim: NimPosition, view: View, yours: bool, hint: str) -> str:
    may = _range(nim.most)
    if nim.to_move is None:
        return '<legend>No stone is left</legend><p class="may num"></p>'
    if not yours:
        name = escape(view.names[nim.to_move])
        return f'<legend>{name} may take {may}</legend><p class="may small muted num">{nim.stones} left</p>'
    said = f"{nim.stones} left · you may take {may}"
    if nim.reset_bound:
        said = f"<b>After the reset you may take {may} this turn.</b>"  # equally long for both
    if hint:
        said = f"<b>Hint: {named(hint)}</b>"
    return (
        f'<legend>Your turn<span class="vh">: how many do you take?</span></legend><p class="may small num">{said}</p>'
    )


def _amounts(most: int, nim: NimPosition, yours: bool) -> str:
    # What belongs to no form is sent by none, and keeps the focus where it is.
    of = "" if yours else ' form="nobody" aria-disabled="true"'
    if most > MOST_BUTTONS:
        return (
            '<div class="amounts"><button class="btn square" type="button" data-more="-1" hidden>−</button>'
            f'<input id="take-n" type="number" inputmode="numeric" name="move" min="1" max="{most}" value="1" required'
            f'{of} aria-label="Stones to take, from 1 to {most}">'
            '<button class="btn square" type="button" data-more="1" hidden>+</button></div>'
        )
    radios = "".join(
        f'<label><input id="take-{n}" type="radio" name="move" value="{n}"{of}{" checked" if n == 1 else ""} '
        f'aria-label="Take {n}, leaves {nim.stones - n}"><span aria-hidden="true">{n}</span></label>'
        for n in range(1, most + 1)
    )
    return f'<div class="amounts" role="radiogroup" aria-label="Stones to take">{radios}</div>'


def _reset(nim: NimPosition, seat: int, other: str, yours: bool) -> str:
    if nim.resets_each == 0:
        return ""
    left = nim.resets[seat]
    tag = "" if left is None else f' <span class="tag num">{left} of {nim.resets_each} left</span>'
    words = f"Limits {escape(other)} to 1 to 3 stones on the next turn only. The maximum stays as it is."
    state = "" if yours else ' form="nobody" aria-disabled="true"'
    if left == 0:
        words, state = "You have used all your resets of this match.", " disabled"
    return (
        f'<label class="switchrow"><input id="reset" type="checkbox" role="switch" name="move" value="r"{state} '
        f'aria-describedby="reset-does"><span><b>Use reset</b>{tag}<br>'
        f'<span id="reset-does" class="small muted">{words}</span></span></label>'
    )


def _after(nim: NimPosition, other: str, yours: bool) -> str:
    """What follows from the choice. The numbers are those of taking one; nim.js keeps them right."""
    if not yours:
        return (
            '<div class="then"><p class="after"></p>'
            '<button id="take" class="btn" type="button" aria-disabled="true" aria-describedby="status">Take</button>'
            "</div>"
        )
    o, left = escape(other), nim.stones - 1
    most = _range(min(max(nim.largest, 1) + 1, left)) if left else ""
    all_of_it = " data-all" if left == 0 else ""
    return (
        f'<div class="then"{all_of_it}><p class="after num" aria-live="polite">'
        f'<span class="some"><b><span data-n="left">{left}</span> left</b> after this. {o} may take '
        f'<b class="off" data-n="most">{most}</b><span class="off">.</span>'
        f'<span class="on"><b data-n="bound">{_range(min(3, left)) if left else ""}</b>, this turn only. '
        f'The maximum stays at <span data-n="largest">{nim.largest}</span>.</span></span>'
        '<span class="all">That takes the last stone: you win.</span></p>'
        f'<p class="plain">{o} may take one more than the most that was taken so far; after a reset 1 to 3.</p>'
        '<button id="take" class="btn primary" type="submit">Take <span data-n="take">1</span>'
        '<span class="on"> and reset</span></button></div>'
    )


# -- numbers and words -------------------------------------------------------------------------------------------------


def _nim(position: Position) -> NimPosition:
    return cast(NimPosition, position)


def _take(move: str) -> int:
    return int(move.removesuffix("r"))


def _range(most: int) -> str:
    return "1" if most == 1 else f"1 to {most}"


def _stones(count: int) -> str:
    return "stone" if count == 1 else "stones"


def _resets_left(nim: NimPosition, seat: int) -> str:
    left = nim.resets[seat]
    return "unlimited" if left is None else f"{left} of {nim.resets_each}"
