"""What people and programs ask for in words: parameters of addresses, times, reasons."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.http import Http404
from django.test import RequestFactory

from arena.match.commands import Refusal
from arena.web.asked import moment_in, one_of, page_number, reason_in


def test_pages_count_from_one() -> None:
    assert page_number(RequestFactory().get("/")) == 1
    assert page_number(RequestFactory().get("/?page=12")) == 12
    for wrong in ("0", "-1", "x", "1000000", "\u0661"):
        with pytest.raises(Http404, match=f"page={wrong}: expected a whole number from 1."):
            page_number(RequestFactory().get("/", {"page": wrong}))


def test_a_parameter_is_one_that_is_known_or_left_out() -> None:
    assert one_of(RequestFactory().get("/"), "show", ("open", "over")) == ""
    assert one_of(RequestFactory().get("/"), "kind", ("all", "bots"), "all") == "all"
    assert one_of(RequestFactory().get("/?show=over"), "show", ("open", "over")) == "over"
    with pytest.raises(Http404, match="show=soon: expected one of open, over."):
        one_of(RequestFactory().get("/?show=soon"), "show", ("open", "over"))


def test_a_time_without_a_zone_is_in_utc() -> None:
    assert moment_in("2026-11-21T18:00") == datetime(2026, 11, 21, 18, tzinfo=UTC)
    assert moment_in("2026-11-21T18:00+01:00") == datetime(2026, 11, 21, 17, tzinfo=UTC)
    assert [moment_in(text) for text in ("", "soon", "9999-12-31T23:59-01:00")] == [None, None, None]


def test_a_reason_turns_no_line_and_is_not_a_novel() -> None:
    assert reason_in("ill\0, \u202esaid \n the doctor", 20) == "ill, said the doctor"
    assert reason_in(" \n\u200f", 20) == ""
    with pytest.raises(Refusal, match="Received a reason of 21 characters, expected at most 20"):
        reason_in("x" * 21, 20)
