"""Nim: a tray of stones, and below it how many to take, the reset and what follows from both, in words.

Units: stones stand 60 apart with a gap of 22 after every fifth, the tray's padding is 30. Stone n counts from the
bottom left; the last ones are taken. Rows hold ten stones, in large heaps twenty or forty, so that a thousand still fit
on a page. Below the stones that may be taken now every row is one element, so that a picture of 1000 stones is at most
5 KB.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import NamedTuple, cast

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from arena.web.drawing.view import Choice, View, board_after
from arena.web.tongue import gettext
from arena.web.words import colour
from games import Position
from games.expanding_nim import NimPosition

GAME = "expanding-nim"
MOVES_ABREAST = 1
KEYS = ""
SCRIPT = "-nim"
VIEWS = ()
# Up to here each amount has a button; above, a number is typed.
MOST_BUTTONS = 12

_TILTS = (-11, 8, 3, -6, 10)
_GREY = (1, 3)  # of five pebbles these are of the greyer tint
_PARTS = ("top", "mid", "low")
_BENDS = (5, -4, 7, -6, 3)  # of the grain


class _Tray(NamedTuple):
    """The places of a heap's stones: `across` in a row."""

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
    return SafeString(f'{_wood(tray)}{pebbles}{stones}<g id="nim-row">{row}</g>{_chosen()}')


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
    # A player who may choose sees each available stone separately, because it is lifted when it is chosen.
    full = (nim.stones - nim.most) // tray.across
    rows = [f'<use id="r-{row}" href="#nim-row" y="{tray.row_y(row)}"/>' for row in range(full)]
    loose = range(full * tray.across + 1, nim.stones + 1)
    stones = [f'<use id="p-{n}" href="#ns{n % 5}" x="{tray.x(n)}" y="{tray.y(n)}"/>' for n in loose]
    words = ngettext(
        "{n} stone left of {start}. Maximum so far {largest}.",
        "{n} stones left of {start}. Maximum so far {largest}.",
        nim.stones,
    ).format(n=nim.stones, start=nim.start, largest=nim.largest)
    return SafeString(
        f'<svg id="pieces" viewBox="0 0 {tray.width} {tray.height}" role="img" '
        f'aria-label="{escape(view.title)}: {words}"{oob}><use href="#nim-tray"/>'
        f"{''.join(rows)}{''.join(stones)}{_taken(nim, tray, view.last)}</svg>"
    )


def controls(view: View, choice: Choice) -> SafeString:
    """A panel that keeps its parts and its height throughout the match; when it is not your turn it sends nothing."""
    if choice.seat is None:
        return SafeString("")
    nim, other = _nim(view.position), view.names[1 - choice.seat]
    yours = choice.enabled and nim.to_move is not None
    most = nim.most if yours else min(nim.stones, nim.largest + 1)
    return SafeString(
        f'<div class="takes card{" yours" if yours else ""}" data-stones="{nim.stones}" '
        f'data-largest="{nim.largest}" data-seat="{choice.seat}" role="group" aria-labelledby="asked">'
        f"{_head(nim, view, yours, choice.hint)}{_amounts(most, nim, yours)}{_reset(nim, choice.seat, other, yours)}"
        f"{_after(nim, other, yours)}</div>"
    )


def ready(position: Position, seat: int) -> SafeString:
    return SafeString("")


def reader(view: View) -> SafeString:
    nim = _nim(view.position)
    facts = [(gettext("Stones left"), _of(nim.stones, nim.start)), (gettext("Maximum so far"), str(nim.largest))]
    resets = gettext("Resets left of {colour}")
    facts += [(resets.format(colour=colour(seat)), _resets_left(nim, seat)) for seat in (0, 1) if nim.resets_each != 0]
    if nim.to_move is not None:
        facts.append((gettext("{colour} may take").format(colour=colour(nim.to_move)), _range(nim.most)))
    body = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in facts)
    return SafeString(f"<caption>{board_after(view)}</caption>{body}")


