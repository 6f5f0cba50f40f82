"""One match that a front follows: the host's messages about it are processed one after the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from channels.db import database_sync_to_async
from django.db import DatabaseError

from arena.cluster.bus import Message
from arena.cluster.front import RESTART
from arena.common.logs import about
from arena.core.hub import Hub
from arena.core.log_store import DatabaseStore
from arena.core.viewers import lag_ms
from arena.match.state import LogEvent
from arena.web.match import analysis
from arena.web.match.followed import FollowedMatch, HostSays
from arena.web.people import ratings

log = logging.getLogger("arena.web.following")

# The pause before reading rows again after a failure.
AGAIN_S = 0.5
# How long a page waits for the host's message about the newest event.
TOLD_S = 0.5
# The page reconnects by itself after both: the host has changed, or something broke here.
CHANGES_OVER, BROKE = "the arena changes over", "something broke on our side"


class MatchFollower:
    """`begun` is done when the match is up to date; its value is False if the host knows no such match, None if the
    host has gone. `say` is called with messages for the host, `give_up` when the match can be followed no longer: who
    wants to see it then follows it anew.
    """

    def __init__(
        self, live: FollowedMatch, hub: Hub, say: Callable[[Message], None], give_up: Callable[[str], None]
    ) -> None:
        self.live = live
        self.begun: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self._hub, self._say, self._give_up = hub, say, give_up
        self._reading = asyncio.Lock()
        self._told = asyncio.Event()
        self._newest: HostSays | None = None
        self._taking: asyncio.Task[None] | None = None
        self._telling: asyncio.TimerHandle | None = None
        self._readers: tuple[dict[str, int], dict[str, int]] = {}, {}

    @property
    def is_idle(self) -> bool:
        return not any(self.live.viewers.values())

    def hear(self, said: HostSays) -> None:
        """The host says where the match stands."""
        self._newest = said
        if self._taking is None:
            self._taking = asyncio.get_running_loop().create_task(self._take())

    async def catch_up(self) -> None:
        """Read what has been committed: a page shown after an act must show its effect.

        The host's message about the clocks is on its way; we wait for it, but not for long.
        """
        await self._read_on()
        with suppress(TimeoutError):
            async with asyncio.timeout(TOLD_S):
                while self.live.said.seq < self.live.state.seq:
                    self._told.clear()
                    await self._told.wait()

    def is_none(self) -> None:
        """The host knows no such match."""
        self._begin(False)

    def readers_changed(self, soon_s: float) -> None:
        """Readers have come or gone, or a player's line is slower: the host hears of it soon, once for all of them."""
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(soon_s, self._tell_readers)

    def end(self, code: int = RESTART, reason: str = CHANGES_OVER) -> None:
        """Stop following: the readers reconnect."""
        self._begin(None)
        if self._taking is not None:
            self._taking.cancel()
        if self._telling is not None:
            self._telling.cancel()
        for viewers in self.live.viewers.values():
            for viewer in tuple(viewers):
                viewer.end(code, reason)

    def _tell_readers(self) -> None:
        self._telling = None
        readers = {audience: people for audience in self.live.viewers if (people := self.live.readers(audience))}
        lags = {str(seat): lag for seat in (0, 1) if (lag := lag_ms(self.live.viewers, seat))}
        if (readers, lags) != self._readers:
            self._readers = readers, lags
            self._say({"kind": "readers", "match": self.live.id, "readers": readers, "lags": lags})

    def _begin(self, found: bool | None) -> None:
        if not self.begun.done():
            self.begun.set_result(found)

    async def _take(self) -> None:
        """Take the message. When it hears `seen`, the host reports what has happened meanwhile, if anything."""
        try:
            while (said := self._newest) is not None:
                self._newest = None
                if await self._is_taken(said):
                    self._say({"kind": "seen", "match": self.live.id})
                else:
                    self._newest = self._newest or said
                    await asyncio.sleep(AGAIN_S)
        except Exception:
            log.exception("match %s: it can be followed no longer", self.live.id, extra=about(self.live.id))
            self._give_up(self.live.id)
        finally:
            self._taking = None

    async def _read_on(self) -> None:
        """Raises DatabaseError, or what is wrong with the events: then the match has been given up."""
        async with self._reading:  # a page and a message of the host may ask for the same events
            events = await _events_from(self.live.id, self.live.state.seq + 1)
            try:
                self.live.read_on(events)
            except Exception:
                self._give_up(self.live.id)
                raise

    async def _is_taken(self, said: HostSays) -> bool:
        """Whether the log could be read up to the point that the host named."""
        live = self.live
        try:
            if said.seq > live.state.seq:
                await self._read_on()
            live.said = said
            self._told.set()
            await ratings.look_up(live)
            await analysis.look_up(live)
        except DatabaseError as error:
            log.warning("match %s: its log cannot be read: %s", live.id, error, extra=about(live.id))
            return False
        self._hub.changed(live)
        self._begin(True)
        return True


def _read(match: str, first: int) -> list[LogEvent]:
    return DatabaseStore().read_on(match, first)


_events_from = database_sync_to_async(_read, thread_sensitive=False)
