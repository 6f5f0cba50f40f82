"""Tells owners' programs of registered bots that are gone for a minute: many protocols close the connection after each
match. A server that stops drops these waits, because it disconnects the bots itself.
"""

from __future__ import annotations

import asyncio
import logging

from channels.db import database_sync_to_async
from django.db import DatabaseError

from arena.bots.session import tokens
from arena.cluster.lease import Fence, NotTheHost, by_holder
from arena.common.detached import begin
from arena.models import Bot
from arena.work.webhooks import rows as messages

log = logging.getLogger("arena.bots")

AWAY_S = 60.0
CLOSE_S = 2.0


class OfflineWatch:
    """Watches in the process that hosts, from its creation until `close`."""

    def __init__(self, fence: Fence | None) -> None:
        self._fence = fence
        self._away: dict[int, asyncio.TimerHandle] = {}
        self._telling: set[asyncio.Task[None]] = set()
        tokens.arrivals.add(self._came)
        tokens.leavings.add(self._went)

    async def close(self) -> None:
        """Stop waiting for bots; notifications already due are still sent if the database answers."""
        tokens.arrivals.discard(self._came)
        tokens.leavings.discard(self._went)
        for timer in self._away.values():
            timer.cancel()
        self._away.clear()
        if self._telling:
            await asyncio.wait(self._telling, timeout=CLOSE_S)

    def _came(self, player: int) -> None:
        if timer := self._away.pop(player, None):
            timer.cancel()

    def _went(self, player: int) -> None:
        self._came(player)
        self._away[player] = asyncio.get_running_loop().call_later(AWAY_S, self._is_offline, player)

    def _is_offline(self, player: int) -> None:
        del self._away[player]
        task = begin(self._tell(player))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, player: int) -> None:
        try:
            await database_sync_to_async(_store, thread_sensitive=False)(player, self._fence)
        except (DatabaseError, NotTheHost) as why:
            log.warning("player %d: nobody could be told that it is offline: %s", player, why)


def _store(player: int, fence: Fence | None) -> None:
    with by_holder(fence):
        bot = Bot.objects.filter(pk=player, enabled=True).first()
        if bot is not None:
            messages.tell_of_bot(messages.BOT_OFFLINE, player, bot.owner_id)