def mini(position: Position) -> SafeString:
    nim = _nim(position)
    tray = _tray(nim.start)
    dents, stones = _beads(tray, nim.stones + 1, nim.start), _beads(tray, 1, nim.stones)
    return SafeString(
        f'<svg viewBox="0 0 {tray.width} {tray.height}" aria-hidden="true"><rect class="wood" width="{tray.width}" '
        f'height="{tray.height}" rx="30"/><path class="dents" d="{dents}"/><path class="beads" d="{stones}"/></svg>'
    )


def notes(position: Position, moves: Sequence[str]) -> list[str]:
    """How many were left after each move, counted back from what is left now."""
    left, found, words = _nim(position).stones, [], gettext("{n} left")
    for move in reversed(moves):
        found.append(words.format(n=left))
        left += _take(move)
    return found[::-1]


def listed(move: str, note: str) -> SafeString:
    reset = f' <span class="tag">{gettext("reset")}</span>' if move.endswith("r") else ""
    takes = gettext("takes {n}").format(n=_take(move))
    return SafeString(f'{takes}{reset} <span class="small muted">{escape(note)}</span>')


def named(move: str) -> str:
    count = _take(move)
    if move.endswith("r"):
        return ngettext("{n} stone and a reset", "{n} stones and a reset", count).format(n=count)
    return ngettext("{n} stone", "{n} stones", count).format(n=count)


def subject(move: str) -> str:
    return gettext("taking {stones}").format(stones=named(move))


def spoken(move: str, note: str, name: str = "") -> str:
    if move.endswith("r"):
        words = gettext("{name} takes {n} and uses reset.") if name else gettext("You take {n} and use reset.")
    else:
        words = gettext("{name} takes {n}.") if name else gettext("You take {n}.")
    return f"{words.format(name=name, n=_take(move))} {note}."


def asked(position: Position) -> str:
    return gettext("You may take {n}.").format(n=_range(_nim(position).most))


def finish(position: Position, reason: str) -> str:
    return ""


# -- the picture -------------------------------------------------------------------------------------------------------


@cache
def _tray(start: int) -> _Tray:
    return _Tray(start, 10 if start <= 100 else 20 if start <= 400 else 40)


