"""Which protocol a text is written in."""

from __future__ import annotations

import pytest

from arena.protocols import protocols
from arena.protocols.grammars import expected, others_that_understand, understands

TURN = b'[["move",{"player":"max","id":1},["EAST","PUT"]],["build",["PUT","SOUTH"]]]'


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        (b"3", {"fiar", "gamestate"}),
        (b"3\n", {"fiar", "gamestate"}),
        (b"0", {"gamestate"}),
        (b"7", {"fiar", "gamestate"}),
        (b"8", set()),
        (b"PUT 3", {"droidcon"}),
        (b"NAME max", {"droidcon"}),
        (b"JOIN room", {"droidcon"}),
        (b"3 0", {"nyu-nim"}),
        (b"2 1", {"nyu-nim"}),
        (b'"OK"', {"santorini-json", "santorini-course"}),
        (b'"max"', {"santorini-json", "santorini-course"}),
        (b'["join","max"]', {"santorini-json"}),
        (b'["place",2,3]', {"santorini-json"}),
        (TURN, {"santorini-json"}),
        (b"[2,3]", {"santorini-course"}),
        (b'["you1","EAST","SOUTH","PUT","NORTH"]', {"santorini-course"}),
        (b'{"type": "hello", "name": "max"}', {"native"}),
        (b'{"type": "move", "ply": 9, "move": "4"}', {"native"}),
        (b"Thinking", set()),
        (b"", set()),
        (b"\x00\xff", set()),
        (b"{}", set()),
        (b"c3", set()),
    ],
)
def test_a_text_is_understood_by_the_protocols_that_have_it(text: bytes, slugs: set[str]) -> None:
    assert {slug for slug in protocols() if understands(slug, text)} == slugs


def test_the_others_are_called_by_their_titles() -> None:
    assert others_that_understand("fiar", b"PUT 3") == [protocols()["droidcon"].title]
    assert others_that_understand("droidcon", b"PUT 3") == []


@pytest.mark.parametrize("slug", protocols())
def test_every_protocol_says_what_it_expects(slug: str) -> None:
    assert expected(slug) != f"an answer as {slug} has it"
