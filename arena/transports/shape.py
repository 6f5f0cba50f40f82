"""The interfaces of all transports, of their receivers, and of what transports of child processes need."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Protocol


class Receiver(Protocol):
    """Receives what a transport brings. `stamp` is `time.monotonic()` at the read."""

    def data_received(self, data: bytes, stamp: float) -> None: ...

    def eof_received(self) -> None:
        """The peer sends nothing more; it may still read."""

    def connection_lost(self, reason: str) -> None:
        """The connection is over and released. `reason` is for people."""


class Transport(Protocol):
    """One connection. No call blocks or raises, even after the end.

    `write` aborts the connection when more than `WRITE_LIMIT` bytes wait unsent. `close` takes at most `CLOSE_S` to
    deliver what was written; nothing is received from then on. `abort` does not deliver.
    """

    @property
    def peer(self) -> str: ...

    @property
    def is_closing(self) -> bool: ...

    @property
    def is_unread(self) -> bool:
        """Whether the bot is known not to have read everything; for one on another machine that is unknown."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Gate(Protocol):
    """Lets connections in, or turns them away."""

    def enter(self, transport: Transport) -> Receiver | None:
        """None lets it in; otherwise it is turned away, and the returned receiver hears of its end."""

    def leave(self, transport: Transport) -> None:
        """The connection is over, whether it was let in or not."""


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None: ...


class ProcessLoop(Protocol):
    """Watches files and waits: a part of asyncio's loop."""

    def add_reader(self, fd: int, callback: Callable[..., object], /) -> object: ...

    def remove_reader(self, fd: int, /) -> object: ...

    def add_writer(self, fd: int, callback: Callable[..., object], /) -> object: ...

    def remove_writer(self, fd: int, /) -> object: ...

    def call_later(self, delay: float, callback: Callable[..., object], /) -> Timer: ...


class Process(Protocol):
    """A part of `subprocess.Popen`."""

    pid: int
    returncode: int | None

    @property
    def stdin(self) -> IO[bytes] | None: ...

    @property
    def stderr(self) -> IO[bytes] | None: ...

    def poll(self) -> int | None:
        """Reap it, if it has exited."""
