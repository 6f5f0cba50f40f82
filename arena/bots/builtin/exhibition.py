"""Exhibitions: where nobody plays, two built-in players do, for as long as somebody looks.

They are no matches: nothing of them is stored, rated, counted or analysed, and they have no page. One process thinks
for all of them, when nothing else on the machine wants to.
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
# So long an end is shown before the next one begins.
END_S = 8.0
# An exhibition stops so long after the last one who looked at it.
LOOKED_AT_S = 60.0
# As a process that runs only when no other wants to.
NICE = 19
# Neighbours, so that it is not over soon; the beginners among them would look odd.
PAIRS = (("casual", "club"), ("club", "expert"), ("expert", "best"))


class Show(NamedTuple):
    """What is shown: a position between players of two levels, the first mover's first. `number` tells shows apart."""

    number: int
    variant: Variant
    levels: tuple[str, str]
    position: Position


class Exhibitions:
    """One for each game that is asked for, and one that goes through all games for ""."""

    def __init__(self) -> None:
        self._running: dict[str, _Exhibition] = {}
        self._thinkers: Thinkers | None = None
        self._numbers = itertools.count(1)
        self._closed = False

    def of(self, game: str) -> Show | None:
        """What is shown of this game to somebody who looks; None before the first position, and without such a game."""
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
        """A real match is played: this one makes way."""
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
        """With the last one the process ends."""
        del self._running[game]
        if not self._running and self._thinkers is not None and not self._closed:
            pool, self._thinkers = self._thinkers, None
            ending = asyncio.get_running_loop().create_task(pool.close())
            _ending.add(ending)
            ending.add_done_callback(_ending.discard)


_ending = set[asyncio.Task[None]]()


class _Exhibition:
    """One game after the other while somebody looks."""

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
            pass  # nobody looks any more
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
    """Of several games the first variant of each, of one game all of its own."""
    first = {variant.game: variant for variant in reversed(variants)}
    return list(variants) if len(first) == 1 else [variant for variant in variants if first[variant.game] is variant]
