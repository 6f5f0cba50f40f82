"""Who sits opposite the bot of a test."""

from __future__ import annotations

from arena.core.hub import LiveMatch
from arena.match.series import Loser
from arena.match.state import SeatSetup


class Other:
    """The other side of a room: it is always there, and is played by the test."""

    ready = True

    def __init__(self) -> None:
        self.setup = SeatSetup("Bob", "bot")

    def as_loser(self) -> Loser:
        return Loser("bot")

    async def prepare(self) -> None:
        """Nothing to do."""

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        """The test plays."""

    def met(self, there: bool) -> None:
        """The test knows."""

    def dismiss(self) -> None:
        """Nothing to end."""
