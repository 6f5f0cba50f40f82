"""A check of one bot against one protocol: runs the steps and yields the result of each."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from arena.bots.conformance.candidate import Candidate
from arena.bots.conformance.command import Command
from arena.bots.conformance.observed import Failed
from arena.bots.conformance.stage import BotStage
from arena.bots.failure.cards import Card
from arena.bots.failure.diagnosis import card
from arena.protocols.steps import Step
from arena.transports.process import STDERR_TAIL
from games import Position, Variant, players

SEED = 1
# A built-in player that beats most bots, and how long it may think.
STRONG, STRONG_S = "club", 0.1
# The check gives up after this many steps in which the bot timed out.
GIVE_UP = 3


class StepResult(NamedTuple):
    """The result of a step. `card` says why it failed, `wire` has the lines of the connection that failed."""

    step: Step
    note: str
    seconds: float
    card: Card | None = None
    wire: tuple[str, ...] = ()


@dataclass(slots=True)
class Check:
    """`replies` are the seconds that each answer took so far."""

    command: Command
    variant: Variant
    rng: random.Random = field(default_factory=lambda: random.Random(SEED))
    replies: list[float] = field(default_factory=list)

    def run(self, steps: Sequence[Step]) -> Iterator[StepResult]:
        """Yield the results. A bot that fails the first step, or often times out, is not tested further."""
        waited = 0
        for step in steps:
            result = self._try(step)
            yield result
            if result.card is not None:
                waited += result.seconds >= self.command.answer_s
                if step is steps[0] or waited == GIVE_UP:
                    return

    def _try(self, step: Step) -> StepResult:
        began = time.monotonic()
        try:
            note = BotStage(self.start, self.command.start).perform(step.run(self))
        except Failed as failed:
            told = replace(failed.card, advice=step.advice or failed.card.advice)
            return StepResult(step, "", time.monotonic() - began, told, tuple(failed.wire))
        return StepResult(step, note, time.monotonic() - began)

    @contextmanager
    def start(self, in_pieces: bool = False) -> Iterator[Candidate]:
        """The bot, ready to play. Raises Failed."""
        with self.command.start(in_pieces) as bot:
            bot.variant, bot.settings = self.variant.slug, self.variant.complete({})
            bot.ready()
            yield bot
            self._look_back(bot)

    # -- the `Table` of a script ---------------------------------------------------------------------------------------

    @property
    def answer_s(self) -> float:
        """Seconds that one answer may take."""
        return self.command.answer_s

    def fresh_rng(self) -> random.Random:
        """A new generator with the same seed as the first."""
        return random.Random(SEED)

    def strong_move(self, position: Position) -> str:
        """The move of a built-in player that beats most bots."""
        end = time.monotonic() + STRONG_S
        return players.choose(position, STRONG, self.rng, lambda: time.monotonic() > end)

    def _look_back(self, bot: Candidate) -> None:
        """Note a bot that wrote so much to its standard error that the stored tail is full."""
        self.replies += bot.replies
        if bot.process is not None and len(bot.process.stderr_tail) >= STDERR_TAIL:
            detail = f"{STDERR_TAIL // 1024} KiB or more"
            raise Failed(card("stderr_flood", bot.seen.evidence("normal", detail=detail)), bot.seen.wire())
