"""The picture of a position for preview cards: a PNG made of the board that every game has, by the standard library.

Messengers show no SVG, and a library of drawing weighs more than the arena: rectangles, discs and diamonds in a few
colours are rows of bytes, and zlib packs them. A card takes about 3 ms and is kept.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache

from arena.web.drawing.view import board_of
from games import Cell, Position

WIDTH, HEIGHT, EDGE = 600, 315, 16
MOST_KEPT = 256

# Background, plate, hole, Orange, Blue, mark, floor by floor, dome, stone.
_BACK, _PLATE, _HOLE, _ORANGE, _BLUE, _MARK = range(6)
_FLOORS, _DOME, _STONE = (_PLATE, 6, 7, 8), 9, 10
_COLOURS = bytes.fromhex(
    "101820 24425f 0c1117 ffb02e 4d8dff ffffff c9c2b4 dcd6ca efebe3 2d5fb0 d9a066".replace(" ", "")
)


@lru_cache(maxsize=MOST_KEPT)
def png(position: Position) -> bytes:
    """The position as a PNG of 600 by 315."""
    picture = [bytearray(WIDTH) for _ in range(HEIGHT)]
    rows = board_of(position).rows
    # Where every stone has been taken, an empty plate is left.
    across, down = max(map(len, rows), default=1), len(rows) or 1
    side = min((HEIGHT - 2 * EDGE) // down, (WIDTH - 2 * EDGE) // across)
    left, top = (WIDTH - side * across) // 2, (HEIGHT - side * down) // 2
    _box(picture, left - 4, top - 4, side * across + 8, side * down + 8, _PLATE)
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            _draw(picture, cell, left + c * side, top + r * side, side)
    return _packed(picture)


def _draw(picture: list[bytearray], cell: Cell, x: int, y: int, side: int) -> None:
    """A hole, or a building with its floors, and the piece on it; the seats also differ in their marks."""
    middle = x + side // 2, y + side // 2
    _disc(picture, *middle, side * 42 // 100, _STONE if cell.text and cell.seat is None and not cell.level else _HOLE)
    for floor in range(1, min(cell.level, 3) + 1):
        inset = side * floor // 14
        _box(picture, x + inset, y + inset, side - 2 * inset, side - 2 * inset, _FLOORS[floor])
    if cell.level > 3:
        _disc(picture, *middle, side * 28 // 100, _DOME)
    if cell.seat is not None:
        _disc(picture, *middle, side * 40 // 100, (_ORANGE, _BLUE)[cell.seat])
        mark = side * 18 // 100
        _disc(picture, *middle, mark, _HOLE) if cell.seat == 0 else _diamond(picture, *middle, mark)


def _box(picture: list[bytearray], x: int, y: int, width: int, height: int, colour: int) -> None:
    for row in picture[max(y, 0) : y + height]:
        row[x : x + width] = bytes([colour]) * width


def _disc(picture: list[bytearray], x: int, y: int, radius: int, colour: int) -> None:
    for dy in range(-radius, radius + 1):
        half = int((radius * radius - dy * dy) ** 0.5)
        picture[y + dy][x - half : x + half + 1] = bytes([colour]) * (2 * half + 1)


def _diamond(picture: list[bytearray], x: int, y: int, reach: int) -> None:
    for dy in range(-reach, reach + 1):
        half = reach - abs(dy)
        picture[y + dy][x - half : x + half + 1] = bytes([_MARK]) * (2 * half + 1)


def _packed(picture: list[bytearray]) -> bytes:
    """PNG (ISO/IEC 15948): one byte a pixel, a palette, no filter."""
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in picture), 6)
    chunks = ((b"IHDR", header), (b"PLTE", _COLOURS), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, said) for kind, said in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
