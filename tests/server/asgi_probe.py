"""A small ASGI application served by `arena.server.server.run` in a process of its own, and the handle of the tests.

Started as `python -m tests.server.asgi_probe OPTIONS`, where OPTIONS is JSON: `limits` for `ServerLimits`, other
arguments of `run` by their names, and `start` and `stop` for what goes wrong there: "fail", "wait" (without end) or
"block" (the whole loop).
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import queue
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Self

from daphne.http_protocol import WebRequest

from arena.server.text_frame import MEASURE
from tests.kit.deadline import DEADLINE_S
from tests.kit.preloading import WARNINGS

ROOT = Path(__file__).resolve().parents[2]
HANDSHAKE = (
    b"GET %b HTTP/1.1\r\nHost: arena\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Probe:
    """The server process: its address, its memory, its end."""

    def __init__(self, **options: Any) -> None:
        command = [sys.executable, "-m", "tests.server.asgi_probe", json.dumps(options)]
        known, out = {**os.environ, "PYTHONWARNINGS": WARNINGS}, subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=known, stdout=out, stderr=subprocess.STDOUT, text=True, bufsize=1
        )
        self.lines: list[str] = []
        # A thread takes what is printed: a full pipe would stop the server.
        self._printed: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        self.host, port = self.wait_for("listening").split()[1:]
        self.port = int(port)
        self.wait_for("ready")
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.rest()

    def wait_for(self, start: str) -> str:
        """The next line that begins so."""
        while (line := self._printed.get(timeout=DEADLINE_S)) is not None:
            self.lines.append(line)
            if line.startswith(start):
                return line
        raise AssertionError(f"no line {start!r}, but {self.lines}")

    def rest(self) -> tuple[int, list[str]]:
        """Wait for the end of the process: its exit code and all it printed."""
        self.process.wait(DEADLINE_S)
        self._reader.join()
        while not self._printed.empty():
            if line := self._printed.get():
                self.lines.append(line)
        return self.process.returncode, self.lines

    def terminate(self) -> tuple[int, list[str]]:
        self.process.send_signal(signal.SIGTERM)
        return self.rest()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as printed:
            for line in printed:
                self._printed.put(line.rstrip("\n"))
        self._printed.put(None)

    def rss(self) -> int:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) // 1024

    def http(self, path: str = "/") -> str:
        return f"http://{self.host}:{self.port}{path}"

    def ws(self, path: str) -> str:
        return f"ws://{self.host}:{self.port}{path}"


async def application(scope: Message, receive: Receive, send: Send) -> None:
    table = REQUESTS if scope["type"] == "http" else SOCKETS
    await table[scope["path"]](scope, receive, send)


async def _answer(send: Send, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def _hello(scope: Message, receive: Receive, send: Send) -> None:
    await _answer(send, b"hello")


async def _requests(scope: Message, receive: Receive, send: Send) -> None:
    """How many requests of HTTP are in memory, this one among them."""
    await _answer(send, b"%d" % sum(isinstance(each, WebRequest) for each in gc.get_objects()))


async def _scope(scope: Message, receive: Receive, send: Send) -> None:
    await _answer(send, json.dumps({key: scope[key] for key in ("client", "scheme", "root_path")}).encode())


async def _length(scope: Message, receive: Receive, send: Send) -> None:
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message["body"]), message["more_body"]
    await _answer(send, b"%d" % length)


async def _stream(scope: Message, receive: Receive, send: Send) -> None:
    """Ticks until the other side is gone."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await receive()
    gone = asyncio.ensure_future(receive())
    while not gone.done():
        await send({"type": "http.response.body", "body": b"tick\n", "more_body": True})
        await asyncio.wait([gone], timeout=0.1)
    print("stream ended", flush=True)


async def _large(scope: Message, receive: Receive, send: Send) -> None:
    """64 MB."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(1024):
        await send({"type": "http.response.body", "body": bytes(65536), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _torn(scope: Message, receive: Receive, send: Send) -> None:
    """Fails in the middle of its answer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise LookupError("in the middle")


async def _silent(scope: Message, receive: Receive, send: Send) -> None:
    await asyncio.sleep(3600)


async def _child(scope: Message, receive: Receive, send: Send) -> None:
    child = await asyncio.create_subprocess_exec("echo", "from a child", stdout=subprocess.PIPE)
    out, _ = await child.communicate()
    await _answer(send, out + b"%d" % (child.returncode or 0))


async def _files(scope: Message, receive: Receive, send: Send) -> None:
    await _answer(send, json.dumps(resource.getrlimit(resource.RLIMIT_NOFILE)).encode())


