"""The messages of a wire, and the tokens in them, which are masked before anything is stored or shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

Direction = Literal["in", "out", "err"]
# Seconds, direction, the bytes, and the number of the move.
Message = tuple[float, Direction, bytes, int]
# The beginning of an incomplete line by direction, in which a token split over two reads may begin.
Begun = Mapping[Direction, bytes]

NOTHING_BEGUN: Begun = {}
LONGEST_BEGUN = 256
MASK = "…".encode()
_TOKEN = re.compile(
    rb'arn_([A-Za-z0-9_-]+)|^SEAT[ \t]+(?!REFUSED )(?:arn_)?([^\s]+)|"token"\s*:\s*"([^"\s]+)', re.MULTILINE
)


def without_tokens(messages: Sequence[Message], begun: Begun = NOTHING_BEGUN) -> tuple[Sequence[Message], Begun]:
    """Mask the tokens in the next messages of a wire. All are searched at once first, because hardly any contain one.

    `begun` is what the last call has returned.
    """
    said: dict[Direction, list[bytes]] = {"in": [], "out": [], "err": []}
    for _, way, data, _ in messages:
        said[way].append(data)
    wholes = {way: b"".join([begun.get(way, b""), *parts]) for way, parts in said.items()}
    if not any(_may_hold_a_token(whole) for whole in wholes.values()):
        now = {way: line for way, whole in wholes.items() if (line := _begun_line(whole))}
        return messages, now or NOTHING_BEGUN
    kept: list[Message] = []
    for stamp, way, data, ply in messages:
        shown, line = _masked(begun.get(way, b""), data)
        kept.append((stamp, way, shown, ply))
        begun = {**begun, way: line}
    return kept, begun


def masked(data: bytes) -> bytes:
    """Mask the tokens in a single message."""
    return _masked(b"", data)[0]


def _masked(begun: bytes, data: bytes) -> tuple[bytes, bytes]:
    """What follows `begun`, with its tokens masked, also one that comes in pieces; and the line that is begun then."""
    whole, at, kept = begun + data, len(begun), list[bytes]()
    if _may_hold_a_token(whole):
        for found in _TOKEN.finditer(whole):
            start, end = found.span(found.lastindex or 0)
            if end > at:
                kept += [whole[at : max(start, at)], MASK]
                at = end
    return b"".join([*kept, whole[at:]]), _begun_line(whole)


def _begun_line(whole: bytes) -> bytes:
    return whole[whole.rfind(b"\n") + 1 :][-LONGEST_BEGUN:]


def _may_hold_a_token(whole: bytes) -> bool:
    return b"arn_" in whole or b"SEAT" in whole or b"token" in whole
