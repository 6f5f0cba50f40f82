"""What was packed is unpacked, and pieces are neither too large nor empty."""

from __future__ import annotations

import json
import zlib

import pytest

from arena.match.wire_messages import MASK, Message
from arena.match.wire_pack import (
    FAST,
    OVERHEAD,
    SMALL,
    BadWire,
    PackedWire,
    both_from,
    both_packed,
    pack,
    pieces,
    unpack,
)

SAID: list[Message] = [
    (0.000001, "in", bytes(range(256)), 0),
    (0.0, "out", "Grüße\n".encode(), 1),
    (12.345678, "err", b"", 4096),
]


@pytest.mark.parametrize("level", [FAST, SMALL])
def test_what_was_packed_is_unpacked(level: int) -> None:
    assert unpack(pack(SAID, level)) == SAID and unpack(pack([], level)) == []


def test_what_earlier_releases_packed_is_unpacked() -> None:
    assert unpack(zlib.compress(b'[[5,1000000],"io",[0,1],["NAME ada\\n","SUCCESS\\n"]]', SMALL)) == [
        (0.000005, "in", b"NAME ada\n", 0),
        (1.000005, "out", b"SUCCESS\n", 1),
    ]


def test_a_dictionary_that_is_not_there_is_named() -> None:
    squeeze = zlib.compressobj(zdict=b"words of tomorrow")
    with pytest.raises(ValueError, match="dictionary 0x[0-9a-f]{8}, which only a newer release has"):
        unpack(squeeze.compress(b"[[],'',[],[]]") + squeeze.flush())


def test_both_wires_travel_as_json_values_without_their_tokens() -> None:
    both = both_packed([*SAID, (13.0, "out", b"TOKEN arn_secret\n", 1)], [])
    assert both_from(json.loads(json.dumps([wire.to_data() for wire in both]))) == both
    said, nothing = both
    assert said.messages == [*SAID, (13.0, "out", b"TOKEN arn_" + MASK + b"\n", 1)] and said.number == 4
    assert nothing.messages == []


@pytest.mark.parametrize("number", [-1, 1 << 31, "4", 1.0, None, True])
def test_no_wire_has_that_many_messages(number: object) -> None:
    with pytest.raises(BadWire, match="messages in"):
        PackedWire.from_data([number, ""])


def test_a_wire_that_is_too_long_is_not_taken() -> None:
    with pytest.raises(BadWire, match="in 3000000 letters"):
        PackedWire.from_data([1, "A" * 3_000_000])


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"soon",
        pack(SAID)[:-1],
        pack(SAID)[:9] + b"?" + pack(SAID)[10:],
        zlib.compress(b"[" * 100_000),
        zlib.compress(bytes(20_000_000)),
        *map(zlib.compress, (b"7", b"[[1],[],[],[]]", b'[[1e999],"i",[0],["a"]]', b'[[1],"x",[0],["a"]]')),
        *map(zlib.compress, (b'[[1],"i",[0],["\\u20ac"]]', b'[[1],"i",[0],[7]]', b'[[1],"i",[{}],[""]]')),
    ],
)
def test_what_cannot_be_read_is_refused(packed: bytes) -> None:
    with pytest.raises(BadWire):
        unpack(packed)


@pytest.mark.parametrize(("most", "lengths"), [(1, [1, 1, 1]), (256 + 8 + 2 * OVERHEAD, [2, 1]), (10_000, [3])])
def test_a_piece_holds_what_fits_and_one_message_at_least(most: int, lengths: list[int]) -> None:
    found = list(pieces(SAID, most))
    assert [len(piece) for piece in found] == lengths
    assert [message for piece in found for message in piece] == SAID
    assert list(pieces([], most)) == []
