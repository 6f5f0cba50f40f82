"""The webhooks of a serving host: it notices bots that stay away, and sends the messages in the rows."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from django.conf import settings

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
        self._sender = Sender(host.fence, told, Poster(networks(settings.ARENA_WEBHOOK_NETS)), _agent())

    async def close(self) -> None:
        """Stop; unsent messages wait for the next host."""
        await self._offline.close()
        await self._sender.close()


def _agent() -> str:
    try:
        return f"Arena/{version('arena')}"
    except PackageNotFoundError:  # a checkout that nobody has installed
        return "Arena"
