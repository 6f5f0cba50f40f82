"""Steps for `nyu-nim` (002). A request contains the whole position, and a process plays one match.

There is no step with a split request: the arena never splits one, and a known client fails on it.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.protocols.shared_steps import FIRST, LAST
from arena.protocols.step_matches import Opponent, play, result, takes_wins
from arena.protocols.steps import AskBot, Begin, LastLine, MovesMade, Script, StartBot, Step, StepFailed, Table, Written
from games import Position

# Positions in the notation of the rules: stones left, b and c as on the wire, seat to move, resets left.
ONE_LEFT = ("100 4/4 1 b3 c0 s0 4/4 p60", "100 4/4 1 b20 c1 s1 3/4 p21")
FEW_LEFT = tuple(f"100 4/4 {left} b9 c0 s0 4/4 p20" for left in (2, 3, 4, 5, 9))
BOUND = tuple(f"100 4/4 {left} b9 c1 s0 4/3 p20" for left in (50, 4, 3, 2))
GROWN = tuple(f"100 4/4 {left} b{largest} c0 s0 4/4 p4" for left, largest in ((96, 2), (80, 3), (70, 10), (60, 30)))
FEW_STONES = (1, 2, 3, 7)
LONG_MATCHES = 3
# The protocol's own judge allowed one reset a player, the course four.
JUDGE_S_RESETS = 1


def takes_one(table: Table, position: Position) -> str:
    """An opponent that makes the match as long as possible."""
    return "1"


def resets(table: Table, position: Position) -> str:
    """An opponent that resets with every move while it can."""
    return next((move for move in position.legal_moves() if move.endswith("r")), "1")


def states(texts: tuple[str, ...]) -> Callable[[Table], Script]:
    """A step that asks about each position in a new process."""

    def run(table: Table) -> Script:
        said = []
        for position in map(table.variant.parse, texts):
            assert position.to_move is not None, "a position that is asked about has a side to move"
            yield StartBot()
            yield AskBot(position, [Begin(position.to_move, position)])
            said.append((yield LastLine()))
        return f"answers {', '.join(said)}"

    return run


def long_match(opponent: Opponent) -> Callable[[Table], Script]:
    """A step that plays long matches, in which the bot must count its own resets."""

    def run(table: Table) -> Script:
        most = 0
        for number in range(LONG_MATCHES):
            yield StartBot()
            yield from play(table, number % 2, opponent, table.variant.start())
            moves: list[str] = yield MovesMade()
            most = max(most, sum(move.endswith("r") for move in moves))
        note = f"at most {most} resets in a match"
        return note if most <= JUDGE_S_RESETS else f"{note}; the protocol's own judge allowed {JUDGE_S_RESETS}"

    return run


def few_stones(table: Table) -> Script:
    results = []
    for stones in FEW_STONES:
        yield StartBot()
        position = yield from play(table, 0, takes_wins, table.variant.start(stones=stones))
        results.append(f"{result(position, 0)} with {stones}")
    return ", ".join(results)


def a_thousand_stones(table: Table) -> Script:
    """The text ends at 100 stones; a bot that cannot count further only gets a note."""
    position = table.variant.start(stones=1000)
    try:
        yield StartBot()
        yield AskBot(position, [Begin(0, position)])
        return f"answers {(yield LastLine())}"
    except StepFailed as failed:
        return f"it cannot, and need not: the text ends at 100 ({failed.code})"


def form(table: Table) -> Script:
    position = table.variant.start()
    yield StartBot()
    yield AskBot(position, [Begin(0, position)])
    said: bytes = yield Written()
    return "" if said.strip() == said else "there is white space around it, which is tolerated"


STEPS = (
    *FIRST,
    Step("form", "answers with two numbers and nothing else", form),
    Step("one_stone_left", "takes the last stone", states(ONE_LEFT)),
    Step("few_left", "takes no more stones than there are", states(FEW_LEFT)),
    Step("bound_by_a_reset", "takes at most three behind a reset", states(BOUND)),
    Step("grown_limit", "takes at most one more than the largest take", states(GROWN)),
    Step("counts_its_resets", "resets at most four times in a long match", long_match(takes_one)),
    Step("opponent_resets", "plays against one that always resets", long_match(resets)),
    Step("few_stones", "plays matches of one to seven stones", few_stones),
    Step("a_thousand_stones", "counts to a thousand, if it can", a_thousand_stones),
    *LAST,
)
