"""Steps for `santorini-json` (004). A turn contains the whole board, so a bot may be asked about any board."""

from __future__ import annotations

from collections.abc import Callable

from arena.protocols.adapter import Ended, Moved
from arena.protocols.shared_steps import FIRST, IN_PIECES, LAST, some_moves
from arena.protocols.step_matches import at_random, is_strong, never_wins, play, result, takes_wins
from arena.protocols.steps import (
    Acknowledged,
    AskBot,
    Begin,
    NotPassed,
    Script,
    StartBot,
    StayOpen,
    Step,
    StepFailed,
    Table,
    TellBot,
)

# Boards in the notation of the rules: heights row by row from the north-west, seat to move, workers of both sides.
ONLY_A_WIN = "6x6 230040440044000000000000000000100000 0 A6.F6 D1.E1"
ONLY_ONE_TURN = "6x6 004040444044000000000000000000000000 0 A6.F6 D1.E1"
ONE_WORKER_STUCK = "6x6 040000440000000000000000000000000000 0 A6.D3 D1.E1"
CAN_WIN = "6x6 000000000000000000000023000010000000 0 E3.A1 F6.A6"
ONLY_CLIMBS = "6x6 010040110044000000000000000000000100 0 A6.F6 D1.E1"
TOWERS = "6x6 012340432104012340123401234012340123 0 A6.D5 F6.E5"
# Possible names of opponents: one that ends in the added letter, a short one, one of the greatest length.
NAMES = ("b", "ab", "abcdefghijklmnopqrst")
ROUNDS = 3


def boards(*texts: str) -> Callable[[Table], Script]:
    """A step that asks for a turn on each board."""

    def run(table: Table) -> Script:
        said = []
        for position in map(table.variant.parse, texts):
            assert position.to_move is not None, "a board that is asked about has a side to move"
            yield StartBot()
            move: str = yield AskBot(position, [Begin(position.to_move, position)])
            said.append(move)
        return f"plays {', '.join(said)}"

    return run


def registers(table: Table) -> Script:
    name: str = yield StartBot()
    return f"calls itself {name}" if name else "does not say its name, and need not"


def taken_square(table: Table) -> Script:
    """The bot's favourite square is taken by its opponent."""
    start = table.variant.start()
    yield StartBot()
    best: str = yield AskBot(start, [Begin(0, start)])
    taken = start.play(best)
    yield StartBot()
    other: str = yield AskBot(taken, [Begin(1, start), Moved(0, best, taken)])
    return f"places on {best}, and on {other} when that is taken"


def like_itself(table: Table) -> Script:
    """Two equal names are told apart by a `b` after the second one, also in the names of its workers."""
    own: str = yield StartBot()
    name, position = own or "player", table.variant.start()
    yield from play(table, 0, at_random, position, [Begin(0, position, opponent=name)])
    return f"plays {name}b"


def names(table: Table) -> Script:
    for name in NAMES:
        yield StartBot()
        position = table.variant.start()
        yield from play(table, 1, at_random, position, [Begin(1, position, opponent=name)])
    return f"plays {', '.join(NAMES)}"


def series(table: Table) -> Script:
    """Three matches on one connection, each acknowledged, then the end of the tournament."""
    yield StartBot()
    yield StayOpen()
    results = []
    for number, opponent in enumerate((takes_wins, is_strong, never_wins)):
        seat, position = number % 2, table.variant.start()
        before = [Begin(seat, position, number + 1, ROUNDS)]
        last = number == ROUNDS - 1
        position = yield from play(table, seat, opponent, position, before, last=last)
        results.append(result(position, seat))
        yield Acknowledged()
    return ", ".join(results)


def opponent_broke_a_rule(table: Table) -> Script:
    yield StartBot()
    yield StayOpen()
    position = yield from some_moves(table)
    yield TellBot([Ended(0, "illegal_move", "the opponent broke a rule", position, last=False)])
    yield Acknowledged()
    return (yield from _play_again(table))


def new_game_in_the_middle(table: Table) -> Script:
    """As after a restart of the arena: the match starts over on an empty board."""
    yield StartBot()
    position = yield from some_moves(table)
    yield TellBot([Ended(None, "server_abort", "the arena was stopped", position, last=False)])
    try:
        return (yield from _play_again(table))
    except StepFailed as failed:
        detail = f"Behind a new_game in the middle of a match it failed: {failed.title}."
        raise NotPassed("not_reset", "illegal_move", detail=detail) from None


def _play_again(table: Table) -> Script:
    position = table.variant.start()
    position = yield from play(table, 1, at_random, position, [Begin(1, position)])
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
    Step("new_game_in_the_middle", "starts over at new_game in the middle of a match", new_game_in_the_middle),
    *LAST,
)
