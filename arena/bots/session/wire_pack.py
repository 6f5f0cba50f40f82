"""The stored form of a wire: its messages unchanged, column by column, and compressed.

A match of 42 moves has 6 KB of JSON lines a seat and takes 0.4 KB in this form. The lines are made on reading.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from arena.bots.session import wire_words
from arena.bots.session.wire import OVERHEAD, Direction, Message

# Compression levels: while a match runs, processor time matters; afterwards disk space does.
FAST, SMALL = 1, 9

_WITH_A_DICTIONARY = 0x20
_WAYS: dict[Direction, str] = {"in": "i", "out": "o", "err": "e"}
_DIRECTIONS: dict[str, Direction] = {letter: way for way, letter in _WAYS.items()}
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def pack(messages: Sequence[Message], level: int = FAST) -> bytes:
    """Pack messages from `Wire.kept`. Times are kept to the microsecond, as differences."""
    at = [round(t * 1e6) for t, _, _, _ in messages]
    steps = [after - before for before, after in pairwise((0, *at))]
    ways = "".join([_WAYS[way] for _, way, _, _ in messages])
    plies = [ply for _, _, _, ply in messages]
    texts = [data.decode("latin-1") for _, _, data, _ in messages]
    squeeze = zlib.compressobj(level, zdict=wire_words.NEWEST)
    return squeeze.compress(_compact((steps, ways, plies, texts)).encode()) + squeeze.flush()


def unpack(packed: bytes | memoryview) -> list[Message]:
    """Unpack what this or any earlier release has packed."""
    steps, ways, plies, texts = json.loads(_inflated(bytes(packed)))
    return [
        (at / 1e6, _DIRECTIONS[way], text.encode("latin-1"), ply)
        for at, way, text, ply in zip(accumulate(steps), ways, texts, plies, strict=True)
    ]


def _inflated(packed: bytes) -> bytes:
    """Decompress with the dictionary that the header (RFC 1950) names, or without one as earlier releases packed."""
    if not packed[1] & _WITH_A_DICTIONARY:
        return zlib.decompress(packed)
    number = int.from_bytes(packed[2:6], "big")
    if number not in wire_words.ALL:
        raise ValueError(f"a wire is packed with dictionary {number:#010x}, which only a newer release has")
    return zlib.decompressobj(zdict=wire_words.ALL[number]).decompress(packed)


def pieces(messages: Sequence[Message], most: int) -> Iterator[Sequence[Message]]:
    """Messages in groups of at most `most` bytes, with at least one message each."""
    first = size = 0
    for number, message in enumerate(messages):
        size += len(message[2]) + OVERHEAD
        if size > most and number > first:
            yield messages[first:number]
            first, size = number, len(message[2]) + OVERHEAD
    if messages[first:]:
        yield messages[first:]
