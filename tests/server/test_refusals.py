"""Whole answers that the application never hears of, read as a client reads them."""

from __future__ import annotations

import json
from http.client import HTTPResponse
from io import BytesIO
from typing import Any, cast

from arena.server.refusals import no_room, too_large


class Answered:
    """A socket from which an answer can be read."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def makefile(self, *_: Any) -> BytesIO:
        return BytesIO(self.data)


def read(data: bytes) -> tuple[int, str | None, bytes]:
    answer = HTTPResponse(cast(Any, Answered(data)))
    answer.begin()
    return answer.status, answer.getheader("Content-Type"), answer.read()


def test_a_page_is_told_in_plain_text_and_a_program_in_json() -> None:
    status, kind, body = read(too_large(b"/m/x/move/", 1000))
    assert (status, kind) == (413, "text/plain; charset=utf-8") and b"at most 1000 bytes" in body
    status, kind, body = read(too_large(b"/api/rooms/", 1000))
    assert (status, kind) == (413, "application/json; charset=utf-8")
    assert json.loads(body)["error"]["code"] == "too_large"


def test_without_a_file_descriptor_it_is_said_when_to_come_back() -> None:
    status, kind, body = read(no_room())
    assert (status, kind) == (503, "text/plain; charset=utf-8") and body.endswith(b"\n")
    assert b"Retry-After: 60\r\n" in no_room()
