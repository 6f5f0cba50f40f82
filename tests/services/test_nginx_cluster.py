"""The proxy of docs/deploy/nginx.conf: a real nginx that finds the servers of a cluster by their name in Docker."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import until_open
from tests.kit.until import asked_until

FILE = Path(__file__).parents[2] / "docs" / "deploy" / "nginx.conf"
# What nginx may write, and that it stays in front.
OF_THE_SYSTEM = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
"""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Names(asyncio.DatagramProtocol):
    """Answers as Docker's own server for names does: with the `addresses` of the containers that run."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self._transport: asyncio.DatagramTransport

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]
        self._transport = transport

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        """A question is a head of twelve bytes and the name, its type and class; an answer repeats it."""
        question = data[12 : data.index(b"\0", 12) + 5]
        found = [b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(each) for each in self.addresses]
        status = 0x8180 if found else 0x8183  # no such name
        head = data[:2] + b"".join(number.to_bytes(2, "big") for number in (status, 1, len(found), 0, 0))
        self._transport.sendto(head + question + b"".join(found), address)


class Proxied:
    """nginx with that file, in front of small servers that all listen on `port`, each at its own address."""

    def __init__(self, folder: Path) -> None:
        self.names, self.port, self._https = Names(), free_port(), free_port()
        self._folder, self._servers = folder, dict[str, asyncio.Server]()
        self._nginx: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.BaseTransport

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self.names, ("127.0.0.1", 0))
        nginx = shutil.which("nginx", path="/usr/sbin:/sbin:/usr/local/sbin:/usr/bin")
        assert nginx, "nginx is not installed here: `make test` installs it where that is allowed"
        make = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "privkey.pem")
        subprocess.run([*make, "-out", "fullchain.pem"], cwd=self._folder, check=True, capture_output=True)
        config = self._folder / "nginx.conf"
        config.write_text(self._replaced(FILE.read_text(encoding="utf-8")), encoding="utf-8")
        self._nginx = subprocess.Popen([nginx, "-e", "stderr", "-p", str(self._folder), "-c", str(config)])
        await asyncio.to_thread(until_open, self._https)

    def _replaced(self, shown: str) -> str:
        asked = self._transport.get_extra_info("sockname")[1]
        for before, after in {
            "listen 80 ": f"listen 127.0.0.1:{free_port()} ",
            "listen 443 ": f"listen 127.0.0.1:{self._https} ",
            "/etc/nginx/tls": str(self._folder),
            "127.0.0.11 valid=2s": f"127.0.0.1:{asked} valid=1s",
            "servers:8000": f"servers:{self.port}",
            "http {\n": "http {\n" + "".join(f"    {name}_temp_path {self._folder}/{name};\n" for name in TEMPORARY),
        }.items():
            assert before in shown, before
            shown = shown.replace(before, after)
        return OF_THE_SYSTEM.format(folder=self._folder) + shown

    async def serve(self, address: str) -> None:
        """A server at this address, which answers with it."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            body = address.encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body))
            writer.close()

        self._servers[address] = await asyncio.start_server(answer, address, self.port)

    def end(self, address: str) -> None:
        self._servers.pop(address).close()

    async def ask(self) -> str:
        """The address of the server that answers, or the status of nginx's own answer."""
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        async with asyncio.timeout(DEADLINE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._https, ssl=trust)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            said = (await reader.read()).decode()
            writer.close()
        status = re.match(r"HTTP/1.1 (\d+)", said)
        assert status, said
        return said.rpartition("\r\n\r\n")[2] if int(status[1]) == HTTPStatus.OK else status[1]

    async def stop(self) -> None:
        if self._nginx is not None:
            self._nginx.terminate()
            self._nginx.wait(DEADLINE_S)
        for server in self._servers.values():
            server.close()
        self._transport.close()


@pytest.fixture
async def proxied(tmp_path: Path) -> AsyncIterator[Proxied]:
    found = Proxied(tmp_path)
    try:
        await found.start()
        yield found
    finally:
        await found.stop()


async def test_nginx_starts_without_servers_and_finds_those_that_run_wherever_they_are(proxied: Proxied) -> None:
    first, second, third = "127.0.0.2", "127.0.0.3", "127.0.0.4"
    assert await proxied.ask() == "502", "none runs yet"
    for address in (first, second):
        await proxied.serve(address)
    proxied.names.addresses = [first, second]
    await asked_until(proxied.ask, lambda who: who in (first, second))
    proxied.end(first)
    assert {await proxied.ask() for _ in range(6)} == {second}, "one that is named still and does not answer"
    proxied.end(second)
    await proxied.serve(third)
    proxied.names.addresses = [third]
    await asked_until(proxied.ask, lambda who: who == third)
