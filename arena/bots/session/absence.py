"""A lost connection in the middle of a match: the bot may return for a while, then the match is lost."""

from __future__ import annotations

import asyncio

from arena.bots.session.finding import Connected
from arena.core.hub import Presence
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Fault


class Absence:
    """The absence of one session's bot; the session determines its length and the loss."""

    __slots__ = ("_referee", "_session", "_timer")

    def __init__(self, session: Connected, referee: Referee) -> None:
        self._session = session
        self._referee = referee
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """The bot has just left."""
        session, loop = self._session, asyncio.get_running_loop()
        assert session.live is not None, "only a seated bot is waited for"
        if not session.grace_s:
            self._did_not_return()
            return
        until = loop.time() + session.grace_s
        self._timer = loop.call_at(until, self._did_not_return)
        self._referee.signal(session.live, session.seat, Presence(False, until))

    def end(self) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _did_not_return(self) -> None:
        session, self._timer = self._session, None
        if session.live is None or session.live.over:
            return
        loss = session.why_lost(session.why_gone)
        back = f"{session.setup.name} did not come back within {session.grace_s:g} s"
        reason = back if session.grace_s else loss.reason
        retry(self._referee, session.live, Fault(session.seat, loss.code, reason, loss.received, loss.expected))
