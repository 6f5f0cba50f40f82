"""The book of Connect Four 7x6: the score of every position after 12 plies, one of each mirror pair.

The file comes with the package `bitbully-databases` (Markus Thill, MIT). It is read through `mmap` and bisection: a few
microseconds a position, and nothing is loaded. Positions with a win in one are left out.

A record has five bytes. Four are the position, as a signed number by which the file is sorted: the columns from the
left, each from the bottom, a stone of the first player as `10`, one of the other as `11`, the end of a column as `0`.
The fifth is 100 less the plies until the first player wins, negative for a loss, 0 for a draw.

`first_plies.bin` holds the scores of all positions of the first plies in the same way; `tools/first_plies.py` made it.
"""

from __future__ import annotations

import hashlib
import mmap
from bisect import bisect_left
from functools import cache
from pathlib import Path

from games.players.connect_four_exact import key

PLIES = 12
FIRST_PLIES = 6
FIRST = Path(__file__).parent / "first_plies.bin"

_COLUMNS, _BITS = 7, 7
_RECORD, _FIRST_RECORD = 5, 4
_SHA256 = "1e01874dbb9b296a96baa2f5483ae69333ac7009377b34b222f112d9d8e89704"
_MOST_STONES = 22


class NoBook(RuntimeError):
    """The book cannot be read. The message says why and what to do."""


def book_file() -> Path:
    """Where the package keeps the book. Raises NoBook if it is not installed."""
    try:
        import bitbully_databases
    except ImportError as why:
        raise NoBook(f"bitbully-databases cannot be imported ({why}): run `make run` again, or install it") from None
    return Path(bitbully_databases.__file__).parent / "assets" / "book_12ply_distances.dat"


class Book:
    """The 12-ply book, opened. Raises NoBook if the file is missing or not the known one."""

    def __init__(self, path: Path | None = None) -> None:
        path = path or book_file()
        try:
            with path.open("rb") as file:
                self._records = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as why:
            raise NoBook(f"the book cannot be read ({why}): install bitbully-databases again") from None
        found = hashlib.sha256(self._records).hexdigest()
        if found != _SHA256:
            raise NoBook(
                f"{path} has the SHA-256 {found[:12]}…, expected {_SHA256[:12]}…: install bitbully-databases again"
            )

    def score(self, mover: int, mask: int) -> int | None:
        """The score of a position, for the player to move; None if it is not in the book."""
        if mask.bit_count() != PLIES:
            return None
        for code in codes(mover, mask):
            wanted = _signed(code)
            at = bisect_left(range(len(self._records) // _RECORD), wanted, key=self._code)
            if at * _RECORD < len(self._records) and self._code(at) == wanted:
                return _score(int.from_bytes(self._records[at * _RECORD + 4 : at * _RECORD + 5], signed=True))
        return None

    def _code(self, record: int) -> int:
        return int.from_bytes(self._records[record * _RECORD : record * _RECORD + 4], signed=True)


class FirstPlies:
    """The scores of all positions of the first plies. Raises NoBook if the file cannot be read."""

    def __init__(self, path: Path = FIRST) -> None:
        try:
            self._records = path.read_bytes()
        except OSError as why:
            raise NoBook(f"the first plies cannot be read ({why}): put back {path}") from None

    def score(self, mover: int, mask: int) -> int | None:
        """The score of a position, for the player to move; None if it is later than the first plies."""
        if mask.bit_count() > FIRST_PLIES:
            return None
        wanted = min(codes(mover, mask))
        at = bisect_left(range(len(self._records) // _FIRST_RECORD), wanted, key=self._code)
        if at * _FIRST_RECORD == len(self._records) or self._code(at) != wanted:
            return None
        return int.from_bytes(self._records[at * _FIRST_RECORD + 3 : at * _FIRST_RECORD + 4], signed=True)

    def _code(self, record: int) -> int:
        return int.from_bytes(self._records[record * _FIRST_RECORD : record * _FIRST_RECORD + 3])


def first_plies(scores: dict[int, int]) -> bytes:
    """The file of these scores, by the smaller code of each mirror pair."""
    return b"".join(code.to_bytes(3) + score.to_bytes(1, signed=True) for code, score in sorted(scores.items()))


def codes(mover: int, mask: int) -> tuple[int, int]:
    """The position as the book writes it, and its mirror image; a leading 1 keeps empty columns on the left apart."""
    both = key(mover, mask)
    columns = [_column(both >> column * _BITS & 127) for column in range(_COLUMNS)]
    one = other = 1
    for (bits, code), (mirrored_bits, mirrored) in zip(columns, reversed(columns), strict=True):
        one, other = one << bits | code, other << mirrored_bits | mirrored
    return one << 1, other << 1


@cache
def _column(packed: int) -> tuple[int, int]:
    """The number of bits that the book writes for a column of `key`, and these bits."""
    for height in range(_BITS):
        mask = (1 << height) - 1
        mover = packed - mask - 1
        if 0 <= mover <= mask:
            code = 0
            for row in range(height):
                code = code << 2 | (0b10 if mover >> row & 1 else 0b11)
            return 2 * height + 1, code << 1
    raise ValueError(f"{packed} is no column")


def _signed(code: int) -> int:
    """The 32 bits after the leading 1, as the signed number by which the book is sorted."""
    word = code & 0xFFFFFFFF
    return word - (1 << 32) if word >> 31 else word


def _score(value: int) -> int:
    if value == 0:
        return 0
    end = PLIES + 100 - abs(value)
    stones = (end + 1) // 2  # the number of stones with which a seat wins at `end`
    return _MOST_STONES - stones if value > 0 else stones - _MOST_STONES
