"""What strangers do, each from addresses of its own. An attack says what became of it."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from typing import IO, NamedTuple

from tests.attacks.elsewhere import IPV4, IPV6, Inside, Network
from tests.attacks.serving import DROIDCON, NATIVE, PAGES_IPV4

PING, EMPTY, MORE = b"\x89\x80\0\0\0\0", b"\x01\x80\0\0\0\0", b"\0\x80\0\0\0\0"
LOBBY = (
    b"GET /ws/lobby/ HTTP/1.1\r\nHost: localhost:8000\r\nOrigin: http://localhost:8000\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PAGE = b"GET %b HTTP/1.1\r\nHost: localhost:8000\r\n\r\n"


class Result(NamedTuple):
    """What the server said, counted, and the seconds from each attacker's first byte to its end, where it was ended."""

    said: Counter[str]
    gone_s: list[float]


# -- websockets --------------------------------------------------------------------------------------------------------


def pings(elsewhere: Network, seconds: float = 0) -> Result:
    """Five sockets that send pings as fast as they can, and come again when they are closed."""
    return _together(5, seconds, lambda: _flooded(elsewhere, PING * 10_000))


def continuations(elsewhere: Network, seconds: float = 0) -> Result:
    """Five sockets with one message in pieces without content."""
    return _together(5, seconds, lambda: _flooded(elsewhere, EMPTY + MORE * 10_000))


def _flooded(elsewhere: Network, frames: bytes) -> tuple[str, float]:
    with closing(elsewhere.connect(IPV4.format(11), PAGES_IPV4)) as client:
        client.sendall(LOBBY)
        head = client.recv(4096)
        if not head.startswith(b"HTTP/1.1 101"):
            return head.split(b"\r\n")[0].decode(), 0.0
        begun, said = time.monotonic(), head
        with suppress(OSError):
            client.sendall(frames)
        with suppress(OSError):
            while data := client.recv(65536):
                said += data
        code = re.search(rb"\x88[\x02-\x7d]\x03([\xe8-\xff])(.*)", said, re.DOTALL)
        words = f"{0x300 + code[1][0]} {code[2].decode()}" if code else "no close frame"
        return words, time.monotonic() - begun


# -- doors -------------------------------------------------------------------------------------------------------------


def rooms(elsewhere: Network, seconds: float = 0, number: int = 80) -> Result:
    """Bots from as many addresses of one network of IPv6, each of which opens a room of its own and waits there."""
    held: list[socket.socket] = []
    said, end = Counter[str](), time.monotonic() + seconds
    for turn in range(number):
        client = elsewhere.connect(IPV6.format(turn % 64 + 1), DROIDCON)
        held.append(client)
        client.sendall(f"NAME bot{turn}\nJOIN taken-{turn}\n".encode())
        said[_lines(client, 2)[-1]] += 1
    time.sleep(max(0.0, end - time.monotonic()))
    for client in held:
        client.close()
    return Result(said, [])


def connections(elsewhere: Network, seconds: float = 0, number: int = 60) -> Result:
    """Connections from as many addresses of one network of IPv6 that say hello and no more, held until the end."""
    held, said, gone = list[socket.socket](), Counter[str](), list[float]()
    end = time.monotonic() + seconds
    for turn in range(number):
        begun, client = time.monotonic(), elsewhere.connect(IPV6.format(turn % 64 + 1), NATIVE)
        with suppress(OSError):
            client.sendall(b'{"type": "hello", "name": "x"}\n')
        (line,) = _lines(client, 1)
        found = re.search(r'"(?:type|code)": ?"(welcome|too_many)"', line)
        said[found[1] if found else "closed"] += 1
        if found and found[1] == "welcome":
            held.append(client)
        else:
            gone.append(time.monotonic() - begun)
            client.close()
    time.sleep(max(0.0, end - time.monotonic()))
    for client in held:
        client.close()
    return Result(said, gone)


# -- pages -------------------------------------------------------------------------------------------------------------


def readers(elsewhere: Network, seconds: float = 0, number: int = 60, each: int = 0) -> Result:
    """Readers behind one address that load the first page again and again: `each` so often, or for `seconds`."""
    said, end = Counter[str](), time.monotonic() + seconds

    def read() -> None:
        left = each
        with closing(elsewhere.connect(IPV4.format(21), PAGES_IPV4)) as client, client.makefile("rb") as answers:
            while left > 0 or time.monotonic() < end:
                client.sendall(PAGE % b"/")
                said[_status(answers)] += 1
                left -= 1

    _all_at_once([read] * number)
    return Result(said, [])


def targets(elsewhere: Network, seconds: float = 0, number: int = 100) -> Result:
    """Requests of 20 bytes that are none, one connection each."""
    said, end, turn = Counter[str](), time.monotonic() + seconds, 0
    while turn < number or time.monotonic() < end:
        turn += 1
        with closing(elsewhere.connect(IPV4.format(31), PAGES_IPV4)) as client:
            client.sendall((b"GET x HTTP/1.0\r\n\r\n", b"OPTIONS * HTTP/1.0\r\n\r\n")[turn % 2])
            with client.makefile("rb") as answers:
                said[_status(answers)] += 1
    return Result(said, [])


# -- together ----------------------------------------------------------------------------------------------------------


def _together(number: int, seconds: float, attack: Callable[[], tuple[str, float]]) -> Result:
    said, gone, end = Counter[str](), list[float](), time.monotonic() + seconds

    def again_and_again() -> None:
        while True:
            words, gone_s = attack()
            said[words] += 1
            gone.append(gone_s)
            if time.monotonic() >= end:
                return

    _all_at_once([again_and_again] * number)
    return Result(said, gone)


def _all_at_once(calls: list[Callable[[], None]]) -> None:
    failed: list[BaseException] = []

    def guarded(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def _status(answers: IO[bytes]) -> str:
    """The status of the next answer, which is read to its end; "closed" where none comes."""
    head = []
    try:
        while line := answers.readline().strip():
            head.append(line.lower())
    except OSError:
        return "closed"
    if not head:
        return "closed"
    length = next((int(line.split(b":")[1]) for line in head if line.startswith(b"content-length:")), 0)
    answers.read(length)
    return head[0].split(b" ")[1].decode()


def _lines(client: socket.socket, number: int) -> list[str]:
    """So many lines, "" for those that do not come any more."""
    with client.makefile("rb") as answers:
        try:
            return [answers.readline().decode().rstrip("\r\n") for _ in range(number)]
        except OSError:
            return [""] * number


ATTACKS: dict[str, Callable[[Network, float], Result]] = {
    "pings": pings,
    "continuations": continuations,
    "rooms": rooms,
    "connections": connections,
    "readers": readers,
    "targets": targets,
}

if __name__ == "__main__":
    os.nice(19)  # what is measured is what they cost the server, not the honest bots beside them
    print(json.dumps(ATTACKS[sys.argv[1]](Inside(), float(sys.argv[2]))))
