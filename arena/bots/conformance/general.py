"""Steps that every protocol has: both seats, whole matches, timing, the end, and starting again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random
from statistics import median

from arena.bots.conformance.candidate import QUIET_S, Candidate
from arena.bots.conformance.check import SEED, Check, Step
from arena.bots.conformance.matches import Opponent, at_random, play, result, takes_wins
from arena.protocols.adapter import Ended, Moved, ToBot
from games import Position

MATCHES = 3
SLOW_S = 0.1
# Moves of each side before a match is broken off.
FEW = 2


def against(opponent: Opponent, seat: int) -> Callable[[Check], Awaitable[str]]:
    """A step that plays a whole match against this opponent."""

    async def run(check: Check) -> str:
        async with check.start() as bot:
            position = await play(bot, seat, opponent, check.variant.start(), check.rng)
        return f"{result(position, seat)} after {position.ply} moves"

    return run


async def first_answer(check: Check) -> str:
    position = check.variant.start()
    async with check.start() as bot:
        await bot.ask(position, *bot.seated(0, position))
        return f"answers {bot.said()}"


async def second_seat(check: Check) -> str:
    before = check.variant.start()
    move = at_random(before, check.rng)
    position = before.play(move)
    async with check.start() as bot:
        await bot.ask(position, *bot.seated(1, before), Moved(0, move, position))
        return f"answers {bot.said()}"


async def quiet_at_start(check: Check) -> str:
    async with check.start() as bot:
        bot.tell(*bot.seated(1, check.variant.start()))
        await bot.until_acknowledged()
        await bot.quiet("before_asked", starts=True)
    return ""


async def quiet_behind_answer(check: Check) -> str:
    position = check.variant.start()
    async with check.start() as bot:
        move = await bot.ask(position, *bot.seated(0, position))
        bot.tell(Moved(0, move, position.play(move)))
        await bot.quiet("answered_twice")
    return ""


async def in_pieces(check: Check) -> str:
    async with check.start(in_pieces=True) as bot:
        position = await play(bot, 1, at_random, check.variant.start(), check.rng)
    return f"{position.ply} moves"


async def slow_reader(check: Check) -> str:
    async with check.start() as bot:
        position = check.variant.start()
        news = bot.seated(0, position)
        for _ in range(FEW):
            if position.to_move is None:
                break
            position, news = await _both_move(bot, check, position, news, SLOW_S)
    return ""


async def several_matches(check: Check) -> str:
    results = []
    for number in range(MATCHES):
        async with check.start() as bot:
            position = await play(bot, number % 2, takes_wins, check.variant.start(), check.rng)
        results.append(result(position, number % 2))
    return ", ".join(results)


async def same_match_twice(check: Check) -> str:
    played = []
    for _ in range(2):
        async with check.start() as bot:
            await play(bot, 0, at_random, check.variant.start(), Random(SEED))
            played.append(bot.moves)
    return "the same moves" if played[0] == played[1] else "other moves: it plays with chance or by the clock"


async def early_end(check: Check) -> str:
    """The opponent is gone before the bot was asked for anything, then the bot starts anew."""
    position = check.variant.start()
    async with check.start() as bot:
        bot.tell(*bot.seated(1, position))
        bot.tell(Ended(1, "disconnect", "the opponent is gone", position))
    return await first_answer(check)


async def opponent_gone(check: Check) -> str:
    """The opponent is gone in the middle of a match, then the bot starts anew."""
    async with check.start() as bot:
        position = await some_moves(bot, check)
        bot.tell(Ended(0, "disconnect", "the opponent is gone", position))
    return await first_answer(check)


async def end_of_match(check: Check) -> str:
    async with check.start() as bot:
        bot.tap.stays_open = True
        await play(bot, 0, takes_wins, check.variant.start(), check.rng)
        await bot.until_acknowledged()
        await bot.quiet("spoke_after_end", 2 * QUIET_S)
        return await _let_go(bot)


async def end_of_input(check: Check) -> str:
    async with check.start() as bot:
        await some_moves(bot, check)
        return await _let_go(bot)


async def reply_time(check: Check) -> str:
    replies = sorted(seconds * 1000 for seconds in check.replies)
    if not replies:
        return ""
    limit = check.command.answer_s
    return f"{len(replies)} answers, median {median(replies):.1f} ms, longest {replies[-1]:.0f} ms of {limit:g} s"


async def _let_go(bot: Candidate) -> str:
    """End its input and see what it does; both ways are good."""
    bot.tap.stays_open = True
    bot.tap.end_input()
    if not await bot.exits(1.0) or bot.process is None:
        return "goes on without input: it is killed, as at the end of every match"
    return f"ends by itself with {bot.process.exit_words}"


async def some_moves(bot: Candidate, check: Check) -> Position:
    """A match that has begun, with the bot on the first seat; its opponent has moved last."""
    position = check.variant.start()
    news = bot.seated(0, position)
    for _ in range(FEW):
        position, news = await _both_move(bot, check, position, news)
    bot.tell(*news)
    return position


async def _both_move(
    bot: Candidate, check: Check, position: Position, news: list[ToBot], late_s: float = 0.0
) -> tuple[Position, list[ToBot]]:
    """The bot on the first seat, then its opponent; the news of the last move are still to be told."""
    for seat in (0, 1):
        if seat == 0:
            move = await bot.ask(position, *news, late_s=late_s)
        else:
            bot.tell(*news)
            move = at_random(position, check.rng)
        position = position.play(move)
        news = [Moved(seat, move, position)]
    return position, news


FIRST = (
    Step("first_answer", "answers the first question with a legal move", first_answer),
    Step("second_seat", "answers as the second player", second_seat),
    Step("quiet_at_start", "says nothing before it is asked", quiet_at_start),
    Step("quiet_behind_answer", "says nothing behind its answer", quiet_behind_answer),
    Step("first_against_random", "plays a match as the first player", against(at_random, 0)),
    Step("second_against_random", "plays a match as the second player", against(at_random, 1)),
    Step("first_against_win_taker", "plays first against one that takes every win", against(takes_wins, 0)),
    Step("second_against_win_taker", "plays second against one that takes every win", against(takes_wins, 1)),
)
LAST = (
    Step("slow_reader", "waits when its answers are read late", slow_reader),
    Step("several_matches", "plays three matches, each in a fresh process", several_matches),
    Step("same_match_twice", "plays the same match again in a fresh process", same_match_twice),
    Step("early_end", "starts anew after a match that ended before its first move", early_end),
    Step("opponent_gone", "starts anew after its opponent went in the middle", opponent_gone),
    Step("end_of_match", "says nothing when the match is over", end_of_match),
    Step("end_of_input", "may end or go on when its input ends in the middle", end_of_input),
    Step("reply_time", "has answered in time", reply_time),
)
IN_PIECES = Step("in_pieces", "reads what arrives byte by byte", in_pieces)
