"""People in rooms: a person in a browser sits on a side, however often sockets come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from arena.core.hub import LiveMatch, Presence
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.core.waiting import must_wait
from arena.match.commands import Fault
from arena.match.series import Loser
from arena.match.state import SeatSetup
from arena.models import Player

AWAY_S = 60.0


def seat_of_player(player: Player) -> SeatSetup:
    """A person whose session is not known here."""
    verified = player.kind == Player.Kind.PERSON
    return SeatSetup(player.name, "human", player.pk, verified=verified, owner=player.user_id)


class Person:
    """A person in a browser. Sockets come and go; after the last one has gone the player has a minute to come back, or
    any amount of time if the match may wait. A player who never opened a socket (no JavaScript) is not watched: such a
    match ends by its clock. `on_arrival` is called when a page of this person has connected.
    """

    ready = True

    def __init__(self, referee: Referee, setup: SeatSetup) -> None:
        self.setup = setup
        self.on_arrival: Callable[[], None] = lambda: None
        self._referee = referee
        self._sockets = 0
        self._watched = False
        self._live: LiveMatch | None = None
        self._seat = 0
        self._away: asyncio.TimerHandle | None = None

    @property
    def away(self) -> bool:
        return self._away is not None

    @property
    def looks(self) -> bool:
        """Whether one of their pages shows the match."""
        return self._sockets > 0

    def as_loser(self) -> Loser:
        """A resignation or a lost flag costs a person only the round."""
        return Loser("human")

    async def prepare(self) -> None:
        """Sitting down is enough for a person to be ready. Since the last round they may have taken another name."""
        if self._live is None or self.setup.player is None:
            return
        player = await Player.objects.filter(pk=self.setup.player).afirst()
        if player is not None:
            self.setup = seat_of_player(player)._replace(holder=self.setup.holder)

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        self._live, self._seat = live, seat
        if self._watched and not self._sockets:
            self.await_return(AWAY_S)

    def met(self, there: bool) -> None:
        """The page shows who sits there."""

    def dismiss(self) -> None:
        self._stop_waiting()

    def arrived(self) -> None:
        """A page of this person has connected."""
        self._sockets += 1
        self._watched = True
        self._stop_waiting()
        self._signal(Presence())
        self.on_arrival()

    def departed(self) -> None:
        """A page of this person has gone."""
        self._sockets -= 1
        if self._sockets == 0:
            self.await_return(AWAY_S)

    def await_return(self, seconds: float) -> None:
        """End the match as lost by `left` unless a page connects in time; a match that may wait does so."""
        self._stop_waiting()
        loop = asyncio.get_running_loop()
        if self._live is None or self._live.over:
            return
        if self._live.state.setup.may_wait:
            self._signal(Presence(False))
        else:
            self._away = loop.call_later(seconds, self._gone, seconds)
            self._signal(Presence(False, loop.time() + seconds))

    def _stop_waiting(self) -> None:
        if self._away is not None:
            self._away.cancel()
            self._away = None

    def _gone(self, seconds: float) -> None:
        self._away = None
        if self._live is None or self._live.over:
            return
        if must_wait(self._referee, self._live, seconds):
            self.await_return(seconds)
        else:
            reason = f"{self.setup.name} did not come back within {seconds:g} s"
            retry(self._referee, self._live, Fault(self._seat, "left", reason))

    def _signal(self, presence: Presence) -> None:
        if self._live is not None:
            self._referee.signal(self._live, self._seat, presence)
