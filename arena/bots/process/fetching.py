"""Fetches a program from the host over HTTPS, with the proof of the run: work, token and secret."""

from __future__ import annotations

import errno
import http.client
import ssl
import time
from urllib.parse import SplitResult, urlsplit

from arena.bots.process.packing import MOST_PACKED, sha256_of
from arena.common.limits import HERE

TRIES, PAUSE_S, SILENCE_S, LONGEST_S = 3, 1.0, 10.0, 120.0
PIECE = 1 << 16


class NotFetched(Exception):
    """The program is missing or another one. Another machine may get it: `arena.work.slot` tells by the cause."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.__cause__ = OSError(errno.EHOSTUNREACH, words)


def fetched(address: str, sha256: str, shown: str) -> bytes:
    """The packed program with this hash. Raises NotFetched."""
    for left in reversed(range(TRIES)):
        try:
            found = _ask(address, shown)
            break
        except (OSError, http.client.HTTPException) as why:
            words = f"{address} cannot be asked for the program: {why or type(why).__name__}"
        if left:
            time.sleep(PAUSE_S)
    else:
        raise NotFetched(words)
    if (got := sha256_of(found)) != sha256:
        raise NotFetched(f"{address} gave a program with the SHA-256 {got}, expected {sha256}: it is not run")
    return found


def _ask(address: str, shown: str) -> bytes:
    until = time.monotonic() + LONGEST_S
    connection = _connect(urlsplit(address))
    try:
        connection.request("GET", urlsplit(address).path, headers={"Authorization": f"Run {shown}"})
        answer = connection.getresponse()
        if answer.status != 200:
            said = answer.read(500).decode(errors="replace").strip()
            raise NotFetched(f"{address} answers {answer.status}: {said.splitlines()[0] if said else answer.reason}")
        found = bytearray()
        while piece := answer.read1(PIECE):
            found += piece
            if len(found) > MOST_PACKED:
                raise NotFetched(f"{address} gives more than {MOST_PACKED} bytes, which no program has")
            if time.monotonic() > until:
                raise NotFetched(f"{address} gives a program for longer than {LONGEST_S:g} s")
        return bytes(found)
    finally:
        connection.close()


def _connect(address: SplitResult) -> http.client.HTTPConnection:
    host = address.hostname or ""
    if address.scheme == "https":
        return http.client.HTTPSConnection(host, address.port, timeout=SILENCE_S, context=ssl.create_default_context())
    if address.scheme == "http" and host in HERE:
        return http.client.HTTPConnection(host, address.port, timeout=SILENCE_S)
    raise NotFetched(f"{address.geturl()!r} is not asked for a program: expected an address with https")
