"""Steps for every protocol: both seats, whole matches, timing, the end, and starting again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from arena.protocols.adapter import Ended, Moved
from arena.protocols.step_matches import Opponent, at_random, play, result, takes_wins
from arena.protocols.steps import (
    QUIET_S,
    Acknowledged,
    AskBot,
    Begin,
    BeQuiet,
    Doing,
    EndInput,
    LastLine,
    MovesMade,
    News,
    Script,
    StartBot,
    StayOpen,
    Step,
    Table,
    TellBot,
    Written,
)
from games import Position

if TYPE_CHECKING:
    from random import Random

MATCHES = 3
SLOW_S = 0.1
# How many moves each side makes before a match is broken off.
FEW = 2


def against(opponent: Opponent, seat: int) -> Callable[[Table], Script]:
    """A step that plays a whole match against this opponent on this seat of the bot."""

    def run(table: Table) -> Script:
        yield StartBot()
        position = yield from play(table, seat, opponent, table.variant.start())
        return f"{result(position, seat)} after {position.ply} moves"

    return run


def first_answer(table: Table) -> Script:
    position = table.variant.start()
    yield StartBot()
    yield AskBot(position, [Begin(0, position)])
    return f"answers {(yield LastLine())}"


def second_seat(table: Table) -> Script:
    before = table.variant.start()
    move = at_random(table, before)
    position = before.play(move)
    yield StartBot()
    yield AskBot(position, [Begin(1, before), Moved(0, move, position)])
    return f"answers {(yield LastLine())}"


def quiet_at_start(table: Table) -> Script:
    yield StartBot()
    yield TellBot([Begin(1, table.variant.start())])
    yield Acknowledged()
    yield BeQuiet("before_asked", starts=True)
    return ""


def quiet_behind_answer(table: Table) -> Script:
    position = table.variant.start()
    yield StartBot()
    move: str = yield AskBot(position, [Begin(0, position)])
    yield TellBot([Moved(0, move, position.play(move))])
    yield BeQuiet("answered_twice")
    return ""


def line_ends(others: str) -> Callable[[Table], Script]:
    """A step that notes line ends which `others` do not take."""

    def run(table: Table) -> Script:
        position = table.variant.start()
        yield StartBot()
        yield AskBot(position, [Begin(0, position)])
        said: bytes = yield Written()
        return f"ends its lines with \\r\\n, which this protocol takes and {others} not" if b"\r" in said else ""

    return run


def in_pieces(table: Table) -> Script:
    yield StartBot(in_pieces=True)
    position = yield from play(table, 1, at_random, table.variant.start())
    return f"{position.ply} moves"


def slow_reader(table: Table) -> Script:
    yield StartBot()
    position = table.variant.start()
    news: Sequence[News] = [Begin(0, position)]
    for _ in range(FEW):
        if position.to_move is None:
            break
        position, news = yield from _both_move(table, position, news, SLOW_S)
    return ""


def several_matches(table: Table) -> Script:
    results = []
    for number in range(MATCHES):
        yield StartBot()
        position = yield from play(table, number % 2, takes_wins, table.variant.start())
        results.append(result(position, number % 2))
    return ", ".join(results)


def same_match_twice(table: Table) -> Script:
    played = []
    for _ in range(2):
        yield StartBot()
        yield from play(table, 0, _with(table.fresh_rng()), table.variant.start())
        played.append((yield MovesMade()))
    return "the same moves" if played[0] == played[1] else "other moves: it plays with chance or by the clock"


def _with(rng: Random) -> Opponent:
    """An opponent that plays random moves from `rng`."""
    return lambda table, position: rng.choice(position.legal_moves())


def early_end(table: Table) -> Script:
    """The opponent leaves before the bot is asked for anything; then the bot is started again."""
    position = table.variant.start()
    yield StartBot()
    yield TellBot([Begin(1, position)])
    yield TellBot([Ended(1, "disconnect", "the opponent is gone", position)])
    return (yield from first_answer(table))


def opponent_gone(table: Table) -> Script:
    """The opponent leaves in the middle of a match; then the bot is started again."""
    yield StartBot()
    position = yield from some_moves(table)
    yield TellBot([Ended(0, "disconnect", "the opponent is gone", position)])
    return (yield from first_answer(table))


def end_of_match(table: Table) -> Script:
    yield StartBot()
    yield StayOpen()
    yield from play(table, 0, takes_wins, table.variant.start())
    yield Acknowledged()
    yield BeQuiet("spoke_after_end", 2 * QUIET_S)
    return (yield from _let_go())


def end_of_input(table: Table) -> Script:
    yield StartBot()
    yield from some_moves(table)
    return (yield from _let_go())


def reply_time(table: Table) -> Script:
    yield from ()
    replies = sorted(seconds * 1000 for seconds in table.replies)
    if not replies:
        return ""
    limit, middle = table.answer_s, (replies[(len(replies) - 1) // 2] + replies[len(replies) // 2]) / 2
    return f"{len(replies)} answers, median {middle:.1f} ms, longest {replies[-1]:.0f} ms of {limit:g} s"


def _let_go() -> Script:
    """End the bot's input and report whether it exits; either is fine."""
    yield StayOpen()
    ended: str = yield EndInput()
    goes_on = "goes on without input: it is killed, as at the end of every match"
    return f"ends by itself with {ended}" if ended else goes_on


