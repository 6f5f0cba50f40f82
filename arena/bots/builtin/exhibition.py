"""Exhibitions: while nobody plays, two built-in players do, as long as somebody watches. They are no matches: not
stored, rated, counted or analysed, without a page. One low-priority process thinks for all.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import games
from arena.analysis.provers import Provers
from arena.bots.builtin.thinkers import Thinkers, ThinkersBusy, ThinkersClosed, WorkerDied
from arena.play.thinking import BUDGET_S
from games import Position, Variant

log = logging.getLogger("arena.bots")

PACE_S = 1.5
# How long the end of an exhibition is shown before the next one begins.
END_S = 8.0
# How long an exhibition goes on after the last request for it.
LOOKED_AT_S = 60.0
# The lowest priority: the process runs only when no other wants to.
NICE = 19
# Adjacent levels, so that games are not over soon; beginners are left out because their play would look odd.
PAIRS = (("casual", "club"), ("club", "expert"), ("expert", "best"))


class Show(NamedTuple):
    """A position between players of two levels, the first mover's first. `number` identifies the exhibition."""

    number: int
    variant: Variant
    levels: tuple[str, str]
    position: Position


class Exhibitions:
    """One exhibition for each game that is requested, and one for "" that goes through all games."""

    def __init__(self) -> None:
        self._running: dict[str, _Exhibition] = {}
        self._thinkers: Thinkers | None = None
        self._numbers = itertools.count(1)
        self._closed = False

    def of(self, game: str) -> Show | None:
        """The current position of this game, for a viewer; None before the first, or if there is no such game."""
        variants = [each for each in games.variants() if game in ("", each.game)]
        if self._closed or not variants:
            return None
        running = self._running.get(game)
        if running is None:
            running = self._running[game] = _Exhibition(self._pool(), variants, self._numbers)
            running.task.add_done_callback(lambda _: self._over(game))
        running.looked_at = asyncio.get_running_loop().time()
        return running.show

    def stop(self, game: str) -> None:
        """Stop this exhibition, because a real match is played."""
        if running := self._running.get(game):
            running.task.cancel()

    async def close(self) -> None:
        self._closed = True
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._thinkers is not None:
            await self._thinkers.close()

    def _pool(self) -> Thinkers:
        self._thinkers = self._thinkers or Thinkers(prover=Provers, nice=NICE)
        return self._thinkers

    def _over(self, game: str) -> None:
        """Forget an exhibition that ended; with the last one the process ends."""
        del self._running[game]
        if not self._running and self._thinkers is not None and not self._closed:
            pool, self._thinkers = self._thinkers, None
            ending = asyncio.get_running_loop().create_task(pool.close())
            _ending.add(ending)
            ending.add_done_callback(_ending.discard)


_ending = set[asyncio.Task[None]]()


class _Exhibition:
    """Plays one game after another while somebody watches."""

    def __init__(self, thinkers: Thinkers, variants: Sequence[Variant], numbers: Iterator[int]) -> None:
        self.show: Show | None = None
        self.looked_at = 0.0
        self._thinkers, self._numbers = thinkers, numbers
        self._rng = random.Random()
        self.task = asyncio.get_running_loop().create_task(self._run(variants))

    async def _run(self, variants: Sequence[Variant]) -> None:
        try:
            for variant in itertools.cycle(_one_of_each_game(variants)):
                await self._play(variant)
                await asyncio.sleep(END_S)
        except (TimeoutError, ThinkersClosed):
            pass  # nobody watches any more
        except WorkerDied as why:
            log.warning("an exhibition ends: %s", why)

    async def _play(self, variant: Variant) -> None:
        levels = self._rng.choice(PAIRS)
        seated = levels if self._rng.random() < 0.5 else (levels[1], levels[0])
        number, position, loop = next(self._numbers), variant.start(), asyncio.get_running_loop()
        self.show = Show(number, variant, seated, position)
        while (mover := position.to_move) is not None:
            due = loop.time() + PACE_S
            move = await self._chosen(variant, position, seated[mover])
            await asyncio.sleep(max(0.0, due - loop.time()))
            if loop.time() - self.looked_at > LOOKED_AT_S:
                raise TimeoutError
            position = position.play(move)
            self.show = self.show._replace(position=position)

    async def _chosen(self, variant: Variant, position: Position, level: str) -> str:
        while True:
            try:
                seed = self._rng.getrandbits(32)
                return await self._thinkers.think(variant.slug, str(position), level, seed, BUDGET_S)
            except ThinkersBusy:
                await asyncio.sleep(PACE_S)


def _one_of_each_game(variants: Sequence[Variant]) -> list[Variant]:
    """For several games the first variant of each; for a single game all its variants."""
    first = {variant.game: variant for variant in reversed(variants)}
    return list(variants) if len(first) == 1 else [variant for variant in variants if first[variant.game] is variant]
