"""Ends matches by a proof, where their room or event asks for it: once a proved result has held for so many moves.

Whoever could still throw the result away has had these moves to do so. What is proved is found out in another process;
play never waits for it, and a proof that comes after the next move is looked for again with that move. Nobody hears of
it before the end.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Adjudicate
from arena.match.evolve import line

log = logging.getLogger("arena.rooms")

# What the positions of a match are proved to be, by their text.
Known = dict[str, int | None]


class Verdicts(Protocol):
    """Where proofs come from."""

    async def verdicts(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """See `arena.analysis.verdicts.verdicts`; None where nothing could be computed."""

    def rest(self) -> None:
        """No match is played any more that asks for proofs."""

    async def close(self) -> None: ...


class Adjudicator:
    """Watches the matches that ask for it. `prover` is closed with it."""

    def __init__(self, referee: Referee, prover: Verdicts) -> None:
        self._referee = referee
        self.prover = prover
        self._watches: dict[str, asyncio.Task[None]] = {}

    def begin(self, live: LiveMatch) -> None:
        """Watch the match, if that is asked for."""
        if live.state.setup.adjudicate and not live.over:
            watch = asyncio.get_running_loop().create_task(self._watch(live))
            self._watches[live.id] = watch
            watch.add_done_callback(lambda _: self._ended(live.id))

    async def close(self) -> None:
        """The next host's adjudicator goes on: what it has to know is in the log."""
        watches = tuple(self._watches.values())
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        await self.prover.close()

    async def _watch(self, live: LiveMatch) -> None:
        changed, known = asyncio.Event(), Known()
        changed.set()

        def follow(live: LiveMatch, news: object) -> None:
            changed.set()

        self._referee.hub.follow(live, follow)
        try:
            while not live.over:
                await changed.wait()
                changed.clear()
                if live.state.phase == "running":
                    known = await self._judge(live, known)
        except Exception:
            log.exception("match %s: it is played to its end without proofs", live.id, extra=about(live.id))
        finally:
            self._referee.hub.unfollow(live, follow)

    async def _judge(self, live: LiveMatch, known: Known) -> Known:
        """End the match if its result has held; what is known now of its last positions."""
        state, held = live.state, live.state.setup.adjudicate
        if state.moves_made < held or state.position.to_move is None:
            return known
        course = line(live.events)
        ply = len(course) - 1
        texts = {n: str(course[n][0]) for n in range(ply - held, ply + 1)}
        asked = [n for n, text in texts.items() if text not in known or n == ply]
        setup, moves = state.setup, [move for _, move in course[1:]]
        job = {"variant": setup.variant, "settings": dict(setup.settings), "moves": moves, "plies": asked}
        found = await self.prover.verdicts(job)
        if found is None:
            return known
        known = {text: known[text] for text in texts.values() if text in known}
        known |= {texts[n]: result for n, result in zip(asked, found["results"], strict=True)}
        results = {known[text] for text in texts.values()}
        if len(results) == 1 and (result := results.pop()) is not None:
            winner = {1: 0, -1: 1}.get(result)
            retry(self._referee, live, Adjudicate(winner, _reason(live, winner, found["line"]), "", ply))
        return known

    def _ended(self, match: str) -> None:
        self._watches.pop(match, None)
        if not self._watches:
            self.prover.rest()


def _reason(live: LiveMatch, winner: int | None, line: list[str]) -> str:
    setup = live.state.setup
    what = "a draw with best play" if winner is None else f"{setup.seats[winner].name} wins by force"
    return f"{what}, proved for {setup.adjudicate} moves: {' '.join(line)}"
