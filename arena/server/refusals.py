"""Answers that are given before the application hears of a request, each in the form that its sender reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from arena.common import descriptors
from arena.common.limits import Rate
from arena.server.forwarded import Headers

_API = b"/api/"
_HTML = "text/html; charset=utf-8"

# Of one address, by one process.
MOST_REFUSALS_A_SECOND = 50


@dataclass(frozen=True, slots=True)
class GuardRefusal:
    """Why a request goes no further: a code for programs, and a sentence in English with the values to put into it."""

    status: int
    code: str
    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    hint: str = ""

    @property
    def sentence(self) -> str:
        return self.template.format(**self.values)


class ErrorPages(Protocol):
    """What browsers are shown, in the language that these headers ask for."""

    def page(self, refusal: GuardRefusal, headers: Headers) -> str:
        """A whole page, for a browser that navigates."""

    def passing(self, refusal: GuardRefusal, headers: Headers) -> str:
        """A fragment, for a page that asks in place."""


def held_back_s(least_s: float, connections: int) -> float:
    """How long to hold back a 429 for an address with this many connections, on all of which it may ask again."""
    return max(least_s, connections / MOST_REFUSALS_A_SECOND)


def too_many(rate: Rate, retry_s: int) -> GuardRefusal:
    return GuardRefusal(
        429,
        "too_many",
        "Your address asked for too many pages in a short time. Try again in {retry_s} s. All who share one address "
        "count together, unless whoever runs this server puts it into ARENA_TRUSTED_NETS.",
        {"retry_s": retry_s},
        f"It may ask for {rate.at_once:g} at once, and then for {rate.per_second:g} a second.",
    )


def too_large(most: int) -> GuardRefusal:
    """The body of a request is larger than `most` bytes."""
    return GuardRefusal(
        413,
        "too_large",
        "The request body is too large: at most {most} bytes are taken.",
        {"most": most},
        "Send less at once.",
    )


def no_slash(target: bytes) -> GuardRefusal:
    return GuardRefusal(
        400,
        "bad_request",
        "Received the target {target}, expected one that begins with a slash, such as /games/.",
        {"target": repr(target)[1:]},
    )


def given_up(status: int, why: str) -> GuardRefusal:
    """What Daphne answers when the application fails or takes too long, and to a request that it cannot read."""
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        words = "Load the page again. If that does not help, tell whoever runs this server."
        return GuardRefusal(status, "server_error", words)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return GuardRefusal(status, "no_answer", "The server did not answer in time. Try again in a moment.")
    return GuardRefusal(status, "bad_request", why)


def body_of(refusal: GuardRefusal, path: bytes, headers: Headers, pages: ErrorPages | None) -> tuple[str, bytes]:
    """The type and the body of the answer: JSON below /api/, plain text for whoever does not ask for HTML."""
    sent = dict(headers)
    if path.startswith(_API):
        error = {"code": refusal.code, "sentence": refusal.sentence, "hint": refusal.hint}
        return "application/json; charset=utf-8", json.dumps({"error": error}, ensure_ascii=False).encode()
    if pages and b"hx-request" in sent:
        return _HTML, pages.passing(refusal, headers).encode()
    if pages and b"text/html" in sent.get(b"accept", b"").lower():
        return _HTML, pages.page(refusal, headers).encode()
    return "text/plain; charset=utf-8", f"{refusal.sentence}\n".encode()


def whole(status: str, kind: str, body: bytes, more: str = "") -> bytes:
    """A whole answer, after which the connection is closed."""
    head = f"HTTP/1.1 {status}\r\nConnection: close\r\n{more}Content-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def no_room() -> bytes:
    """No file descriptor is left for another connection: 503."""
    words = f"{descriptors.WORDS}\n".encode()
    return whole("503 Service Unavailable", "text/plain; charset=utf-8", words, "Retry-After: 60\r\n")
