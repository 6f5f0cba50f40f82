"""What installations have packed needs the dictionary byte for byte."""

from __future__ import annotations

from hashlib import sha256

from arena.match.packed_words import ALL, NEWEST


def test_a_dictionary_never_changes() -> None:
    assert NEWEST in ALL.values()
    known = {f"{number:08x}": sha256(words).hexdigest()[:16] for number, words in ALL.items()}
    assert known == {"7cb5c0b4": "76af0028d123921a"}
