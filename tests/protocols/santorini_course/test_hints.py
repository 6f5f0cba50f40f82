from __future__ import annotations

from arena.protocols.santorini_course.hints import HINTS
from arena.protocols.santorini_hints import NO_JSON


def test_it_has_the_mistakes_of_both_protocols() -> None:
    assert HINTS == NO_JSON
