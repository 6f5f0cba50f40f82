"""Steps for `santorini-json` (004). A turn carries the whole board, so a bot may be asked about any."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from arena.bots.conformance.candidate import Candidate, Failed
from arena.bots.conformance.check import Check, Step
from arena.bots.conformance.general import FIRST, IN_PIECES, LAST, some_moves
from arena.bots.conformance.matches import at_random, is_strong, never_wins, play, result, takes_wins
from arena.bots.failure.diagnosis import card
from arena.protocols.adapter import Ended, Moved
from games import Position

# Boards in the notation of the rules: heights row by row from the north-west, whose turn, the workers of both sides.
ONLY_A_WIN = "6x6 230040440044000000000000000000100000 0 A6.F6 D1.E1"
ONLY_ONE_TURN = "6x6 004040444044000000000000000000000000 0 A6.F6 D1.E1"
ONE_WORKER_STUCK = "6x6 040000440000000000000000000000000000 0 A6.D3 D1.E1"
CAN_WIN = "6x6 000000000000000000000023000010000000 0 E3.A1 F6.A6"
ONLY_CLIMBS = "6x6 010040110044000000000000000000000100 0 A6.F6 D1.E1"
TOWERS = "6x6 012340432104012340123401234012340123 0 A6.D5 F6.E5"
# What other players may be called: a letter that ends a name, one letter, as many as a name may have.
NAMES = ("b", "ab", "abcdefghijklmnopqrst")
ROUNDS = 3


def boards(*texts: str) -> Callable[[Check], Awaitable[str]]:
    """A step that asks for a turn on each board."""

    async def run(check: Check) -> str:
        said = []
        for position in map(check.variant.parse, texts):
            assert position.to_move is not None, "a board that is asked about has a side to move"
            async with check.start() as bot:
                said.append(await bot.ask(position, *bot.seated(position.to_move, position)))
        return f"plays {', '.join(said)}"

    return run


async def registers(check: Check) -> str:
    async with check.start() as bot:
        return f"calls itself {bot.name}" if bot.name else "does not say its name, and need not"


async def taken_square(check: Check) -> str:
    """The square that it likes best is its opponent's."""
    start = check.variant.start()
    async with check.start() as bot:
        best = await bot.ask(start, *bot.seated(0, start))
    taken = start.play(best)
    async with check.start() as bot:
        other = await bot.ask(taken, *bot.seated(1, start), Moved(0, best, taken))
    return f"places on {best}, and on {other} when that is taken"


async def like_itself(check: Check) -> str:
    """Two equals are told apart by a `b` behind the second one's name, also in the names of its workers."""
    async with check.start() as bot:
        position = check.variant.start()
        name = bot.name or "player"
        await play(bot, 0, at_random, position, check.rng, bot.seated(0, position, opponent=name))
    return f"plays {name}b"


async def names(check: Check) -> str:
    for name in NAMES:
        async with check.start() as bot:
            position = check.variant.start()
            await play(bot, 1, at_random, position, check.rng, bot.seated(1, position, opponent=name))
    return f"plays {', '.join(NAMES)}"


async def series(check: Check) -> str:
    """Three matches on one connection, each acknowledged, then the end of the tournament."""
    async with check.start() as bot:
        bot.tap.stays_open = True
        results = []
        for number, opponent in enumerate((takes_wins, is_strong, never_wins)):
            seat, position = number % 2, check.variant.start()
            before = bot.seated(seat, position, number + 1, ROUNDS)
            last = number == ROUNDS - 1
            position = await play(bot, seat, opponent, position, check.rng, before, last=last)
            results.append(result(position, seat))
            await bot.until_acknowledged()
    return ", ".join(results)


async def opponent_broke_a_rule(check: Check) -> str:
    async with check.start() as bot:
        bot.tap.stays_open = True
        position = await some_moves(bot, check)
        bot.tell(Ended(0, "illegal_move", "the opponent broke a rule", position, last=False))
        await bot.until_acknowledged()
        return await _play_again(bot, check)


async def new_game_in_the_middle(check: Check) -> str:
    """As after a restart of the arena: the match begins again and the board is empty."""
    async with check.start() as bot:
        position = await some_moves(bot, check)
        bot.tell(Ended(None, "server_abort", "the arena was stopped", position, last=False))
        try:
            return await _play_again(bot, check)
        except Failed as failed:
            detail = f"Behind a new_game in the middle of a match it failed: {failed.card.title}."
            raise Failed(card("not_reset", bot.evidence("illegal_move", detail=detail)), failed.wire) from None


async def _play_again(bot: Candidate, check: Check) -> str:
    position: Position = check.variant.start()
    position = await play(bot, 1, at_random, position, check.rng, bot.seated(1, position))
    return f"the next match: {result(position, 1)}"


STEPS = (
    *FIRST,
    Step("registers", "says its name, or does not", registers),
    IN_PIECES,
    Step("taken_square", "places a worker elsewhere when a square is taken", taken_square),
    Step("win_without_build", "leaves out the build of a winning step", boards(ONLY_A_WIN, CAN_WIN)),
    Step("only_one_turn", "finds the only turn that is left", boards(ONLY_ONE_TURN)),
    Step("one_worker_stuck", "moves the other worker when one is stuck", boards(ONE_WORKER_STUCK)),
    Step("only_climbs", "climbs where every step goes up", boards(ONLY_CLIMBS)),
    Step("towers", "plays between towers and domes", boards(TOWERS)),
    Step("like_itself", "plays an opponent of its own name", like_itself),
    Step("names", "plays opponents of any name", names),
    Step("series", "acknowledges each end, and that of the tournament", series),
    Step("opponent_broke_a_rule", "takes its win when the opponent breaks a rule", opponent_broke_a_rule),
    Step("new_game_in_the_middle", "begins anew at new_game in the middle of a match", new_game_in_the_middle),
    *LAST,
)
