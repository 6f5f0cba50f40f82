"""A built-in player on a seat: it thinks in the process pool, never on the loop."""

from __future__ import annotations

import asyncio
import logging
import random

from arena.bots.builtin.thinkers import Thinkers, ThinkersBusy, ThinkersClosed
from arena.common.logs import about
from arena.core.hub import LiveMatch, TurnSignal, Update
from arena.core.referee import Referee
from arena.core.retry import AGAIN_S, retry
from arena.match.commands import Fault, Play, Refusal
from arena.match.series import Loser
from arena.play.thinking import BUDGET_S, builtin_on_seat

log = logging.getLogger("arena.bots")

# Faster answers would feel like a machine gun to a person; among bots there is no delay.
COURTESY_S = 0.4
# Refusals after which the move is dropped: the match has moved on, or will ask again.
_MOVED_ON = frozenset({"match_over", "not_your_turn", "paused", "stale"})


class Builtin:
    """A built-in player of a level, without a clock. With a `seed` it plays the same match every time."""

    ready = True

    def __init__(self, referee: Referee, thinkers: Thinkers, level: str, seed: int | None = None) -> None:
        self.setup = builtin_on_seat(level)
        self._referee = referee
        self._thinkers = thinkers
        self._level = level
        self._repeatable = seed is not None
        self._rng = random.Random(seed)
        self._dice = (0, 0)  # the latest ply for which a number was drawn, and that number
        self._seat = 0
        self._thinking: asyncio.Task[None] | None = None

    def as_loser(self) -> Loser:
        return Loser("builtin")

    async def prepare(self) -> None:
        """Always ready."""

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        self._seat = seat
        self._referee.hub.follow(live, self.follow)
        if live.state.to_move == seat and live.turn.since is not None:
            self._think(live)

    def met(self, there: bool) -> None:
        """Nothing to do."""

    def dismiss(self) -> None:
        """Nothing to release between matches."""

    def follow(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        turn = news.turn if isinstance(news, Update) else news
        if live.over:
            self._referee.hub.unfollow(live, self.follow)
            self._stop()
        elif turn is not None and turn.seat == self._seat:
            self._think(live)

    def _think(self, live: LiveMatch) -> None:
        """Think about the turn that begins, or begins again; earlier thoughts are void."""
        self._stop()
        self._thinking = asyncio.get_running_loop().create_task(self._answer(live))

    def _stop(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    async def _answer(self, live: LiveMatch) -> None:
        position, loop = live.state.position, asyncio.get_running_loop()
        courtesy = COURTESY_S if live.state.setup.seats[1 - self._seat].kind == "human" else 0.0
        due = loop.time() + courtesy
        try:
            move = await self._best_move(live.state.setup.variant, str(position), self._thrown(position.ply + 1))
        except ThinkersClosed:
            return  # the server is stopping; the next one asks again
        except Exception as why:
            log.exception("match %s: the built-in player failed", live.id, extra=about(live.id, self._seat))
            self._give_up(live, str(why))
            return
        await asyncio.sleep(max(0.0, due - loop.time()))
        play = Play(self._seat, position.ply + 1, move)
        retry(self._referee, live, play, reply=lambda refusal: self._judged(live, play, refusal))

    def _thrown(self, ply: int) -> int:
        """The random number of this ply. It is drawn once, so that a turn that begins again gives the same move."""
        if self._dice[0] != ply:
            self._dice = (ply, self._rng.getrandbits(32))
        return self._dice[1]

    async def _best_move(self, variant: str, position: str, seed: int) -> str:
        while True:
            try:
                return await self._thinkers.think(variant, position, self._level, seed, BUDGET_S, self._repeatable)
            except ThinkersBusy:
                await asyncio.sleep(AGAIN_S)

    def _judged(self, live: LiveMatch, play: Play, refusal: Refusal | None) -> None:
        if refusal is None or live.over:
            return
        state = live.state
        if refusal.code == "stale" and state.to_move == play.seat and state.position.ply + 1 == play.ply:
            self._think(live)  # it could not be stored, and the match does not ask again
        elif refusal.code not in _MOVED_ON:
            said = (live.id, play.text, refusal)
            log.error("match %s: the built-in player's %s was refused: %s", *said, extra=about(live.id, self._seat))
            self._give_up(live, f"{play.text} was refused: {refusal.sentence}")

    def _give_up(self, live: LiveMatch, why: str) -> None:
        retry(self._referee, live, Fault(self._seat, "crash", f"the built-in player failed: {why}"))
