"""Matches of an event that continued after a restart of the server: only their end is waited for."""

from __future__ import annotations

from collections.abc import Callable

from arena.core.hub import LiveMatch
from arena.core.retry import retry
from arena.match.commands import Abort
from arena.rooms.lobby import Lobby


class FollowedMatches:
    """The matches by their pairings. `on_end` is called when one is over."""

    def __init__(self, lobby: Lobby, on_end: Callable[[], None]) -> None:
        self._lobby, self._on_end = lobby, on_end
        self.matches: dict[int, LiveMatch] = {}

    async def add(self, pairing: int, match: str) -> None:
        """Follow a match that was running before we began."""
        referee = self._lobby.referee
        live = await referee.load(match)
        if live is None or live.over:
            self._on_end()
            return
        self.matches[pairing] = live
        referee.hub.follow(live, lambda live, news: self._ended(pairing, live))
        if self._lobby.room_of(live) is None:  # nobody plays it: it could not be restored
            retry(referee, live, Abort("server_abort", "the server was restarted; the match is played again"))

    def _ended(self, pairing: int, live: LiveMatch) -> None:
        if live.over and self.matches.pop(pairing, None) is not None:
            self._on_end()
