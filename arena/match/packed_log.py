"""The compressed form of the log of a match that has ended, column by column: 42 moves take a quarter of a KB, 5 KB as
rows. `unpack` returns equal events, and the number of the host that wrote each one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from typing import Any

from arena.match import packed_words
from arena.match.state import LogEvent

FORMAT = 1
_ZERO = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DEFLATED, _WITH_A_DICTIONARY = 0x78, 0x20
_compact = json.JSONEncoder(separators=(",", ":")).encode


class BadPacked(ValueError):
    """These bytes are not what `pack` has made; the message says why."""


def pack(events: Sequence[LogEvent], epochs: Sequence[int | None]) -> bytes:
    """Pack events, and the number of the host that wrote each of them."""
    seqs, times, *columns, data = zip(*events, strict=True) if events else ((),) * len(LogEvent._fields)
    at = [(time - _ZERO) // _MICROSECOND for time in times]
    values = [FORMAT, _steps(seqs), _steps(at), *columns, [dict(each) for each in data], list(epochs)]
    squeeze = zlib.compressobj(9, memLevel=9, zdict=packed_words.NEWEST)
    return squeeze.compress(_compact(values).encode()) + squeeze.flush()


def unpack(packed: bytes | memoryview) -> tuple[list[LogEvent], list[int | None]]:
    """The events and hosts that `pack` was given, by this or any earlier release. Raises BadPacked."""
    try:
        number, *columns = json.loads(_inflated(bytes(packed)))
        if number != FORMAT:
            raise BadPacked(f"it has form {number}, which only a newer release can read")
        return list(_events(columns[:-1])), columns[-1]
    except BadPacked:
        raise
    except (zlib.error, ValueError, TypeError, LookupError, OverflowError) as why:
        raise BadPacked(f"{why}") from why


def _events(columns: Sequence[Any]) -> Iterator[LogEvent]:
    seqs, at, *rest = columns
    times = [_ZERO + step * _MICROSECOND for step in accumulate(at)]
    for values in zip(accumulate(seqs), times, *rest, strict=True):
        yield LogEvent._make(values)


def _steps(numbers: Sequence[int]) -> list[int]:
    return [after - before for before, after in pairwise((0, *numbers))]


def _inflated(packed: bytes) -> bytes:
    """Decompress with the dictionary that the header (RFC 1950) names. The checksum at the end must be right."""
    number = int.from_bytes(packed[2:6], "big")
    if len(packed) < 6 or packed[0] != _DEFLATED or not packed[1] & _WITH_A_DICTIONARY:
        raise BadPacked("it does not begin as a packed log")
    if number not in packed_words.ALL:
        raise BadPacked(f"it needs dictionary {number:#010x}, which only a newer release has")
    inflate = zlib.decompressobj(zdict=packed_words.ALL[number])
    found = inflate.decompress(packed)
    if not inflate.eof or inflate.unused_data:
        raise BadPacked("its end is missing" if not inflate.eof else "there is something after its end")
    return found
