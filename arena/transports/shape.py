"""The one shape of all transports, of who is told what they bring, and of what those of child processes stand on."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Protocol


class Receiver(Protocol):
    """Who is told what a transport brings. `stamp` is `time.monotonic()` at the read."""

    def data_received(self, data: bytes, stamp: float) -> None: ...

    def eof_received(self) -> None:
        """The peer sends nothing more; it may still read."""

    def connection_lost(self, reason: str) -> None:
        """Everything is over and released. `reason` is for people."""


class Transport(Protocol):
    """One connection. No call blocks or raises, also not after the end.

    `write` aborts the connection when more than `WRITE_LIMIT` bytes wait unsent. `close` delivers what was written, for
    `CLOSE_S` at most; nothing is received from then on. `abort` does not deliver.
    """

    @property
    def peer(self) -> str: ...

    @property
    def is_closing(self) -> bool: ...

    @property
    def is_unread(self) -> bool:
        """Whether the bot is seen not to have read all it was sent, which is not seen of one on another machine."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Gate(Protocol):
    """Who lets connections in."""

    def enter(self, transport: Transport) -> Receiver | None:
        """None lets it in; else it is turned away, and this receiver hears of its end."""

    def leave(self, transport: Transport) -> None:
        """It is over, whether it was let in or not."""


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None: ...


class ProcessLoop(Protocol):
    """What watches files and waits: a part of asyncio's loop."""

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
