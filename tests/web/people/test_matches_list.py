"""What an address asks of the list of matches."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from arena.web.people.matches_list import wish_of
from arena.web.people.records import Wish


@pytest.mark.parametrize(
    ("query", "wish"),
    [
        ("", Wish()),
        ("game=santorini-5x5&result=lost&by=timeout", Wish("santorini-5x5", "lost", "timeout")),
        ("before=17", Wish(before=17)),
        ("game=<b>&result=best&by=magic&before=-1", Wish()),
        ("before=" + "9" * 40, Wish()),
        ("before=\u0661", Wish()),
    ],
)
def test_what_is_asked_for_is_taken_and_nonsense_passed_over(query: str, wish: Wish) -> None:
    assert wish_of(RequestFactory().get(f"/?{query}")) == wish
