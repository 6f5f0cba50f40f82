"""Where bots that connect come in: one port for one seat, or for both, as at the servers that they were made for."""

from __future__ import annotations

import os
import socket
from typing import Protocol

from arena.play.loop import Loop
from arena.play.sockets import ListeningPort
from arena.play.spec import SocketSeat


class PlaceBehind(Protocol):
    """A seat that is reached here."""

    seat: SocketSeat

    @property
    def is_occupied(self) -> bool: ...

    def accepted(self, connection: socket.socket) -> None: ...


class Starter(Protocol):
    """Starts the client of a seat."""

    @property
    def port(self) -> PlaceBehind: ...

    def begin(self) -> None: ...


class Entrance:
    """Listens on the port of these seats; who connects first has the first. Nothing on a connection tells whose it is,
    so clients are started one at a time, after the bots that others start have come.
    """

    def __init__(self, loop: Loop, seat: SocketSeat) -> None:
        """Listen. Raises OSError if the port is taken."""
        self._seats: list[PlaceBehind] = []
        self._clients: list[Starter] = []  # to be started
        self._starting: Starter | None = None  # it has not connected yet
        try:
            self._listening = ListeningPort(loop, seat.port, self._accepted)
        except OSError as why:
            words = os.strerror(why.errno or 0)
            raise OSError(f"Cannot listen on 127.0.0.1:{seat.port} for {seat.protocol}: {words}.") from None

    def add(self, seat: PlaceBehind) -> None:
        self._seats.append(seat)

    def leave(self, seat: PlaceBehind) -> None:
        """Nobody may come to this seat any more; may be called twice. The last one stops listening."""
        if seat in self._seats:
            self._seats.remove(seat)
        if not self._seats:
            self._listening.close()

    def leads_to(self, seat: PlaceBehind) -> bool:
        return seat in self._seats

    def start(self, client: Starter) -> None:
        """Start this client as soon as it can be told from everybody else."""
        self._clients.append(client)
        self._start_next()

    def keeps_waiting(self, client: Starter | None) -> bool:
        """Whether this client has not been started."""
        return client in self._clients

    def ended(self, client: Starter) -> None:
        """This client has ended, or is not to be started."""
        if client in self._clients:
            self._clients.remove(client)
        if client is self._starting:
            self._starting = None
        self._start_next()

    def _start_next(self) -> None:
        if self._clients and self._starting is None and all(seat.is_occupied for seat in self._of_others()):
            self._starting = self._clients.pop(0)
            self._starting.begin()

    def _accepted(self, connection: socket.socket) -> None:
        seats = self._of_others() or self._seats
        free = next((seat for seat in seats if not seat.is_occupied), seats[0])
        seat = free if self._starting is None else self._starting.port
        self._starting = None
        seat.accepted(connection)
        self._start_next()

    def _of_others(self) -> list[PlaceBehind]:
        """The seats of bots that we do not start."""
        return [seat for seat in self._seats if not seat.seat.argv]
