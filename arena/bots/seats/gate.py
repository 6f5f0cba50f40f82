"""Limits the connections of bots, seated or not, on all ports of this host, in total and by address."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from arena.common.limits import Shares, host_of
from arena.common.logs import caused_by
from arena.protocols.adapter import Adapter, Refused
from arena.protocols.seat_line import turned_away
from arena.transports import Transport

log = logging.getLogger("arena.bots")

# Rejected connections are told why, up to this many at a time; beyond that they are just closed.
MOST_TOLD, MOST_TOLD_OF_ONE = 50, 5

Words = Callable[[str, str], bytes]


class Deaf:
    """A connection that is told one thing, or nothing, and closed."""

    def __init__(self, transport: Transport, words: bytes = b"") -> None:
        if words:
            transport.write(words)
        transport.close()

    def data_received(self, data: bytes, stamp: float) -> None:
        """Ignore it."""

    def eof_received(self) -> None:
        """Nothing to do: it is already closed."""

    def connection_lost(self, reason: str) -> None:
        """Nothing to do."""


class PortGate:
    """Checks the connections of a port. `shares` counts those of all ports."""

    def __init__(self, shares: Shares, words: Words) -> None:
        self._shares = shares
        self._words = words
        self._told = Shares(MOST_TOLD, MOST_TOLD_OF_ONE)
        self._held: dict[Transport, Shares] = {}

    def enter(self, transport: Transport) -> Deaf | None:
        """None if this connection may enter, else the receiver that closes it. `leave` is called in both cases."""
        host = host_of(transport.peer)
        if self._shares.take(host):
            self._held[transport] = self._shares
            return None
        log.info("%s: turned away, too many connections", transport.peer, extra=caused_by(host))
        if not self._told.take(host):
            transport.abort()
            return Deaf(transport)
        self._held[transport] = self._told
        return Deaf(transport, self._words("too_many", self.why(host)))

    def leave(self, transport: Transport) -> None:
        """This connection is over."""
        if (shares := self._held.pop(transport, None)) is not None:
            shares.give_back(host_of(transport.peer))

    def why(self, host: str) -> str:
        """The sentence for this address."""
        held, most = self._shares.held(host), self._shares.most
        if not held:
            return f"All {most} connections of bots are taken. Try again in a minute."
        each = f", and {self._shares.each} are all that one may hold" if held == self._shares.each else ""
        said = f"Your address holds {held} of the {most} connections of bots{each}."
        return f"{said} Close one, or try again in a minute."


def in_the_words_of(adapter: type[Adapter]) -> Words:
    """A refusal in the words of the protocol, or as at a seat's port if it has none."""

    def words(code: str, sentence: str) -> bytes:
        speaking: Any = adapter()
        speaking.send(Refused(code, sentence))
        return bytes(speaking.data_to_send()) or turned_away(code, sentence)

    return words
