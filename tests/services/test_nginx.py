"""The proxy of docs/deployment.md: a real nginx with the lines that are shown there, ports and files replaced."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.typing import Origin

from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import until_open
from tests.kit.server import Server, migrate
from tests.kit.sockets import connect
from tests.kit.until import until

HANDBOOK = (Path(__file__).parents[2] / "docs" / "deployment.md").read_text(encoding="utf-8")
NAME = "arena.example.org"
# nginx has what only the operating system's own configuration says: where it may write, and that it stays in front.
AROUND = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{shown}
}}
"""


def shown_block() -> str:
    (block,) = re.findall(r"```nginx\n(.+?)```", HANDBOOK, re.DOTALL)
    return str(block)


def shown_settings() -> dict[str, str]:
    """The lines of `.env`, but for the data folder."""
    (lines,) = re.findall(r"```\n(ARENA_DATA=.+?)```", HANDBOOK, re.DOTALL)
    found = dict(line.split("=", 1) for line in lines.splitlines())
    del found["ARENA_DATA"]
    return found


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes


class Proxied:
    """nginx before a server, and how a client from `address` reaches it."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.server = server
        self.http, self.https = free_port(), free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.trust = ssl.create_default_context()

    def start(self) -> None:
        nginx = shutil.which("nginx", path="/usr/sbin:/sbin:/usr/local/sbin:/usr/bin")
        assert nginx, "nginx is not installed here: `make test` installs it where that is allowed"
        self._make_certificate()
        shown = shown_block()
        for before, after in {
            "listen 80;": f"listen 127.0.0.1:{self.http};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.https} ssl;",
            "http://127.0.0.1:8000": self.server.address,
            f"/etc/letsencrypt/live/{NAME}/": f"{self._folder}/",
        }.items():
            assert before in shown, before
            shown = shown.replace(before, after)
        config = self._folder / "nginx.conf"
        config.write_text(AROUND.format(folder=self._folder, shown=shown))
        words = [nginx, "-e", "stderr", "-p", str(self._folder), "-c", str(config)]
        self._process = subprocess.Popen(words)
        until_open(self.https)

    def stop(self) -> None:
        assert self._process is not None, "it has been started"
        self._process.terminate()
        self._process.wait(DEADLINE_S)

    def _make_certificate(self) -> None:
        key, certificate = self._folder / "privkey.pem", self._folder / "fullchain.pem"
        words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}"]
        files = ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(key), "-out", str(certificate)]
        subprocess.run([*words, *files], check=True, capture_output=True, timeout=DEADLINE_S)
        self.trust.load_verify_locations(certificate)

    def connected(self, address: str = "127.0.0.1", tls: bool = True) -> socket.socket:
        """A connection from this address, which is one of this machine."""
        port = self.https if tls else self.http
        bare = socket.create_connection(("127.0.0.1", port), DEADLINE_S, source_address=(address, 0))
        return self.trust.wrap_socket(bare, server_hostname=NAME) if tls else bare

    @contextmanager
    def asking(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, **how: Any
    ) -> Iterator[http.client.HTTPResponse]:
        """One request as a browser would send it; the answer is still to be read."""
        client = http.client.HTTPConnection(NAME)
        client.sock = self.connected(**how)
        try:
            client.request(method, path, body, {"Host": NAME, "Connection": "close", **(headers or {})})
            with client.getresponse() as answer:
                yield answer
        finally:
            client.close()

    async def ask(self, method: str, path: str, body: bytes | None = None, **how: Any) -> Answer:
        """One request and its whole answer."""

        def whole() -> Answer:
            with self.asking(method, path, body, **how) as answer:
                return Answer(answer.status, answer.headers, answer.read())

        return await asyncio.to_thread(whole)


@pytest.fixture
async def proxied(tmp_path: Path) -> AsyncIterator[Proxied]:
    (tmp_path / "nginx").mkdir()
    migrate(tmp_path / "data")
    server = Server(tmp_path / "data", LOG_LEVEL="debug", **shown_settings())
    await server.start()
    proxy = Proxied(tmp_path / "nginx", server)
    await asyncio.to_thread(proxy.start)
    yield proxy
    await asyncio.to_thread(proxy.stop)
    await server.stop()
    assert "Traceback" not in server.said


async def test_pages_come_over_tls_and_only_so(proxied: Proxied) -> None:
    page = await proxied.ask("GET", "/")
    assert page.status == 200 and b"<h1" in page.body
    assert page.headers["Strict-Transport-Security"]
    assert "Secure" in (await proxied.ask("GET", "/login/")).headers["Set-Cookie"]
    plain = await proxied.ask("GET", "/watch/", tls=False)
    assert (plain.status, plain.headers["Location"]) == (301, f"https://{NAME}/watch/")


async def test_the_server_sees_who_asks_and_not_who_they_say_they_are(proxied: Proxied) -> None:
    claimed = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
    answer = await proxied.ask("GET", "/rank/", address="127.0.0.2", headers=claimed)
    assert answer.status == 302 and answer.headers["Location"].startswith("/rank/")
    await until(lambda: "127.0.0.2" in proxied.server.said)
    assert "203.0.113.9" not in proxied.server.said


async def test_websockets_pass_and_say_what_happens(proxied: Proxied) -> None:
    where: dict[str, Any] = {"host": "127.0.0.1", "port": proxied.https, "ssl": proxied.trust}
    async with connect(f"wss://{NAME}/ws/lobby/", origin=Origin(f"https://{NAME}"), **where) as page:
        async with asyncio.timeout(DEADLINE_S):
            assert "<" in str(await page.recv())


async def test_a_stream_is_not_held_back(proxied: Proxied) -> None:
    with proxied.asking("GET", "/api/stream/lobby/") as stream:
        first = json.loads(await asyncio.to_thread(stream.readline))
        assert (first["type"], first["matches"]) == ("lobby", [])
        begun = await begin_a_match(proxied)
        told = b"\n"
        while not told.strip():
            told = await asyncio.to_thread(stream.readline)
        assert (json.loads(told)["type"], json.loads(told)["page"]) == ("started", begun)


async def begin_a_match(proxied: Proxied) -> str:
    """As a guest who clicks on the board of the first page; the address of the match."""
    page = await proxied.ask("GET", "/")
    cookies = "; ".join(value.partition(";")[0] for value in page.headers.get_all("Set-Cookie") or [])
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.body)
    assert token
    said = f"csrfmiddlewaretoken={token[1].decode()}&variant=connect-four-7x6&level=club&move=4&ply=1".encode()
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://{NAME}", "Cookie": cookies}
    answer = await proxied.ask("POST", "/play/", said, headers=form)
    assert answer.status == 302, answer.body.decode()
    return str(answer.headers["Location"])


async def test_what_is_too_large_is_refused_in_our_words(proxied: Proxied) -> None:
    answer = await proxied.ask("POST", "/login/", b"x" * 2_000_000)
    assert answer.status == 413
    assert answer.body == b"The request body is too large: at most 1048576 bytes are taken.\n"
