"""The websocket of the page of an owner's check: it says that something has changed, and the page asks what."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from arena.bots.seats.checking import Checks
from arena.host import Host
from arena.models import Bot
from arena.web.guests import Visitor
from arena.web.sockets.consumers import GONE, Close, Consumer, Scope, unknown, visitor_in_thread


class CheckConsumer(Consumer):
    """A browser of whoever manages the bot. It follows the whole line: others who leave it bring the turn nearer."""

    def __init__(self, slug: str) -> None:
        super().__init__()
        self._slug = slug
        self._checks: Checks | None = None
        self._changes = 0

    async def open(self, host: Host, scope: Scope) -> None:
        self.visitor = await visitor_in_thread(scope["headers"])
        self.speak(scope, self.visitor.prefs)
        if not await _may_manage(self.visitor, self._slug):
            raise unknown(scope, Close(GONE, "this bot does not exist, or it is not yours"))
        self._checks = host.seat_ports.checks
        self._checks.followers.add(self._changed)

    def closed(self) -> None:
        if self._checks is not None:
            self._checks.followers.discard(self._changed)

    def _changed(self) -> None:
        self._changes += 1
        self.wake()

    async def write(self) -> None:
        """Write at the first time too, because the page may be older than this socket."""
        await self.say(f'<div id="nudge" data-changes="{self._changes}" hidden></div>')


async def _may_manage(visitor: Visitor, slug: str) -> bool:
    bot = await Bot.objects.filter(player__slug=slug).afirst()
    if bot is None or visitor.account is None:
        return False
    superusers = get_user_model().objects.filter(is_active=True, is_superuser=True)
    return bot.owner_id == visitor.account or await superusers.filter(pk=visitor.account).aexists()
