"""Steps for `droidcon` (003). Nobody sends the board here: what the bot sees is only what its opponent plays."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from arena.bots.conformance.candidate import QUIET_S, Candidate, Failed
from arena.bots.conformance.check import Check, Step
from arena.bots.conformance.general import FIRST, IN_PIECES, LAST, some_moves
from arena.bots.conformance.matches import Opponent, at_random, holds, is_strong, never_wins, play, result
from arena.bots.failure.diagnosis import card
from arena.protocols.adapter import Moved
from games import Position

ROUNDS = 4
# Who is refused may try again, but not in a loop without a pause.
TRIES_WHEN_FULL = 10
WAIT_WHEN_FULL_S = 1.0


def fills_columns(position: Position, rng: Random) -> str:
    """Never wins, and fills one column after the other from the left."""
    return next(iter(_without_wins(position)), position.legal_moves()[0])


def _without_wins(position: Position) -> list[str]:
    seat = position.to_move
    after = ((move, position.play(move).outcome()) for move in position.legal_moves())
    return [move for move, outcome in after if outcome is None or outcome.winner != seat]


async def name_and_join(check: Check) -> str:
    async with check.start() as bot:
        return ", ".join(line.decode(errors="backslashreplace") for line in bot.tap.since(0).split(b"\n") if line)


async def line_ends(check: Check) -> str:
    async with check.start() as bot:
        position = check.variant.start()
        await bot.ask(position, *bot.seated(0, position))
        said = bot.tap.since(0)
    return "ends its lines with \\r\\n, which this protocol takes and others do not" if b"\r" in said else ""


async def apart(check: Check) -> str:
    """PUT and YOUR_MOVE in segments of their own, with time between them; else they come in one."""
    position = check.variant.start()
    async with check.start() as bot:
        bot.tell(*bot.seated(0, position))
        for _ in range(2):
            await asyncio.sleep(QUIET_S)
            move = await bot.ask(position)
            position = position.play(move)
            bot.tell(Moved(0, move, position))
            move = at_random(position, check.rng)
            position = position.play(move)
            bot.tell(Moved(1, move, position))
    return ""


def series(opponent: Opponent) -> Callable[[Check], Awaitable[str]]:
    """A step that plays four rounds on one connection, in which the sides begin in turn."""

    async def run(check: Check) -> str:
        async with check.start() as bot:
            return ", ".join(await _rounds(bot, check, opponent))

    return run


async def _rounds(bot: Candidate, check: Check, opponent: Opponent) -> list[str]:
    results = []
    for number in range(1, ROUNDS + 1):
        seat, position = (number + 1) % 2, check.variant.start()
        before = bot.seated(seat, position, number, ROUNDS)
        position = await play(bot, seat, opponent, position, check.rng, before, last=number == ROUNDS)
        results.append(result(position, seat))
    return results


async def no_errors(check: Check) -> str:
    """Whatever it says is a command: an error would cost nothing, but shows that it says something else."""
    async with check.start() as bot:
        await _rounds(bot, check, never_wins)
        errors = [line for line in bot.tap.since(0, "<").split(b"\n") if line.startswith(b"Error")]
        if errors:
            said = bot.evidence("bad_output", unfinished=_refused(bot))
            raise Failed(card("unknown_command", said), bot.wire())
    return ""


def _refused(bot: Candidate) -> str:
    """The first line that is no command."""
    known = bot.adapter.commands
    lines = bot.tap.since(0).decode(errors="backslashreplace").splitlines()
    return next((line for line in lines if not line.upper().split()[:1] or line.upper().split()[0] not in known), "")


async def long_rounds(check: Check) -> str:
    """The opponent plays for full boards; whether it gets them is also the bot's choice."""
    async with check.start() as bot:
        results = await _rounds(bot, check, holds)
    return f"{results.count('drew')} of {ROUNDS} rounds were drawn"


async def new_game_in_the_middle(check: Check) -> str:
    """As after a restart of the arena: the round begins again and the board is empty."""
    async with check.start() as bot:
        await some_moves(bot, check)
        position = check.variant.start()
        try:
            await play(bot, 1, at_random, position, check.rng, bot.seated(1, position))
        except Failed as failed:
            detail = f"Behind a NEW_GAME in the middle of a round it failed: {failed.card.title}."
            raise Failed(card("not_reset", bot.evidence("illegal_move", detail=detail)), failed.wire) from None
    return ""


async def full_channel(check: Check) -> str:
    """It may end, or try again in its own time."""
    async with check.command.start() as bot:
        bot.joins_refused = True
        ended = False
        try:
            async with asyncio.timeout(WAIT_WHEN_FULL_S):
                await bot.ready()
        except TimeoutError:
            pass
        except Failed as failed:
            ended = failed.card.code != "flood"
        tries = bot.tap.since(0).upper().count(b"JOIN")
        if tries > TRIES_WHEN_FULL:
            raise bot.failed("bad_output", reason=f"it sent more than {TRIES_WHEN_FULL} JOINs in a second")
    return "ends" if ended else f"waits; {tries} JOIN in {WAIT_WHEN_FULL_S:g} s"


STEPS = (
    *FIRST,
    Step("name_and_join", "says its name and joins a channel", name_and_join),
    Step("line_ends", "ends its commands with a newline", line_ends),
    IN_PIECES,
    Step("apart", "reads each line by itself", apart),
    Step("series", "plays four rounds on one connection", series(at_random)),
    Step("series_of_losses", "goes on after rounds that it loses", series(is_strong)),
    Step("series_of_wins", "goes on after rounds that it wins", series(never_wins)),
    Step("full_columns", "plays no full column", series(fills_columns)),
    Step("long_rounds", "plays four long rounds, and goes on after a draw", long_rounds),
    Step("no_errors", "says nothing but commands", no_errors),
    Step("new_game_in_the_middle", "begins anew at NEW_GAME in the middle of a round", new_game_in_the_middle),
    Step("full_channel", "takes the error of a full channel", full_channel),
    *LAST,
)
