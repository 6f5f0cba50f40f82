from __future__ import annotations

import pytest

from arena.match.commands import Refusal
from arena.web.match import chat_lines


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("  two\n lines\t", "two lines"),
        ("e\u0301", "\u00e9"),
        ("a\u202eb\u2067c\u200fd", "abcd"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("nul\x00bell\x07", "nulbell"),
        ("\ud800", "\ufffd"),
        ("a" + "\u0301" * 50, "\u00e1" + "\u0301" * 3),
    ],
)
def test_a_line_is_one_line_that_can_be_read(said: str, kept: str) -> None:
    assert chat_lines.cleaned(said) == kept


@pytest.mark.parametrize("said", ["", "\u200d\u200c", "\n\n", "x" * 201, "x" * 100_000])
def test_what_cannot_be_read_is_refused(said: str) -> None:
    with pytest.raises(Refusal):
        chat_lines.cleaned(said)


def test_a_frame_tells_a_number_and_nothing_where_nobody_has_said_anything() -> None:
    assert chat_lines.newest_mark(0) == ""
    assert 'data-newest="7"' in chat_lines.newest_mark(7)
