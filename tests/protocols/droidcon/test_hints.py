from __future__ import annotations

from arena.protocols.droidcon.hints import has_not_joined, was_answered_with_an_error
from arena.protocols.hints import Evidence


def test_whole_lines_were_answered_and_half_a_line_was_not() -> None:
    assert was_answered_with_an_error(Evidence("droidcon", "timeout", unfinished="PTU 3\\x0a"))
    assert not was_answered_with_an_error(Evidence("droidcon", "timeout", unfinished="PUT 3"))


def test_who_said_something_and_has_no_place_has_not_joined() -> None:
    assert has_not_joined(Evidence("droidcon", "stall", unfinished="NAME me\\x0a"))
    assert not has_not_joined(Evidence("droidcon", "stall"))
