"""What was packed is unpacked, and pieces are neither too large nor empty."""

from __future__ import annotations

import zlib

import pytest

from arena.bots.session.wire import OVERHEAD, Message
from arena.bots.session.wire_pack import FAST, SMALL, pack, pieces, unpack

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


@pytest.mark.parametrize(("most", "lengths"), [(1, [1, 1, 1]), (256 + 8 + 2 * OVERHEAD, [2, 1]), (10_000, [3])])
def test_a_piece_holds_what_fits_and_one_message_at_least(most: int, lengths: list[int]) -> None:
    found = list(pieces(SAID, most))
    assert [len(piece) for piece in found] == lengths
    assert [message for piece in found for message in piece] == SAID
    assert list(pieces([], most)) == []
