"""What pages say on their websockets."""

from __future__ import annotations

import pytest

from arena.web.sockets.page_messages import form_of, have_of


def test_a_form_has_the_fields_of_a_move() -> None:
    said = '{"ply": "1", "move": "4", "csrfmiddlewaretoken": "x", "HEADERS": {}}'
    assert form_of(said) == {"ply": "1", "move": "4", "csrfmiddlewaretoken": "x", "HEADERS": {}}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "Received bytes"),
        ("x" * 5000, "Received 5000 letters, expected 4096 at most."),
        ("nonsense", "is no JSON object"),
        ("[" * 4000, "is no JSON object"),
        ('{"winner": 0}', "the unknown field 'winner'"),
    ],
)
def test_anything_else_is_refused_in_words(said: str | None, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        form_of(said)


def test_a_cursor_is_a_number_or_nothing() -> None:
    assert [have_of(query) for query in (b"have=7&seat=0", b"", b"have=x", b"have=-1")] == [7, 0, 0, 0]
