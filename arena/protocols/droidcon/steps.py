"""Steps for `droidcon` (003). The board is never sent: the bot only sees its opponent's moves."""

from __future__ import annotations

from collections.abc import Callable

from arena.protocols.adapter import Moved
from arena.protocols.droidcon.adapter import Droidcon, words
from arena.protocols.shared_steps import FIRST, IN_PIECES, LAST, line_ends, some_moves
from arena.protocols.step_matches import Opponent, at_random, holds, is_strong, never_wins, play, rounds, wins_in
from arena.protocols.steps import (
    AskBot,
    Begin,
    LeaveTime,
    NotPassed,
    Script,
    StartBot,
    StartRefused,
    Step,
    StepFailed,
    Table,
    TellBot,
    Written,
)
from games import Position

ROUNDS = 4
# A refused bot may try again, but not in a loop without pauses.
TRIES_WHEN_FULL = 10
WAIT_WHEN_FULL_S = 1.0


def fills_columns(table: Table, position: Position) -> str:
    """An opponent that never wins and fills the columns one by one from the left."""
    moves, wins = position.legal_moves(), wins_in(position)
    return next((move for move in moves if move not in wins), moves[0])


def name_and_join(table: Table) -> Script:
    yield StartBot()
    said: bytes = yield Written()
    return ", ".join(line.decode(errors="backslashreplace") for line in said.split(b"\n") if line)


def apart(table: Table) -> Script:
    """PUT and YOUR_MOVE come in separate segments with a pause between them; normally they come in one."""
    position = table.variant.start()
    yield StartBot()
    yield TellBot([Begin(0, position)])
    for _ in range(2):
        yield LeaveTime()
        move: str = yield AskBot(position)
        position = position.play(move)
        yield TellBot([Moved(0, move, position)])
        move = at_random(table, position)
        position = position.play(move)
        yield TellBot([Moved(1, move, position)])
    return ""


def series(opponent: Opponent) -> Callable[[Table], Script]:
    """A step that plays four rounds on one connection; the sides take turns to begin."""

    def run(table: Table) -> Script:
        yield StartBot()
        return ", ".join((yield from rounds(table, ROUNDS, opponent)))

    return run


def no_errors(table: Table) -> Script:
    """Every line must be a command: an error would cost nothing, but shows that the bot prints something else."""
    yield StartBot()
    yield from rounds(table, ROUNDS, never_wins)
    told: bytes = yield Written(to_bot=True)
    if any(line.startswith(b"Error") for line in told.split(b"\n")):
        said: bytes = yield Written()
        raise NotPassed("unknown_command", "bad_output", unfinished=_refused(said))
    return ""


def _refused(said: bytes) -> str:
    """The first line that is not a command."""
    known = [command.encode() for command in Droidcon.commands]
    refused = (line for line in said.splitlines() if words(line)[0].upper() not in known)
    return next(refused, b"").decode(errors="backslashreplace")


def long_rounds(table: Table) -> Script:
    """The opponent plays for full boards; whether it gets them also depends on the bot."""
    yield StartBot()
    results = yield from rounds(table, ROUNDS, holds)
    return f"{results.count('drew')} of {ROUNDS} rounds were drawn"


def new_game_in_the_middle(table: Table) -> Script:
    """As after a restart of the arena: the round starts over on an empty board."""
    yield StartBot()
    yield from some_moves(table)
    position = table.variant.start()
    try:
        yield from play(table, 1, at_random, position, [Begin(1, position)])
    except StepFailed as failed:
        detail = f"Behind a NEW_GAME in the middle of a round it failed: {failed.title}."
        raise NotPassed("not_reset", "illegal_move", detail=detail) from None
    return ""


def full_channel(table: Table) -> Script:
    """The bot may exit, or try again after a pause."""
    failed: str = yield StartRefused(WAIT_WHEN_FULL_S)
    said: bytes = yield Written()
    tries = said.upper().count(b"JOIN")
    if tries > TRIES_WHEN_FULL:
        raise NotPassed("", "bad_output", reason=f"it sent more than {TRIES_WHEN_FULL} JOINs in a second")
    ended = failed not in ("", "flood")
    return "ends" if ended else f"waits; {tries} JOIN in {WAIT_WHEN_FULL_S:g} s"


STEPS = (
    *FIRST,
    Step("name_and_join", "says its name and joins a channel", name_and_join),
    Step("line_ends", "ends its commands with a newline", line_ends("others do")),
    IN_PIECES,
    Step("apart", "reads each line by itself", apart),
    Step("series", "plays four rounds on one connection", series(at_random)),
    Step("series_of_losses", "goes on after rounds that it loses", series(is_strong)),
    Step("series_of_wins", "goes on after rounds that it wins", series(never_wins)),
    Step("full_columns", "plays no full column", series(fills_columns)),
    Step("long_rounds", "plays four long rounds, and goes on after a draw", long_rounds),
    Step("no_errors", "says nothing but commands", no_errors),
    Step("new_game_in_the_middle", "starts over at NEW_GAME in the middle of a round", new_game_in_the_middle),
    Step("full_channel", "takes the error of a full channel", full_channel),
    *LAST,
)
