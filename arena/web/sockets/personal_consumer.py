"""The websocket of a person, on any page: it announces challenges to them, and answers to theirs."""

from __future__ import annotations

from arena.host import Host
from arena.web import challenges
from arena.web.sockets.consumers import GONE, Close, Consumer, Scope, unknown, visitor_in_thread


class PersonalConsumer(Consumer):
    """A browser of somebody who has a name here. It listens."""

    # Nothing on the page depends on it from second to second.
    heartbeat_s = 60.0

    def __init__(self) -> None:
        super().__init__()
        self._host: Host | None = None
        self._player = 0

    async def open(self, host: Host, scope: Scope) -> None:
        visitor = await visitor_in_thread(scope["headers"])
        self.speak(scope, visitor.prefs)
        self.visitor = visitor
        if visitor.player is None:
            raise unknown(scope, Close(GONE, "nobody is known by this session"))
        self._host, self._player = host, visitor.player
        host.lobby.challenges.view(self, self._player)

    def closed(self) -> None:
        if self._host is not None:
            self._host.lobby.challenges.unview(self, self._player)

    async def write(self) -> None:
        """Write at the first time too: a page that comes back may show a challenge that has been answered."""
        assert self._host is not None, "the host was found at the opening"
        await self.say_if_new(challenges.drawn(self._host, self._player))
