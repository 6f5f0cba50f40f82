"""Limits connections at a door that have no seat: their number, and how long each may wait before it asks for one."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Network, IPv6Network

from arena.bots.session.session import Session
from arena.common.limits import Shares, host_of

# A bot that has said its name must ask for a seat within this time, and again after each refusal.
WISH_S = 30.0
MOST_UNSEATED = 500
MOST_UNSEATED_OF_ONE = 20

Networks = list[IPv4Network | IPv6Network]


class Unseated:
    """The unseated connections of one door. Each counts until it has a seat or is gone."""

    def __init__(self, trusted: Networks) -> None:
        self._shares = Shares(MOST_UNSEATED, MOST_UNSEATED_OF_ONE, trusted)
        self._counted: set[Session] = set()
        self._deadlines: dict[Session, asyncio.TimerHandle] = {}

    @property
    def total(self) -> int:
        """The number of unseated connections."""
        return self._shares.total

    def enter(self, session: Session) -> str:
        """Count a connection. Returns why it may not stay, "" if it may."""
        host = host_of(session.transport.peer)
        if not self._shares.take(host):
            return self._why_no_more(host)
        self._counted.add(session)
        return ""

    def leave(self, session: Session) -> None:
        """The connection has a seat or is gone."""
        if session in self._counted:
            self._counted.discard(session)
            self._shares.give_back(host_of(session.transport.peer))
        self.asks(session)

    def asks(self, session: Session) -> None:
        """The connection asks for a seat."""
        if (deadline := self._deadlines.pop(session, None)) is not None:
            deadline.cancel()

    def await_wish(self, session: Session) -> None:
        """Demand a request for a seat in time, unless the bot has proven its identity; a name alone is not enough."""
        self.asks(session)
        if session in self._counted and not session.setup.verified:
            self._deadlines[session] = asyncio.get_running_loop().call_later(WISH_S, self._no_wish, session)

    def _no_wish(self, session: Session) -> None:
        del self._deadlines[session]
        if not session.setup.verified:
            said = f"Received no wish for a seat within {WISH_S:g} s. Connect again, and ask for one after your name."
            session.send_away("no_wish", said)

    def _why_no_more(self, host: str) -> str:
        held = self._shares.held(host)
        said = f"Your address has {held} connections here without a seat, and no more are taken." if held else ""
        said = said or f"{self._shares.most} connections are here without a seat, which is all this port takes."
        return f"{said} Take a seat with one, close one, or try again in a minute."