def _beads(tray: _Tray, first: int, last: int) -> str:
    """The stones from `first` to `last` as lines that CSS draws as dots, 60 apart.

    A line is longer by one than its last dot needs, or rounding could lose that dot.
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
    """The stones that the last move took."""
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
        return f'<p id="asked">{gettext("No stone is left")}</p><p class="may num"></p>'
    if not yours:
        words = escape(gettext("{name} may take {n}").format(name=view.names[nim.to_move], n=may))
        left = gettext("{n} left").format(n=nim.stones)
        return f'<p id="asked">{words}</p><p class="may small muted num">{left}</p>'
    said = gettext("{left} left · you may take {n}").format(left=nim.stones, n=may)
    if nim.reset_bound:
        # Equally long for both.
        said = f"<b>{gettext('After the reset you may take {n} this turn.').format(n=may)}</b>"
    if hint:
        said = f"<b>{gettext('Hint: {m}').format(m=named(hint))}</b>"
    asked = gettext("how many do you take?")
    return (
        f'<p id="asked">{gettext("Your turn")}<span class="vh">: {asked}</span></p><p class="may small num">{said}</p>'
    )


def _amounts(most: int, nim: NimPosition, yours: bool) -> str:
    # A control without a form is never sent, and keeps the focus where it is.
    of = "" if yours else ' form="nobody" aria-disabled="true"'
    if most > MOST_BUTTONS:
        return (
            '<div class="amounts"><button class="btn square" type="button" data-more="-1" hidden>−</button>'
            f'<input id="take-n" type="number" inputmode="numeric" name="move" min="1" max="{most}" value="1" required'
            f'{of} aria-label="{gettext("Stones to take, from 1 to {most}").format(most=most)}">'
            '<button class="btn square" type="button" data-more="1" hidden>+</button></div>'
        )
    label = gettext("Take {n}, leaves {left}")
    radios = "".join(
        f'<label><input id="take-{n}" type="radio" name="move" value="{n}"{of}{" checked" if n == 1 else ""} '
        f'aria-label="{label.format(n=n, left=nim.stones - n)}"><span aria-hidden="true">{n}</span></label>'
        for n in range(1, most + 1)
    )
    return f'<div class="amounts" role="radiogroup" aria-label="{gettext("Stones to take")}">{radios}</div>'


def _reset(nim: NimPosition, seat: int, other: str, yours: bool) -> str:
    if nim.resets_each == 0:
        return ""
    left = nim.resets[seat]
    count = gettext("{n} of {all} left").format(n=left, all=nim.resets_each)
    tag = "" if left is None else f' <span class="tag num">{count}</span>'
    words = escape(
        # A name begins each sentence: `The built-in player` stands in it like any other.
        gettext("{name} may then take 1 to 3 stones, on the next turn only. The maximum stays as it is.").format(
            name=other
        )
    )
    state = "" if yours else ' form="nobody" aria-disabled="true"'
    if left == 0:
        words, state = gettext("You have used all your resets of this match."), " disabled"
    return (
        f'<label class="switchrow"><input id="reset" type="checkbox" role="switch" name="move" value="r"{state} '
        f'aria-describedby="reset-does"><span><b>{gettext("Use reset")}</b>{tag}<br>'
        f'<span id="reset-does" class="small muted">{words}</span></span></label>'
    )


def _after(nim: NimPosition, other: str, yours: bool) -> str:
    """The consequences of the choice. The numbers are those of taking one stone; nim.js updates them."""
    if not yours:
        return (
            '<div class="then"><p class="after"></p>'
            '<button id="take" class="btn" type="button" aria-disabled="true" aria-describedby="status">'
            f"{gettext('Take')}</button></div>"
        )
    left = nim.stones - 1
    most = _range(min(max(nim.largest, 1) + 1, left)) if left else ""
    all_of_it = " data-all" if left == 0 else ""
    then = format_html(
        gettext("<b>{left} left</b> after this. {off}{on}"),
        left=format_html('<span data-n="left">{}</span>', left),
        off=_span("off", gettext("{name} may take {n}."), name=other, n=format_html('<b data-n="most">{}</b>', most)),
        on=_span(
            "on",
            gettext("{name} may take {n}, this turn only. The maximum stays at {largest}."),
            name=other,
            n=format_html('<b data-n="bound">{}</b>', _range(min(3, left)) if left else ""),
            largest=format_html('<span data-n="largest">{}</span>', nim.largest),
        ),
    )
    plain = gettext("{name} may take one more than the most that was taken so far; after a reset 1 to 3.")
    one = SafeString('<span data-n="take">1</span>')
    return (
        f'<div class="then"{all_of_it}><p class="after num"><span class="some">{then}</span>'
        f'<span class="all">{gettext("That takes the last stone: you win.")}</span></p>'
        f'<p class="plain">{escape(plain.format(name=other))}</p>'
        f'<button id="take" class="btn primary" type="submit">{format_html(gettext("Take {n}"), n=one)}'
        f'<span class="on"> {gettext("and reset")}</span></button></div>'
    )


def _span(when: str, words: str, /, **values: object) -> SafeString:
    """Shown with the reset (`on`) or without it (`off`)."""
    return format_html('<span class="{}">{}</span>', when, format_html(words, **values))


# -- numbers and words -------------------------------------------------------------------------------------------------


def _nim(position: Position) -> NimPosition:
    return cast(NimPosition, position)


def _take(move: str) -> int:
    return int(move.removesuffix("r"))


def _range(most: int) -> str:
    return "1" if most == 1 else gettext("1 to {most}").format(most=most)


def _of(count: int, all_of_them: int) -> str:
    return gettext("{n} of {all}").format(n=count, all=all_of_them)


def _resets_left(nim: NimPosition, seat: int) -> str:
    left = nim.resets[seat]
    return gettext("unlimited") if left is None else _of(left, nim.resets_each or 0)
