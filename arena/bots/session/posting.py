"""Posts what one bot does to the referee, and reports refusals."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from arena.bots.session.finding import Connected
from arena.core.hub import LiveMatch
from arena.core.referee import MOST_IN_A_MAILBOX, Referee
from arena.core.retry import AGAIN_S, retry
from arena.match.commands import Command, Play, Refusal, Resign
from arena.play import meaning
from arena.protocols.adapter import BotAnswers, BotMove, BotOffers, BotWithdraws, OfferRefused, Refused

# Refusals that are not the bot's fault.
_OURS = frozenset({"busy", "stale", "paused"})


class Posting:
    """`asked_ply` is the number of the move that the bot has been asked for. `leaves`: it has ended its side, which is
    reported when all that it did before is judged, so that it is told of the end of its match.
    """

    __slots__ = ("_held", "_last", "_referee", "_session", "_unjudged", "asked_ply", "leaves")

    def __init__(self, session: Connected, referee: Referee) -> None:
        self.asked_ply = self._unjudged = 0
        self.leaves = False
        self._last: Play | None = None  # its latest move, unless that was refused
        self._held: Play | None = None  # the same, if it came in a pause
        self._session = session
        self._referee = referee
        session.connection.on_end = self._leave_if_held

    def forget(self) -> None:
        """Prepare for a new match."""
        self._last = self._held = None

    @property
    def has_unjudged(self) -> bool:
        """Whether the referee has yet to judge something that the bot did."""
        return self._unjudged > 0

    def has_answered(self, ply: int) -> bool:
        """Whether its answer to this request has been posted."""
        return self._last is not None and self._last.ply == ply

    def go_on(self) -> None:
        """Post the answer that came in a pause. A bot that was asked twice for one move might make two."""
        live, held, self._held = self._session.live, self._held, None
        if live is not None and held is not None:
            self._post(live, held, time.monotonic())

    def play(self, said: BotMove) -> None:
        """The bot has answered."""
        session = self._session
        if session.live is not None:
            self._last = Play(session.seat, self.asked_ply, said.text)
            self._post(session.live, self._last, session.connection.stamp)

    def about_offer(self, said: BotOffers | BotAnswers | BotWithdraws) -> None:
        """The bot makes or answers an offer."""
        session = self._session
        if (live := session.live) is not None:
            command = meaning.about_offer(said, session.seat, live.state.position.ply)
            self._unjudged += 1
            if len(live.mailbox) < MOST_IN_A_MAILBOX:
                retry(self._referee, live, command, session.connection.stamp, self._offer_judged)
            else:  # one that asks on and on while nothing can be judged hears that it is too much
                self._referee.post(live, command, self._offer_judged, session.connection.stamp)

    def resign(self) -> None:
        """The bot gives up, which it does once, however often it says so before that can be judged."""
        live, command = self._session.live, Resign(self._session.seat)
        if live is not None and all(act.command != command for act in live.mailbox):
            self.insist(live, command)

    def insist(self, live: LiveMatch, command: Command, stamp: float | None = None) -> None:
        """Post what cannot be refused while the match goes on."""
        self._unjudged += 1
        retry(self._referee, live, command, stamp, self._done)

    def _offer_judged(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            self._session.connection.say(OfferRefused(refusal.code, refusal.sentence))
        self._done(refusal)

    def _post(self, live: LiveMatch, command: Play, stamp: float) -> None:
        self._unjudged += 1
        # Not a closure that posts itself again: that would be a reference cycle at every move.
        self._referee.post(live, command, partial(self._judged, live, command, stamp), stamp, True)

    def _judged(self, live: LiveMatch, command: Play, stamp: float, refusal: Refusal | None) -> None:
        if refusal is not None:
            self._refused(live, command, stamp, refusal)
        self._done(refusal)

    def _refused(self, live: LiveMatch, command: Play, stamp: float, refusal: Refusal) -> None:
        # Our trouble is not reported: a bot that waits for our answer would wait forever, even in a pause. Post it
        # again.
        if refusal.code not in _OURS or not self._is_asked(live, command.ply):
            if live is self._session.live:
                self._last = None
                self._session.connection.say(Refused(refusal.code, refusal.sentence))
        elif live.state.phase == "paused":
            self._held = command
            self._leave_if_held()
        else:
            self._unjudged += 1
            asyncio.get_running_loop().call_later(AGAIN_S, self._post_again, live, command, stamp)

    def _post_again(self, live: LiveMatch, command: Play, stamp: float) -> None:
        self._unjudged -= 1
        self._post(live, command, stamp)

    def _done(self, _: Refusal | None) -> None:
        self._unjudged -= 1
        if self.leaves and not self._unjudged:
            self.leaves = False
            self._session.connection.leave()

    def _leave_if_held(self) -> None:
        """A bot that ended its side in a pause is gone now: its adapter would only say so when the answer is judged."""
        if self._held is not None and self._session.connection.ended:
            self._session.connection.leave()

    def _is_asked(self, live: LiveMatch, ply: int) -> bool:
        position = live.state.position
        return live is self._session.live and position.to_move == self._session.seat and position.ply + 1 == ply
