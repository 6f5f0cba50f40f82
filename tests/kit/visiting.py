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


class Answer(NamedTuple):
    """`travelled` are the bytes of the body, as compressed as they were sent."""

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
            return Answer(answer.status, dict(answer.getheaders()), text, len(sent))
        finally:
            connection.close()