def some_moves(table: Table) -> Doing[Position]:
    """Begin a match, with the bot on the first seat, up to a position after the opponent's move."""
    position = table.variant.start()
    news: Sequence[News] = [Begin(0, position)]
    for _ in range(FEW):
        position, news = yield from _both_move(table, position, news)
    yield TellBot(news)
    return position


def _both_move(
    table: Table, position: Position, news: Sequence[News], late_s: float = 0.0
) -> Doing[tuple[Position, Sequence[News]]]:
    """Let the bot on the first seat move, then its opponent; the caller must still tell the news of the last move."""
    for seat in (0, 1):
        if seat == 0:
            move: str = yield AskBot(position, news, late_s)
        else:
            yield TellBot(news)
            move = at_random(table, position)
        position = position.play(move)
        news = [Moved(seat, move, position)]
    return position, news


FIRST = (
    Step("first_answer", "answers the first question with a legal move", first_answer),
    Step("second_seat", "answers as the second player", second_seat),
    Step("quiet_at_start", "says nothing before it is asked", quiet_at_start),
    Step("quiet_behind_answer", "says nothing after its answer", quiet_behind_answer),
    Step("first_against_random", "plays a match as the first player", against(at_random, 0)),
    Step("second_against_random", "plays a match as the second player", against(at_random, 1)),
    Step("first_against_win_taker", "plays first against one that takes every win", against(takes_wins, 0)),
    Step("second_against_win_taker", "plays second against one that takes every win", against(takes_wins, 1)),
)
LAST = (
    Step("slow_reader", "waits when its answers are read late", slow_reader),
    Step("several_matches", "plays three matches, each in a fresh process", several_matches),
    Step("same_match_twice", "plays the same match again in a fresh process", same_match_twice),
    Step("early_end", "starts over after a match that ended before its first move", early_end),
    Step("opponent_gone", "starts over after its opponent left in the middle", opponent_gone),
    Step("end_of_match", "says nothing when the match is over", end_of_match),
    Step("end_of_input", "may end or go on when its input ends in the middle", end_of_input),
    Step("reply_time", "has answered in time", reply_time),
)
IN_PIECES = Step(
    "in_pieces",
    "reads what arrives byte by byte",
    in_pieces,
    "A bot that fails only here takes each read for one message, but a read may bring a part of one, or two at once. "
    "Append what each read brings to a buffer, and take whole messages from its beginning.",
)
