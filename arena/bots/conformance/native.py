"""Steps for `native`. Each turn names its legal moves, so a bot may be asked about any position of its variant."""

from __future__ import annotations

import asyncio
import json

from arena.bots.conformance.candidate import Failed
from arena.bots.conformance.check import Check, Step
from arena.bots.conformance.general import FIRST, IN_PIECES, LAST
from arena.bots.conformance.matches import at_random, is_strong, play, result, takes_wins
from arena.bots.failure.diagnosis import card

ROUNDS = 4
MIDDLE = 5
AGAIN_S = 1.0


async def says_hello(check: Check) -> str:
    async with check.start() as bot:
        return f"calls itself {bot.name}"


async def pong(check: Check) -> str:
    """A ping in the middle of the other side's turn."""
    async with check.start() as bot:
        bot.tell(*bot.seated(1, check.variant.start()))
        if not await bot.answers_tick("ping", b'"pong"'):
            raise bot.failed("stall", expected='{"type": "pong"}')
    return ""


async def asked_again(check: Check) -> str:
    """Its answer is refused and the turn goes on. Who is sure of its moves may wait: then the clock ends it."""
    position = check.variant.start()
    async with check.start() as bot:
        await bot.ask(position, *bot.seated(0, position))
        try:
            async with asyncio.timeout(AGAIN_S):
                await bot.ask_again(position)
        except TimeoutError:
            return "it does not: a move that is refused would cost it the match by the clock"
        return f"answers {bot.said()}"


async def from_the_middle(check: Check) -> str:
    """As after a restart of the arena: the match goes on from its position."""
    position = check.variant.start()
    for _ in range(MIDDLE):
        position = position.play(at_random(position, check.rng))
    seat = position.to_move
    if seat is None:
        return "a match of this variant can be shorter"
    async with check.start() as bot:
        await play(bot, seat, at_random, position, check.rng)
    return ""


async def series(check: Check) -> str:
    """Rounds on one connection, in which the sides begin in turn."""
    results = []
    async with check.start() as bot:
        for number in range(1, ROUNDS + 1):
            seat, position = (number + 1) % 2, check.variant.start()
            opponent = (takes_wins, is_strong)[number % 2]
            before = bot.seated(seat, position, number, ROUNDS)
            position = await play(bot, seat, opponent, position, check.rng, before, last=number == ROUNDS)
            results.append(result(position, seat))
    return ", ".join(results)


async def no_refusals(check: Check) -> str:
    """Nothing that it says is refused: a refusal costs nothing, but shows that it says something else."""
    async with check.start() as bot:
        await play(bot, 0, at_random, check.variant.start(), check.rng)
        for line in bot.tap.since(0, "<").splitlines():
            refused = json.loads(line)
            if refused["type"] == "refused":
                said = {key: refused[key] for key in ("received", "expected")}
                raise Failed(card("bad_output", bot.evidence("bad_output", **said)), bot.wire())
    return ""


STEPS = (
    *FIRST,
    Step("says_hello", "says hello and its name", says_hello),
    IN_PIECES,
    Step("pong", "answers a ping", pong),
    Step("asked_again", "takes a refusal of its move", asked_again),
    Step("from_the_middle", "goes on with a match from its middle", from_the_middle),
    Step("series", "plays four rounds on one connection", series),
    Step("no_refusals", "says nothing that is refused", no_refusals),
    *LAST,
)
