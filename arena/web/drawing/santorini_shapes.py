"""The shapes of Santorini, drawn once per page: grounds, blocks with their heights, workers, marks of moves.

Seen from the side a tile is a diamond of 124 x 82 and the middle of the one in row r (0 is north) and column c (0 is
west) lies at 62(c - r), 41(c + r). A level stands on the one below with a smaller footprint. Seen from above a cell is
100 and the border 26. Shapes placed by `x` and `y` are drawn here around the middle of a tile on the ground, or from
the corner of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

# The height of the top of each level; a dome stands on level 3.
LIFTS = (0, 19, 36, 51, 51)
# The footprint of a level, and of the free ground, as part of a tile.
SCALES = (0.97, 0.84, 0.67, 0.50)
_HEIGHTS = (0, 19, 17, 15)
_WINDOWS = {1: ("-38.2 5.2", "-20.9 16.6"), 2: ("-31.2-16.2", "-17.3-7"), 3: ("-19-32.1",)}
_INSETS = (0, 5, 14, 23)
# One light from the upper left: on two shades of grass, the two sides of the cliff and of a wall, a dome, a worker.
_DOWN, _ACROSS, _BALL = 'x2="0" y2="1"', 'x2="1" y2="1"', 'cx=".34" cy=".28" r=".85"'
_TOP, _LOW = ("", "top"), (' offset="1"', "low")
_TWO, _THREE = (_TOP, _LOW), (_TOP, (' offset=".5"', "mid"), _LOW)
_LIGHT = (
    ("grass0", "linearGradient", _ACROSS, _TWO),
    ("grass1", "linearGradient", _ACROSS, _TWO),
    ("west", "linearGradient", _DOWN, _TWO),
    ("east", "linearGradient", _DOWN, _TWO),
    ("lit", "linearGradient", _DOWN, _TWO),
    ("dim", "linearGradient", _DOWN, _TWO),
    ("dome", "radialGradient", _BALL, _THREE),
    ("w0", "radialGradient", _BALL, _TWO),
    ("w1", "radialGradient", _BALL, _TWO),
)
# A piece of ground that is repeated, one tile wide and two deep, and where tufts of grass grow on it: two a tile,
# beside the middle, where somebody may stand.
# Blanks before a minus, and decimals of zero.
_NEEDLESS = re.compile(r"(?<=\d) (?=-)|(?<=\d)\.0(?=\D)")
_TURF = (124, 164)
_ROOTS = ((18, 10), (38, 37), (76, 54), (104, 74), (22, 90), (82, 114), (48, 137), (100, 155))
# Above the board there is room for a worker on height 3 in the back corner.
_SKY = 112


def side_x(size: int, cell: int) -> int:
    return 62 * (cell % size - cell // size)


def side_y(size: int, cell: int) -> int:
    return 41 * (cell % size + cell // size)


def side_box(size: int) -> str:
    half = 62 * size + 20
    return f"{-half} {-_SKY} {2 * half} {82 * size + 3 + _SKY}"


def above_box(size: int) -> str:
    return f"0 0 {100 * size + 52} {100 * size + 52}"


def corner(size: int, cell: int) -> tuple[int, int]:
    """The corner of the cell, seen from above."""
    return 26 + 100 * (cell % size), 26 + 100 * (cell // size)


@cache
def shapes(size: int) -> str:
    """All shapes that pictures of this size refer to."""
    levels = "".join(f'<g id="e{level}">{_on_top(level)}</g>' for level in (1, 2, 3))
    blocks = levels + "".join(
        f'<g id="k{level}">{_block(level)}</g><g id="l{level}">{_square(level)}</g>' for level in range(1, 5)
    )
    workers = "".join(
        f'<g id="q{seat}{number}">{_pawn(seat, number)}</g><g id="v{seat}{number}">{_piece(seat, number)}</g>'
        for seat in (0, 1)
        for number in (1, 2)
    )
    light = "".join(
        f'<{kind} id="s-{name}" {way}>'
        + "".join(f'<stop{at} class="{name}-{part}"/>' for at, part in stops)
        + f"</{kind}>"
        for name, kind, way, stops in _LIGHT
    )
    marks = "".join(f'<path id="m{level}" class="was" d="{_diamond(level, 3)}"/>' for level in range(4))
    drawn = (
        f'{light}{_turf()}<g id="s-side">{_side(size)}</g><g id="s-above">{_above(size)}</g>{blocks}{workers}{marks}'
        '<rect id="m" class="was" x="6" y="6" width="88" height="88" rx="9"/>'
    )
    return _NEEDLESS.sub("", drawn)


def _diamond(level: int, inset: float = 0) -> str:
    """The top face of a level, drawn round the middle of its tile."""
    across, down, y = 62 * SCALES[level] - inset, 41 * SCALES[level] - inset * 0.66, -LIFTS[level]
    return f"M0 {y - down:.1f}L{across:.1f} {y} 0 {y + down:.1f} {-across:.1f} {y}z"


def _of_shade(size: int, odd: int) -> list[int]:
    """The cells with one of the two shades of grass."""
    return [cell for cell in range(size * size) if (cell % size + cell // size) % 2 == odd]


def _each_at(places: Sequence[tuple[float, float]], shape: str, ends: tuple[float, float] = (0, 0)) -> str:
    """A path with the shape at each place, by steps: what repeats in a page costs next to nothing compressed.

    `ends` is where the shape leaves the pen, seen from its place.
    """
    (x, y), *others = places
    drawn = f"M{x:g} {y:g}{shape}"
    for to_x, to_y in others:
        drawn += f"m{to_x - x - ends[0]:.4g} {to_y - y - ends[1]:.4g}{shape}"
        x, y = to_x, to_y
    return drawn


def _names(letters: Sequence[tuple[int, int]], numbers: Sequence[tuple[int, int]]) -> str:
    """The names of the columns and of the rows: two texts with a place for each of their characters."""
    size = len(letters)
    said = ("".join(chr(97 + n) for n in range(size)), "".join(str(size - n) for n in range(size)))
    texts = "".join(
        f'<text x="{",".join(str(x) for x, _ in places)}" y="{",".join(str(y) for _, y in places)}">{words}</text>'
        for words, places in zip(said, (letters, numbers), strict=True)
    )
    return f'<g class="names">{texts}</g>'


# -- from the side -----------------------------------------------------------------------------------------------------


def _side(size: int) -> str:
    wide, middle, low = 62 * size + 15, 41 * (size - 1), 82 * (size - 1) + 50
    tops = [[(side_x(size, cell), side_y(size, cell) - 40) for cell in _of_shade(size, odd)] for odd in (0, 1)]
    tiles = [_each_at(places, "l61 40-61 40-61-40z") for places in tops]
    south = [size * (size - 1) + n for n in range(size)]
    east = [size * n + size - 1 for n in range(size)]
    names = _names(
        [(side_x(size, cell) - 33, side_y(size, cell) + 40) for cell in south],
        [(side_x(size, cell) + 35, side_y(size, cell) + 39) for cell in east],
    )
    rim, half = f"M-{wide} {middle}L0 {low} {wide} {middle}", f"0 {low}v26L"
    return (
        f'<path fill="url(#s-west)" d="M-{wide} {middle}L{half}-{wide} {middle + 26}z"/>'
        f'<path fill="url(#s-east)" d="M{wide} {middle}L{half}{wide} {middle + 26}z"/>'
        f'<path class="strata" d="M-{wide} {middle + 9}L0 {low + 9} {wide} {middle + 9}M-{wide} {middle + 18}'
        f'L0 {low + 18} {wide} {middle + 18}"/>'
        f'<path class="plinth" d="M0-50L{wide} {middle} 0 {low}-{wide} {middle}z"/><path class="brink" d="{rim}"/>'
        f'<path fill="url(#s-grass0)" d="{tiles[0]}"/><path fill="url(#s-grass1)" d="{tiles[1]}"/>'
        f'<path fill="url(#s-turf)" d="M0-41L{62 * size} {middle} 0 {82 * size - 41}-{62 * size} {middle}z"/>'
        f"{names}"
    )


def _turf() -> str:
    wide, deep = _TURF
    tufts = _each_at(_ROOTS, "l-2-5m2 5l2-5m-2 5l4-4", ends=(4, -4))
    return (
        f'<pattern id="s-turf" patternUnits="userSpaceOnUse" width="{wide}" height="{deep}">'
        f'<path class="tufts" d="{tufts}"/></pattern>'
    )


def _block(level: int) -> str:
    """All levels up to this one, its number at the front corner."""
    drawn = f'{_cast(level)}<use href="#e{min(level, 3)}"/>'
    if level == 4:
        return (
            f'{drawn}<path fill="url(#s-dome)" d="M-26-52C-26-92 26-92 26-52C26-33-26-33-26-52z"/>'
            '<path class="streak" d="M-16.1-60C-14.3-74-5.2-79 0-80"/>'
        )
    y = 41 * SCALES[level] - LIFTS[level] - 1
    number = f'<text class="side-number" y="{y + 4.6:.1f}">{level}</text>'
    return f'{drawn}<g class="badge"><circle cy="{y:.1f}" r="9.5"/>{number}</g>'


def _on_top(level: int) -> str:
    """A level on those below it."""
    return (f'<use href="#e{level - 1}"/>' if level > 1 else "") + _level(level)


def _cast(level: int) -> str:
    """The shade that a building throws on the ground, longer the higher it is."""
    across, down, long = 62 * SCALES[1], 41 * SCALES[1], 5 + 7 * level
    return (
        f'<path class="cast" d="M0 {down:.1f}l{long} {long / 4:g}L{across + long:.1f} {long / 4:g}L{across:.1f} 0z"/>'
    )


def _level(level: int) -> str:
    across, down = 62 * SCALES[level], 41 * SCALES[level]
    base, height = -LIFTS[level - 1], _HEIGHTS[level]
    faces = "".join(
        f'<path class="wall" fill="url(#s-{name})" d="M{side * across:.1f} {base}L0 {base + down:.1f}v-{height}'
        f'L{side * across:.1f} {base - height}z"/>'
        for name, side in (("lit", -1), ("dim", 1))
    )
    window = f"l7 4.6v-{9.5 - (level - 1):g}l-7-4.6z"
    windows = "".join(f"M{at}{window}" for at in _WINDOWS[level])
    return f'{faces}<path class="panes" d="{windows}"/><path class="top{level}" d="{_diamond(level)}"/>'


def _pawn(seat: int, number: int) -> str:
    heads = ('<circle cy="-47" r="12.5"/>', '<path d="M0-63l14.5 15.5-14.5 14-14.5-14z"/>')
    return (
        f'<g transform="translate(0 2)scale(.88)" class="worker s{seat}">'
        '<ellipse class="shadow" cx="5" cy="3" rx="23" ry="12"/>'
        f'<g fill="url(#s-w{seat})"><path d="M-19 0C-17-12-8-22-7-36h14C8-22 17-12 19 0C17 13-17 13-19 0z"/>'
        f"{heads[seat]}</g>"
        f'<text y="-2">{number}</text></g>'
    )


# -- from above --------------------------------------------------------------------------------------------------------


def _above(size: int) -> str:
    width = 100 * size + 52
    corners = [[(x + 1.5, y + 1.5) for x, y in (corner(size, cell) for cell in _of_shade(size, odd))] for odd in (0, 1)]
    tiles = [_each_at(places, "h97v97h-97z") for places in corners]
    names = _names([(76 + 100 * n, width - 7) for n in range(size)], [(13, 83 + 100 * n) for n in range(size)])
    return (
        f'<rect class="earth" width="{width}" height="{width}" rx="18"/>'
        f'<path fill="url(#s-grass0)" d="{tiles[0]}"/><path fill="url(#s-grass1)" d="{tiles[1]}"/>'
        f"{names}"
    )


def _square(level: int) -> str:
    """Nested squares, lighter as they rise, and the height in a corner."""
    squares = "".join(
        f'<rect class="floor{n}" x="{_INSETS[n]}" y="{_INSETS[n]}" width="{100 - 2 * _INSETS[n]}" '
        f'height="{100 - 2 * _INSETS[n]}" rx="7"/>'
        for n in range(1, min(level, 3) + 1)
    )
    dome = '<circle fill="url(#s-dome)" cx="50" cy="50" r="23"/><path class="streak" d="M38 46a14 14 0 0 1 10-10"/>'
    tag = (
        f'<g class="badge"><rect x="70" y="68" width="25" height="27" rx="7"/><text x="82.5" y="88">{level}</text></g>'
    )
    return f"{squares}{dome if level == 4 else ''}{tag}"


def _piece(seat: int, number: int) -> str:
    shape = ('<circle cx="50" cy="50" r="28"/>', '<path d="M50 15l35 35-35 35-35-35z"/>')[seat]
    return f'<g class="worker s{seat} flat">{shape}<text x="50" y="61">{number}</text></g>'
