"""Lines of lists are read in as many queries for many rows as for one; what they hold is tested where lists are."""

from __future__ import annotations

from typing import Any

import pytest

from arena.models import Match
from arena.web.api.lines import match_line, with_lines
from tests.kit.rated import a_match, a_ruling, cast, store


@pytest.mark.django_db
def test_many_matches_take_no_more_queries_than_one(django_assert_num_queries: Any) -> None:
    ada, bob = cast("ada", "bob")
    store(*(a_match(ada, bob, match=f"m{n}") for n in range(5)))
    store(a_ruling("m0", "draw"))
    with django_assert_num_queries(3):
        lines = [match_line(row) for row in with_lines(Match.objects.order_by("pk"))]
    assert [line["id"] for line in lines] == [f"m{n}" for n in range(5)]
    ruling = lines[0]["ruling"]
    assert ruling is not None and ruling["verdict"] == "draw" and lines[1]["ruling"] is None
