"""What a list is asked for is read as it was declared."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.http import QueryDict
from django.test import RequestFactory

from arena.web.api.query import USUAL_IN_A_LIST, Parameter, Query, WrongQuery, next_address, read

PARAMETERS = {
    "state": Parameter("", lambda: ["open", "over"]),
    "since": Parameter("", is_time=True),
    "number": Parameter("", least=0, most=7),
    "text": Parameter(""),
}


def wish(query: str) -> Query:
    return read(RequestFactory().get(f"/api/things/?{query}"), PARAMETERS)


def test_what_was_not_given_is_empty() -> None:
    found = wish("")
    assert (found["text"], found.number("number"), found.time("since"), found.limit) == (
        "",
        None,
        None,
        USUAL_IN_A_LIST,
    )


def test_each_kind_is_read() -> None:
    found = wish("state=over&since=2026-01-31T13:00:00%2B01:00&number=0&text=%C3%BC&limit=9")
    assert (found["state"], found.number("number"), found["text"], found.limit) == ("over", 0, "ü", 9)
    assert found.time("since") == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert wish("since=2026-01-31").time("since") == datetime(2026, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("state=no", "state=no: expected one of open, over."),
        ("number=8", "number=8: expected a whole number from 0 to 7."),
        ("number=-1", "number=-1"),
        ("number=%D9%A3", "expected a whole number"),
        ("since=0001-01-01T00:00:00%2B23:59", "expected a time"),
        ("since=" + "9" * 5000, "expected a time"),
        ("limit=201", "limit=201: expected a whole number from 1 to 200."),
        ("text=a&text=b", "text is given 2 times, expected once."),
        ("nothing=1", "There is no parameter 'nothing' here; there are state, since, number, text, limit."),
    ],
)
def test_what_is_wrong_is_said(query: str, said: str) -> None:
    with pytest.raises(WrongQuery) as why:
        wish(query)
    assert said in why.value.sentence


def test_the_address_of_the_rest_keeps_the_query() -> None:
    request = RequestFactory().get("/api/things/?text=%C3%BC&limit=2&before=9")
    path, _, query = next_address(request, "before", 7).partition("?")
    assert path == "/api/things/" and QueryDict(query).dict() == {"text": "ü", "limit": "2", "before": "7"}
