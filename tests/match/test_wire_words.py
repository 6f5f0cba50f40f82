"""What was packed with a dictionary can always be read with it: this is what the first one packed."""

from __future__ import annotations

import zlib
from hashlib import sha256

from arena.match import wire_words
from arena.match.wire_pack import pack, unpack

FIRST = "ddc34d82356cd4e86abd0a133ce44221201930c7158e3673f8e5458023b18f8f"


def test_a_dictionary_stays_as_it_was() -> None:
    assert {sha256(words).hexdigest() for words in wire_words.ALL.values()} == {FIRST}
    assert wire_words.NEWEST in wire_words.ALL.values()


def test_packed_wires_name_their_dictionary() -> None:
    packed = pack([(0.0, "in", b"PUT 3\n", 1)])
    assert int.from_bytes(packed[2:6], "big") == zlib.adler32(wire_words.NEWEST)
    assert unpack(packed) == [(0.0, "in", b"PUT 3\n", 1)]
