"""Whole answers that the application never hears of, read as a client reads them."""

from __future__ import annotations

import json
from http.client import HTTPResponse
from io import BytesIO
from typing import Any, cast

import pytest

from arena.common.limits import Rate
from arena.server.forwarded import Headers
from arena.server.refusals import GuardRefusal, body_of, given_up, held_back_s, no_room, too_large, too_many, whole


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


class Shown:
    """Pages that say for whom they are."""

    def page(self, refusal: GuardRefusal, headers: Headers) -> str:
        return f"<p>{refusal.sentence}</p>"

    def passing(self, refusal: GuardRefusal, headers: Headers) -> str:
        return f"<div>{refusal.sentence}</div>"


BROWSER = [(b"accept", b"text/html,application/xhtml+xml")]
SCRIPT = [(b"accept", b"*/*"), (b"hx-request", b"true")]


@pytest.mark.parametrize(
    ("path", "headers", "kind", "expected"),
    [
        (b"/m/x/move/", BROWSER, "text/html", b"<p>The request body is too large: at most 1000 bytes are taken.</p>"),
        (
            b"/m/x/move/",
            SCRIPT,
            "text/html",
            b"<div>The request body is too large: at most 1000 bytes are taken.</div>",
        ),
        (b"/m/x/move/", [], "text/plain", b"The request body is too large: at most 1000 bytes are taken.\n"),
    ],
)
def test_everybody_is_told_in_the_form_they_read(path: bytes, headers: Headers, kind: str, expected: bytes) -> None:
    said = body_of(too_large(1000), path, headers, Shown())
    assert said == (f"{kind}; charset=utf-8", expected)
    assert read(whole("413 Content Too Large", *said)) == (413, *said)


@pytest.mark.parametrize("headers", [BROWSER, SCRIPT, []])
def test_below_the_address_of_the_api_everybody_is_told_in_json(headers: Headers) -> None:
    for refusal, code, hint in [
        (too_large(9), "too_large", "Send less at once."),
        (too_many(Rate(3, 0.5), 7), "too_many", "It may ask for 3 at once, and then for 0.5 a second."),
    ]:
        kind, body = body_of(refusal, b"/api/rooms/", headers, Shown())
        error = json.loads(body)["error"]
        assert (kind, error["code"], error["hint"]) == ("application/json; charset=utf-8", code, hint)


def test_without_pages_everybody_else_is_told_in_plain_text() -> None:
    kind, body = body_of(too_many(Rate(3, 0.5), 7), b"/", BROWSER, None)
    assert kind == "text/plain; charset=utf-8"
    assert body.startswith(
        b"Your address asked for too many pages in a short time. Try again in 7 s. All who share one"
    )


def test_refusals_are_held_back_longer_the_more_connections_could_ask_again() -> None:
    assert [held_back_s(1.0, connections) for connections in (0, 50, 400)] == [1, 1, 8]


def test_of_a_failure_people_read_what_it_means_for_them() -> None:
    assert "Exception" not in given_up(500, "Exception inside application.").sentence
    assert "in time" in given_up(503, "Application failed to respond within time limit.").sentence
    assert given_up(400, "Invalid header name").sentence == "Invalid header name"


def test_without_a_file_descriptor_it_is_said_when_to_come_back() -> None:
    status, kind, body = read(no_room())
    assert (status, kind) == (503, "text/plain; charset=utf-8") and body.endswith(b"\n")
    assert b"Retry-After: 60\r\n" in no_room()
