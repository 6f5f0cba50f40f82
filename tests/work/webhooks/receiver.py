"""Receivers of webhooks: small TLS servers on this machine that answer, hang or misbehave as a test wants."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.common.limits import networks
from arena.work.webhooks.posting import Poster
from tests.kit.deadline import DEADLINE_S

ACCEPTED = b"HTTP/1.1 204 No Content\r\n\r\n"
HERE = networks(["127.0.0.1/32"])


class Received(NamedTuple):
    """A request: its first line, its headers by their names in small letters, its body."""

    line: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers each request with `answer`; with None it hangs, with b"" it closes. `most` were connected at once."""

    def __init__(self, answer: bytes | None = ACCEPTED) -> None:
        self.answer = answer
        self.received: list[Received] = []
        self.came = asyncio.Event()
        self.connected = self.most = self.port = 0
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/hook?a=b"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self.connected += 1
        self.most = max(self.most, self.connected)
        try:
            with suppress(OSError, EOFError):
                await self._answer(reader, writer)
        finally:
            self.connected -= 1
            self._open.discard(writer)
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): text for name, _, text in (each.partition(": ") for each in rest if each)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.received.append(Received(line, headers, body))
        self.came.set()
        if self.answer is None:
            await reader.read()  # until who asks has had enough
        else:
            writer.write(self.answer)
            await writer.drain()

    async def until(self, count: int) -> None:
        """So many requests have come."""
        async with asyncio.timeout(DEADLINE_S):
            while len(self.received) < count:
                self.came.clear()
                await self.came.wait()

    def close(self) -> None:
        for writer in tuple(self._open):
            writer.transport.abort()


@asynccontextmanager
async def receiving(answer: bytes | None = ACCEPTED, tls: bool = True) -> AsyncIterator[Receiver]:
    """A receiver on a free port of 127.0.0.1."""
    receiver = Receiver(answer)
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=_served() if tls else None)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        receiver.close()
        await server.wait_closed()


def trusting(allowed: bool = True) -> Poster:
    """A poster that trusts the receivers of the tests, and may reach them where they are `allowed`."""
    context = ssl.create_default_context(cadata=certificate()[0].decode())
    return Poster(HERE if allowed else (), context)


@cache
def _served() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        both = Path(folder, "both.pem")
        both.write_bytes(b"".join(certificate()))
        context.load_cert_chain(both)
    return context


@cache
def certificate() -> tuple[bytes, bytes]:
    """One for 127.0.0.1 that vouches for itself, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - dt.timedelta(1)).not_valid_after(now + dt.timedelta(1))
    made = made.add_extension(names, False).add_extension(x509.BasicConstraints(True, None), True)
    plain = serialization.NoEncryption()
    own = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM), own
