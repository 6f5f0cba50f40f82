"""The pool of ports for bots with an address of their own: opened when needed, skipped when taken."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from arena.common import descriptors
from arena.match.commands import Refusal
from arena.match.said import said
from arena.transports import Gate, Receiver, Transport, addresses, tcp

MakeReceiver = Callable[[Transport], Receiver]


class Pool:
    """Ports of one host. `host` is "" if this server opens no ports for bots."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.host = ""
        self._numbers = numbers
        self._ours: set[int] = set()

    @property
    def used(self) -> int:
        """The number of open ports."""
        return len(self._ours)

    async def reserve(
        self, make_receiver: MakeReceiver, wished: int | None = None, gate: Gate | None = None
    ) -> SeatServer:
        """Take the requested port, or the first that is free; who connects waits. Raises Refusal if there is none."""
        self._must_be_open()
        if not descriptors.admit():
            raise Refusal("no_room", descriptors.WORDS)
        for number in self._numbers if wished is None else (wished,):
            server = None if number in self._ours else await self._bind(number, make_receiver, gate)
            if server is not None:
                return server
        raise Refusal("no_port", self._why_none() if wished is None else said("Port {port} is in use.", port=wished))

    def lend(self) -> int:
        """A free port for another process of ours, until it is given back. Raises Refusal if there is none."""
        self._must_be_open()
        number = next((each for each in self._numbers if each not in self._ours and _is_free(self.host, each)), None)
        if number is None:
            raise Refusal("no_port", self._why_none())
        self._ours.add(number)
        return number

    def _must_be_open(self) -> None:
        if not self.host:
            raise Refusal("no_port", "This server was started without ports for bots (--no-doors).")

    async def _bind(self, number: int, make_receiver: MakeReceiver, gate: Gate | None) -> SeatServer | None:
        self._ours.add(number)
        try:
            return SeatServer(self, await tcp.reserve(self.host, number, make_receiver, gate), number)
        except OSError as why:
            self._ours.discard(number)
            if why.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            return None

    def _why_none(self) -> str:
        first, last = self._numbers[0], self._numbers[-1]
        return (
            f"All {len(self._numbers)} ports for waiting bots ({first}-{last}) are in use. Each is free again after 15 "
            "minutes at the latest; ARENA_SEAT_PORTS makes it more."
        )

    def give_back(self, number: int) -> None:
        """Return a port to the pool."""
        self._ours.discard(number)


class SeatServer:
    """An open port of the pool."""

    def __init__(self, pool: Pool, server: tcp.Listener, number: int) -> None:
        self.number = number
        self._pool = pool
        self._server = server
        self._closed = False

    def open(self) -> None:
        """Take connections that have waited, and new ones."""
        self._server.start_serving()

    def close(self) -> None:
        """Stop listening; may be called twice. Connections stay open."""
        if not self._closed:
            self._closed = True
            self._server.close()
            self._pool.give_back(self.number)


def _is_free(host: str, port: int) -> bool:
    try:
        opened = addresses.listen(port, 1, host)
    except OSError:
        return False
    for each in opened:
        each.close()
    return True
