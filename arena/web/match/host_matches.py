"""The matches of this process, which is the host, for people who watch and play in a browser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from arena.core.hub import LiveMatch
from arena.host import Host, here_or_none
from arena.match.commands import Refusal
from arena.rooms import rematch
from arena.rooms.people import Person
from arena.web import elsewhere
from arena.web.elsewhere import Matches
from arena.web.joined import with_persons
from arena.web.match.acts import submit


class HostMatches:
    """See `arena.web.elsewhere.Matches`."""

    __slots__ = ("_host", "host", "hub")

    def __init__(self, host: Host) -> None:
        self.host: Host | None = host
        self.hub = host.hub
        self._host = host

    async def load(self, match: str) -> LiveMatch | None:
        return await with_persons(await self._host.referee.load(match))

    async def watch(self, live: LiveMatch) -> LiveMatch:
        # One that waits for its people may have left memory since it was loaded.
        return self.hub.kept(live) if live.over else self.hub.lives.setdefault(live.id, live)

    async def attend(self, live: LiveMatch) -> LiveMatch:
        return await self.watch(await self._host.parking.wake(live))

    async def go_on(self, live: LiveMatch) -> None:
        if live.over:
            with suppress(Refusal):  # the next request hears why
                await rematch.begin_if_agreed(self._host.lobby, live)

    def enter(self, live: LiveMatch, player: int) -> Callable[[], None] | None:
        people = self._host.lobby.people(live, player)
        for person in people:
            person.arrived()
        return partial(self._departed, people) if people else None

    def _departed(self, people: list[Person]) -> None:
        if self._host.lobby.held:
            return  # their pages close because the host goes down
        for person in people:
            person.departed()

    async def play(self, live: LiveMatch, player: int | None, ply: Any, move: Any) -> None:
        await submit(self._host, live, player, ply, move)


def matches() -> Matches:
    """The matches of this process: the host's own, or as a front follows them. Raises NoHost if it is neither."""
    host = here_or_none()
    return HostMatches(host) if host is not None else elsewhere.mirror()
