"""Tells a bot about its match and asks it for moves: all of an update in one write."""

from __future__ import annotations

from collections.abc import Callable

from arena.bots.session import staying
from arena.bots.session.finding import Connected
from arena.bots.session.posting import Posting
from arena.bots.session.session_state import SessionEvent
from arena.core.hub import LiveMatch, TurnSignal, Update
from arena.core.referee import Referee
from arena.match.endings import counts
from arena.match.state import OFFERS, LogEvent
from arena.play import meaning
from arena.protocols.adapter import Turn
from games import Position


class Telling:
    """Follows the matches of one session, one after another. `posting` brings the bot's answers to the referee."""

    __slots__ = ("_referee", "_rounds_played", "_session", "posting")

    def __init__(self, session: Connected, referee: Referee) -> None:
        self.posting = Posting(session, referee)
        self._session = session
        self._referee = referee
        self._rounds_played = 0

    def follow(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        """Send the bot the logged events, and the request for a move when its turn begins."""
        session = self._session
        try:
            if isinstance(news, Update):
                for event, position in zip(news.events, news.positions, strict=True):
                    if (tell := _TELL.get(event.kind)) is not None:
                        tell(self, live, event, position)
                turn = news.turn
            else:
                turn = news
            if turn is not None and turn.seat == session.seat:
                self.ask(turn.left_ms)
        except Exception:
            session.connection.broke()
        session.connection.pump()

    def ask(self, left_ms: tuple[int | None, int | None]) -> None:
        """Ask the bot for a move, with the time left of each seat in milliseconds."""
        session = self._session
        assert session.live is not None, "only a seated bot is asked"
        position, connection, seat = session.live.state.position, session.connection, session.seat
        ply = position.ply + 1
        if self.posting.has_answered(ply):
            self.posting.go_on()
            return  # it was asked before a pause, and would answer twice
        self.posting.asked_ply = connection.wire.ply = ply
        connection.asked()
        connection.adapter.send(Turn(position, left_ms[seat], left_ms[1 - seat]))

    def tell_started(self, live: LiveMatch, _: LogEvent | None, position: Position) -> None:
        """The match has begun, or continues from this position for a bot that is back."""
        self._session.adapter.send(meaning.started(live.state.setup, position))

    def _tell_move(self, live: LiveMatch, event: LogEvent, position: Position) -> None:
        assert event.ply is not None, "a move has a number"
        connection = self._session.connection
        connection.wire.ply = event.ply
        if connection.adapter.hears_moves:
            connection.adapter.send(meaning.moved(event, position))

    def _tell_offer(self, live: LiveMatch, event: LogEvent, position: Position) -> None:
        """Tell of an offer, if the protocol has words for it; after a takeback the bot's next answer is a new one."""
        if event.kind == "takeback":
            self.posting.forget()
            self._session.connection.wire.ply = position.ply
        if self._session.adapter.hears_offers:
            self._session.adapter.send(meaning.of_offer(event, position))

    def _tell_ended(self, live: LiveMatch, event: LogEvent, position: Position) -> None:
        self._rounds_played += counts(event.data["termination"])
        if last := self._is_last():
            self._session.happens(SessionEvent.DISMISS)
        self._referee.hub.unfollow(live, self.follow)
        self._session.adapter.send(meaning.ended(event, position, last))

    def _is_last(self) -> bool:
        room, rounds = self._session.room, self._session.rounds
        if room is None or (rounds is not None and self._rounds_played >= rounds):
            return True
        return room.last and not staying.is_needed(self._session)


_TELL: dict[str, Callable[[Telling, LiveMatch, LogEvent, Position], None]] = {
    "started": Telling.tell_started,
    "move": Telling._tell_move,
    "ended": Telling._tell_ended,
    **dict.fromkeys(OFFERS, Telling._tell_offer),
}
