"""The stored form of a wire: its messages unchanged, column by column, and compressed.

A match of 42 moves has 6 KB of JSON lines a seat and takes 0.4 KB in this form. The lines are made on reading.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from arena.match import wire_words
from arena.match.wire_messages import Direction, Message, without_tokens

# The overhead of a message in memory, and of a line around its data.
OVERHEAD = 64
# Compression levels: while a match runs, processor time matters; afterwards disk space does.
FAST, SMALL = 1, 9

# Limits of what others send. A wire has at most 1 MiB of messages, which as JSON may take six times as much.
MOST_MESSAGES, MOST_PACKED, MOST_UNPACKED = 1 << 20, 2 << 20, 16 << 20
_WITH_A_DICTIONARY = 0x20
_WAYS: dict[Direction, str] = {"in": "i", "out": "o", "err": "e"}
_DIRECTIONS: dict[str, Direction] = {letter: way for way, letter in _WAYS.items()}
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class BadWire(ValueError):
    """These bytes are not what `pack` has made; the message says why."""


class PackedWire(NamedTuple):
    """All messages of one wire in one match: how many, and their packed form."""

    number: int
    packed: bytes

    @property
    def messages(self) -> list[Message]:
        """Raises BadWire."""
        return unpack(self.packed) if self.number else []

    def to_data(self) -> list[Any]:
        """As JSON values."""
        return [self.number, base64.b64encode(self.packed).decode()]

    @classmethod
    def from_data(cls, data: Sequence[Any]) -> PackedWire:
        """The inverse. The bytes are only looked at when somebody reads the wire. Raises BadWire, TypeError."""
        number, text = data
        if type(number) is not int or not 0 <= number <= MOST_MESSAGES or len(text) > MOST_PACKED:
            raise BadWire(f"{str(number)[:20]} messages in {len(text)} letters")
        return cls(number, base64.b64decode(text))


BothWires = tuple[PackedWire, PackedWire]


def both_packed(first: Sequence[Message], second: Sequence[Message]) -> BothWires:
    """All messages of both seats, without tokens."""
    return _packed_whole(first), _packed_whole(second)


def both_from(data: Sequence[Any]) -> BothWires:
    """What `to_data` has made of both. Raises what `PackedWire.from_data` raises."""
    first, second = map(PackedWire.from_data, data)
    return first, second


def _packed_whole(messages: Sequence[Message]) -> PackedWire:
    return PackedWire(len(messages), pack(without_tokens(messages)[0], SMALL) if messages else b"")


def pack(messages: Sequence[Message], level: int = FAST) -> bytes:
    """Pack messages without tokens. Times are kept to the microsecond, as differences."""
    at = [round(t * 1e6) for t, _, _, _ in messages]
    steps = [after - before for before, after in pairwise((0, *at))]
    ways = "".join([_WAYS[way] for _, way, _, _ in messages])
    plies = [ply for _, _, _, ply in messages]
    texts = [data.decode("latin-1") for _, _, data, _ in messages]
    squeeze = zlib.compressobj(level, zdict=wire_words.NEWEST)
    return squeeze.compress(_compact((steps, ways, plies, texts)).encode()) + squeeze.flush()


def unpack(packed: bytes | memoryview) -> list[Message]:
    """Unpack what this or any earlier release has packed. Raises BadWire."""
    try:
        steps, ways, plies, texts = json.loads(_inflated(bytes(packed)))
        return [
            (int(at) / 1e6, _DIRECTIONS[way], text.encode("latin-1"), int(ply))
            for at, way, text, ply in zip(accumulate(steps), ways, texts, plies, strict=True)
        ]
    except BadWire:
        raise
    except (zlib.error, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as why:
        raise BadWire(f"{why}") from why


def _inflated(packed: bytes) -> bytes:
    """Decompress with the dictionary that the header (RFC 1950) names, or without one as earlier releases packed."""
    number = int.from_bytes(packed[2:6], "big")
    if not packed[1] & _WITH_A_DICTIONARY:
        inflate = zlib.decompressobj()
    elif number in wire_words.ALL:
        inflate = zlib.decompressobj(zdict=wire_words.ALL[number])
    else:
        raise BadWire(f"a wire is packed with dictionary {number:#010x}, which only a newer release has")
    found = inflate.decompress(packed, MOST_UNPACKED)
    if not inflate.eof:
        raise BadWire(f"its end is missing, or it is longer than {MOST_UNPACKED} bytes")
    return found


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
