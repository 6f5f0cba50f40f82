"""The webhooks of a serving host: it notices bots that stay away, and sends the messages in the rows."""

from __future__ import annotations

from django.conf import settings

from arena import paths
from arena.bots.session.offline import OfflineWatch
from arena.common.limits import networks
from arena.host import Host
from arena.web.api.told import told
from arena.work.webhooks.posting import Poster
from arena.work.webhooks.sender import Sender


class Webhooks:
    """Runs in the loop of the host from its creation until `close`."""

    def __init__(self, host: Host) -> None:
        self._offline = OfflineWatch(host.fence)
        agent = f"Arena/{version}" if (version := paths.version()) else "Arena"
        self._sender = Sender(host.fence, told, Poster(networks(settings.ARENA_WEBHOOK_NETS)), agent)

    async def close(self) -> None:
        """Stop; unsent messages wait for the next host."""
        await self._offline.close()
        await self._sender.close()
