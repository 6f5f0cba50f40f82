"""Ends matches by a proof, if their room or event asks for it: once a proved result has stood for a number of moves.

A player who could still spoil the result has had these moves to do so. Proofs are searched for in another process; play
never waits for it, and if a proof arrives after the next move, the search starts again with that move. Nobody hears of
it before the end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Adjudicate
from arena.match.evolve import line

log = logging.getLogger("arena.rooms")

# The proved values of a match's positions, by the text of the position.
Known = dict[str, int | None]


class Verdicts(Protocol):
    """The source of proofs."""

    async def verdicts(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """See `arena.analysis.verdicts.verdicts`; None if nothing could be computed."""

    async def close(self) -> None: ...


class Adjudicator:
    """Examines the matches that ask for it, after each move. `prover` is closed with it."""

    def __init__(self, referee: Referee, prover: Verdicts) -> None:
        self._referee = referee
        self.prover = prover
        self._looks = set[asyncio.Task[None]]()
        self._closed = False

    def begin(self, live: LiveMatch) -> None:
        """Examine the match, if it asks for that. What is known of it is kept only as long as the match itself."""
        if live.state.setup.adjudicate and not live.over:
            watch = _Watch(self, live)
            self._referee.hub.follow(live, watch.follow)
            watch.look()

    async def close(self) -> None:
        """Stop. The next host's adjudicator continues, because all it needs is in the log."""
        self._closed = True
        looks = tuple(self._looks)
        for look in looks:
            look.cancel()
        await asyncio.gather(*looks, return_exceptions=True)
        await self.prover.close()

    def start(self, look: Coroutine[Any, Any, None]) -> None:
        """Start a search that may take its time."""
        if self._closed:
            look.close()
            return
        task = asyncio.get_running_loop().create_task(look)
        self._looks.add(task)
        task.add_done_callback(self._looks.discard)

    def end(self, live: LiveMatch, ply: int, winner: int | None, line: list[str]) -> None:
        """End the match after `ply` moves, because its result is proved; if it has moved on, do nothing."""
        retry(self._referee, live, Adjudicate(winner, _reason(live, winner, line), "", ply))


class _Watch:
    """One match: what is known of its last positions, and whether it is being examined."""

    def __init__(self, adjudicator: Adjudicator, live: LiveMatch) -> None:
        self._adjudicator, self._live = adjudicator, live
        self._known: Known = {}
        self._looking = self._again = False

    def follow(self, live: LiveMatch, news: object) -> None:
        self.look()

    def look(self) -> None:
        """Examine it now, or again when the search that is running has ended."""
        if self._looking:
            self._again = True
        elif self._live.state.phase == "running":
            self._looking = True
            self._adjudicator.start(self._look())

    async def _look(self) -> None:
        try:
            await self._judge()
        except Exception:
            log.exception("match %s: nothing is proved of it", self._live.id, extra=about(self._live.id))
        finally:
            self._looking = False
        if self._again:
            self._again = False
            self.look()

    async def _judge(self) -> None:
        """End the match if its result has stood for long enough."""
        state = self._live.state
        held, ply = state.setup.adjudicate, state.position.ply
        if state.moves_made < held:
            return
        course = line(self._live.events)
        texts = [str(position) for position, _ in course[ply - held :]]
        self._known = {text: self._known[text] for text in texts if text in self._known}
        unknown = [ply - held + n for n, text in enumerate(texts) if text not in self._known]
        if not unknown and not _has_held(self._known.values()):
            return
        asked = sorted({*unknown, ply})  # for the last position also the line
        rest = [self._known[text] for n, text in enumerate(texts, ply - held) if n not in asked]
        job = {"variant": state.setup.variant, "settings": dict(state.setup.settings), "plies": asked, "known": rest}
        found = await self._adjudicator.prover.verdicts({**job, "moves": [move for _, move in course[1:]]})
        if found is None:
            return
        self._known |= {texts[n - ply + held]: result for n, result in zip(asked, found["results"], strict=True)}
        if _has_held(self._known.values()):
            self._adjudicator.end(self._live, ply, {1: 0, -1: 1}.get(found["results"][-1]), found["line"])


def _has_held(results: Iterable[int | None]) -> bool:
    known = set(results)
    return len(known) == 1 and None not in known


def _reason(live: LiveMatch, winner: int | None, line: list[str]) -> str:
    setup = live.state.setup
    what = "a draw with best play" if winner is None else f"{setup.seats[winner].name} wins by force"
    shown = f": {' '.join(line)}" if line else ""
    return f"{what}, proved for {setup.adjudicate} moves{shown}"
