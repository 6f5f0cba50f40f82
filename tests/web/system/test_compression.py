"""Whole pages are compressed, nothing else is."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from arena.web.system.compression import PagesCompressed


@pytest.mark.parametrize(("kind", "encoding"), [("text/html; charset=utf-8", "gzip"), ("application/x-ndjson", "")])
def test_pages_are_compressed_and_what_is_read_line_by_line_is_not(kind: str, encoding: str) -> None:
    request = RequestFactory().get("/", headers={"accept-encoding": "gzip"})
    answer = PagesCompressed(lambda _: HttpResponse("word " * 200, content_type=kind))(request)
    assert isinstance(answer, HttpResponse) and answer.get("Content-Encoding", "") == encoding