async def _echo(scope: Message, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send(message | {"type": "websocket.send"})
    # With its query: the lines of sockets that others have closed may come between.
    print("disconnect", message["code"], *scope["query_string"].decode().split(), flush=True)


async def _who(scope: Message, receive: Receive, send: Send) -> None:
    """Closes when the client has said something: one that reads late may have lost what came before a close."""
    await receive()
    await send({"type": "websocket.accept"})
    seen = {key: scope[key] for key in ("client", "scheme", "root_path")}
    await send({"type": "websocket.send", "text": json.dumps(seen)})
    if (await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.close", "code": 1013, "reason": "é" * 200})


async def _shower(scope: Message, receive: Receive, send: Send) -> None:
    """20 MB."""
    await send({"type": "websocket.accept"})
    for _ in range(1000):
        await send({"type": "websocket.send", "bytes": bytes(20_000)})
        await asyncio.sleep(0)
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def _long(scope: Message, receive: Receive, send: Send) -> None:
    """One message, longer than one to us may be."""
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "bytes": bytes(20_000)})
    await receive()
    await receive()


_woken = asyncio.Event()


async def _held(scope: Message, receive: Receive, send: Send) -> None:
    """Answers when `/wake` is asked for."""
    print("held", flush=True)
    await _woken.wait()
    await _answer(send, b"held")


async def _wake(scope: Message, receive: Receive, send: Send) -> None:
    _woken.set()
    await _answer(send, b"good morning")


async def _line(scope: Message, receive: Receive, send: Send) -> None:
    """Measures its round trip at once and with each message, and says what that was and how often it has asked."""
    await receive()
    await send({"type": "websocket.accept"})
    asked, heard = 0, asyncio.Queue[int]()
    for _ in range(3):
        asked += 1
        scope["extensions"][MEASURE](heard.put_nowait)
    while True:
        await send({"type": "websocket.send", "text": f"{asked} {await heard.get()}"})
        if (await receive())["type"] == "websocket.disconnect":
            return
        asked += 1
        scope["extensions"][MEASURE](heard.put_nowait)


async def _sleeper(scope: Message, receive: Receive, send: Send) -> None:
    """Accepts, and takes no message until `/wake` is asked for, when the other side is gone for sure."""
    _woken.clear()
    await receive()
    await send({"type": "websocket.accept"})
    await _woken.wait()
    kinds: list[str] = []
    while not kinds or kinds[-1] != "websocket.disconnect":
        kinds.append((await receive())["type"])
    print("sleeper woke", kinds.count("websocket.receive"), flush=True)


REQUESTS = {
    "/requests": _requests,
    "/": _hello, "/scope": _scope, "/length": _length, "/stream": _stream, "/large": _large, "/torn": _torn,
    "/silent": _silent, "/child": _child, "/files": _files,
    "/wake": _wake, "/held": _held,
}  # fmt: skip
SOCKETS = {
    "/echo": _echo, "/who": _who, "/long": _long, "/shower": _shower, "/sleeper": _sleeper, "/silent": _silent,
    "/line": _line,
}  # fmt: skip


async def _no_trouble() -> None:
    pass


async def _fail() -> None:
    raise LookupError("there is no such\narena")


async def _wait() -> None:
    await asyncio.sleep(3600)


async def _block() -> None:
    time.sleep(3600)


async def _lasts() -> None:
    """A task that waits also in its end."""
    try:
        await _wait()
    finally:
        try:
            await _wait()
        finally:
            print("waits no more", flush=True)


async def _leave_one_that_lasts() -> None:
    _left.append(asyncio.create_task(_lasts()))


_left: list[asyncio.Task[None]] = []
TROUBLES = {"lasts": _leave_one_that_lasts, "": _no_trouble, "fail": _fail, "wait": _wait, "block": _block}


def main(options: dict[str, Any]) -> int:
    from arena.server.guards import ServerLimits, SocketLimits
    from arena.server.server import ArenaServer, run

    async def on_start() -> None:
        print("starting", flush=True)
        await TROUBLES[options.get("start", "")]()
        print("ready", flush=True)

    async def on_stop() -> None:
        print("stopping", flush=True)
        await TROUBLES[options.get("stop", "")]()
        print("stopped", flush=True)

    def on_listening(server: ArenaServer) -> None:
        print("listening", server.host, server.port, flush=True)

    logging.basicConfig(level=logging.INFO)
    logging.getLogger("arena.access").setLevel(logging.DEBUG)
    bounds = options.get("limits", {})
    limits = ServerLimits(**{**bounds, "socket": SocketLimits(**bounds.get("socket", {}))})
    arguments = {
        key: options[key] for key in ("root_path", "proxy_hops", "trusted_nets", "static_path") if key in options
    }
    return run(
        application, options.get("host", "127.0.0.1"), options.get("port", 0),
        on_start=on_start, on_stop=on_stop, on_listening=on_listening, limits=limits, **arguments,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
