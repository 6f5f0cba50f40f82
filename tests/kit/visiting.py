"""A browser without a screen: pages and forms of a real server over HTTP, with cookies, without following."""

from __future__ import annotations

import asyncio
import gzip
import http.client
from collections.abc import Callable, Sequence
from http.cookies import SimpleCookie
from typing import NamedTuple
from urllib.parse import urlencode

import brotli

from tests.kit.deadline import DEADLINE_S

# Django gives a compressed page a name of up to so many random bytes.
MOST_RANDOM = 100
NAMED = 8


class Answer(NamedTuple):
    """`travelled` are the bytes of the body, as compressed as they were sent; a page's random bytes at their mean."""

    status: int
    headers: dict[str, str]
    text: str
    travelled: int


PLAIN: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.decompress, "br": brotli.decompress}


class Visitor:
    """One person at 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    async def get(self, path: str, **headers: str) -> Answer:
        return await asyncio.to_thread(self._ask, "GET", path, None, headers)

    async def post(self, path: str, **fields: str | Sequence[str]) -> Answer:
        """A form, with the token that a page has given before; a field may have several values."""
        said = urlencode({"csrfmiddlewaretoken": self.cookies.get("csrftoken", ""), **fields}, doseq=True)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return await asyncio.to_thread(self._ask, "POST", path, said, form)

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            connection.request(method, path, body, {"Cookie": self.cookie, **headers})
            answer = connection.getresponse()
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie":
                    self.cookies |= {key: morsel.value for key, morsel in SimpleCookie(value).items()}
            sent = answer.read()
            text = PLAIN[answer.getheader("Content-Encoding", "")](sent).decode(errors="replace")
            return Answer(answer.status, dict(answer.getheaders()), text, _travelled(sent))
        finally:
            connection.close()


def _travelled(sent: bytes) -> int:
    """The bytes of a body. In the header of a gzip file the name, if there is one, ends with a zero."""
    if not sent.startswith(b"\x1f\x8b"):
        return len(sent)
    name = sent.index(0, 10) + 1 - 10 if sent[3] & NAMED else 0
    return len(sent) - name + MOST_RANDOM // 2
