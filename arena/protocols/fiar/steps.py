"""Steps for `fiar` (001). Each request contains a whole board, so one process may be asked about any board."""

from __future__ import annotations

from arena.protocols.column_steps import answers, steps
from arena.protocols.shared_steps import FIRST, IN_PIECES, LAST, line_ends
from arena.protocols.step_matches import play, result, takes_wins
from arena.protocols.steps import AskAgain, AskBot, Begin, LastLine, Script, StartBot, Step, Table

# Boards from the protocol's text, in the notation of the rules.
EXAMPLES = (
    "7x6 ................................o......x..",
    "7x6 ................................o......x.x",
)
ROUNDS = 4


def one_process(table: Table) -> Script:
    """Both signs in turn in one process: only the board that was sent counts."""
    results = []
    yield StartBot()
    for number in range(ROUNDS):
        last = number == ROUNDS - 1
        position = yield from play(table, number % 2, takes_wins, table.variant.start(), last=last)
        results.append(result(position, number % 2))
    return ", ".join(results)


def asked_again(table: Table) -> Script:
    """As after an illegal answer: the same line comes again and needs another answer."""
    position = table.variant.start()
    yield StartBot()
    yield AskBot(position, [Begin(0, position)])
    first: str = yield LastLine()
    yield AskAgain(position)
    return f"answers {first}, then {(yield LastLine())}"


def examples_of_the_text(table: Table) -> Script:
    said = yield from answers([table.variant.parse(text) for text in EXAMPLES], keeps_its_process=True)
    return f"answers {' '.join(said)}"


STEPS = (
    *FIRST,
    IN_PIECES,
    Step("line_ends", "ends its answers with a newline", line_ends("gamestate does")),
    Step("asked_again", "answers again when the same line comes again", asked_again),
    Step("one_process", "plays several matches in one process", one_process),
    Step("examples_of_the_text", "answers the boards that the protocol's text shows", examples_of_the_text),
    *steps(keeps_its_process=True),
    *LAST,
)
