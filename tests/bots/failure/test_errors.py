"""The table of errors: every row can be said, and is said once."""

from __future__ import annotations

import re
from string import Formatter

from arena.bots.failure.errors import every_error
from arena.bots.failure.evidence import words
from arena.protocols.hints import Evidence

ROWS = [error for errors in every_error().values() for error in errors]


def test_each_code_stands_once() -> None:
    codes = [error.code for error in ROWS]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[a-z0-9_]+", code) for code in codes)


def test_sentences_use_words_that_there_are() -> None:
    known = set(words(Evidence("fiar", "timeout")))
    used = {name for error in ROWS for text in error[2:] for _, name, _, _ in Formatter().parse(text) if name}
    assert used <= known


def test_every_row_says_what_happened_and_what_to_do() -> None:
    for error in ROWS:
        assert error.title and not error.title.endswith("."), error.code
        assert error.advice.endswith((".", "?")), error.code
        assert error.sentence.endswith((".", "}")), error.code
