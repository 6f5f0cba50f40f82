"""One POST over TLS to an address that somebody else has chosen: within a deadline, and to no private network.

Only the status of the answer counts, so nothing else is read: no body, no redirect, nothing that could be shown to the
person who chose the address. The name is looked up once, and the result is checked and connected to, so the address
cannot change in between.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from arena.work.webhooks.address import HttpsAddress, is_allowed

DEADLINE_S = 5.0
LONGEST_HEAD = 16 * 1024
# This many names are looked up at once: a name server that hangs blocks a thread until the system's time-out.
LOOK_UPS = 8
# Informational answers before the real one.
MOST_HEADS = 4

_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n")


class NotPosted(Exception):
    """There was no answer. The message says why, in a sentence."""


class Poster:
    """Sends messages, and keeps no connection. `networks` are allowed besides the public internet.

    `context` holds the certificates that the system trusts; it is loaded once, in a thread.
    """

    def __init__(
        self, networks: Sequence[IPv4Network | IPv6Network] = (), context: ssl.SSLContext | None = None
    ) -> None:
        self._networks, self._context = networks, context
        self._names = ThreadPoolExecutor(LOOK_UPS, thread_name_prefix="arena-webhooks")

    def close(self) -> None:
        self._names.shutdown(wait=False, cancel_futures=True)

    async def post(self, to: HttpsAddress, headers: Mapping[str, str], body: bytes) -> int:
        """Send a message and return the status of the answer. Raises NotPosted after `DEADLINE_S` without one."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await self._post(to, _request(to, headers, body))
        except TimeoutError:
            raise NotPosted(f"It did not answer within {DEADLINE_S:g} s.") from None
        except ssl.SSLCertVerificationError as why:
            raise NotPosted(f"Its certificate does not hold: {why.verify_message}.") from None
        except ssl.SSLError as why:
            raise NotPosted(f"It does not speak TLS as expected: {why.reason or why}.") from None
        except asyncio.LimitOverrunError:
            raise NotPosted(f"The headers of its answer are longer than {LONGEST_HEAD // 1024} KiB.") from None
        except (EOFError, ConnectionError):
            raise NotPosted("It closed the connection without an answer, or refused it.") from None
        except OSError as why:
            raise NotPosted(f"It cannot be reached: {why.strerror or why}.") from None

    async def _post(self, to: HttpsAddress, request: bytes) -> int:
        reader, writer = await self._connected(to)
        try:
            writer.write(request)
            await writer.drain()
            for _ in range(MOST_HEADS):
                status = _status(await reader.readuntil(b"\r\n\r\n"))
                if status >= 200:
                    return status
            raise NotPosted(f"It sent {MOST_HEADS} informational answers and no other.")
        finally:
            writer.transport.abort()

    async def _connected(self, to: HttpsAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first of its addresses that accepts one."""
        why: OSError | None = None
        context = await self._tls()
        for address in await self._addresses(to):
            try:
                return await asyncio.open_connection(
                    address, to.port, ssl=context, server_hostname=to.host.rstrip("."), limit=LONGEST_HEAD
                )
            except ssl.SSLError:
                raise
            except OSError as error:
                why = error
        raise why or OSError("its name has no address")

    async def _addresses(self, to: HttpsAddress) -> list[str]:
        """The allowed addresses. Raises NotPosted if there are none."""
        try:
            found = await self._in_thread(lambda: socket.getaddrinfo(to.host, to.port, type=socket.SOCK_STREAM))
        except (socket.gaierror, UnicodeError):
            raise NotPosted(f"The name {to.host} was not found.") from None
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        allowed = [address for address in addresses if is_allowed(address, self._networks)]
        if addresses and not allowed:
            where = f"{to.host} leads to {addresses[0]}, which is not a public address"
            raise NotPosted(f"Refused: {where}. The operator of this server may allow it with ARENA_WEBHOOK_NETS.")
        return allowed

    async def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = await self._in_thread(ssl.create_default_context)
        return self._context

    async def _in_thread(self, function: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._names, function)


def _request(to: HttpsAddress, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [f"POST {to.path} HTTP/1.1", f"Host: {to.receiver}", *(f"{name}: {text}" for name, text in headers.items())]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + body


def _status(head: bytes) -> int:
    """The status. Raises NotPosted if the answer is not HTTP."""
    found = _STATUS.match(head)
    if found is None:
        raise NotPosted("It does not answer in HTTP/1.1.")
    return int(found[1])
