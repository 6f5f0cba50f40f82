"""Matches of an event that continued after a restart of the server: only their end is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from arena.core.hub import LiveMatch
from arena.core.retry import retry
from arena.match.commands import Abort
from arena.match.endings import Termination, counts
from arena.rooms.lobby import Lobby

OnFault = Callable[[int, LiveMatch], asyncio.Task[None] | None]


class FollowedMatches:
    """The matches by their pairings. `on_end` is called when one is over; `on_fault(pairing, live)` before that, if one
    ended without a result although the server stayed up, and what it returns is waited for.
    """

    def __init__(self, lobby: Lobby, on_end: Callable[[], None], on_fault: OnFault) -> None:
        self._lobby, self._on_end, self._on_fault = lobby, on_end, on_fault
        self.matches: dict[int, LiveMatch] = {}
        self._reports: dict[int, asyncio.Task[None]] = {}

    async def add(self, pairing: int, match: str) -> None:
        """Follow a match that was running before we began."""
        referee = self._lobby.referee
        live = await referee.load(match)
        if live is None or live.over:
            self._on_end()
            return
        self.matches[pairing] = live
        referee.hub.follow(live, lambda live, news: self._look(pairing, live))
        if self._lobby.room_of(live) is None:  # nobody plays it: it could not be restored
            retry(referee, live, Abort("server_abort", "the server was restarted; the match is played again"))

    def _look(self, pairing: int, live: LiveMatch) -> None:
        if not live.over or pairing in self._reports or self.matches.get(pairing) is not live:
            return
        termination = live.state.termination or ""
        is_fault = not counts(termination) and termination != Termination.SERVER_ABORT
        report = self._on_fault(pairing, live) if is_fault else None
        if report is None:
            self._ended(pairing)
        else:
            self._reports[pairing] = report
            report.add_done_callback(lambda done: self._ended(pairing))

    def _ended(self, pairing: int) -> None:
        self._reports.pop(pairing, None)
        del self.matches[pairing]
        self._on_end()
