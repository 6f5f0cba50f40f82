"""Steps for `gamestate` (000). A process plays only one match, so each board is asked in a new process."""

from __future__ import annotations

from arena.protocols.adapter import Moved
from arena.protocols.column_steps import answers, steps
from arena.protocols.shared_steps import FIRST, IN_PIECES, LAST
from arena.protocols.steps import AskBot, Begin, LeaveTime, Script, StartBot, Step, Table, TellBot

# The board from the protocol's text, in the notation of the rules.
EXAMPLE = "8x8 .......x.x.....x.x.x...x.o.o...oxx.o...xxo.o..oxoxxx.oooooxoooxx"


def lines_apart(table: Table) -> Script:
    """Each line comes in its own segment, with pauses between them; normally they come in one."""
    position = table.variant.start()
    yield StartBot()
    yield TellBot([Begin(0, position)])
    yield LeaveTime()
    move: str = yield AskBot(position)
    position = position.play(move)
    yield TellBot([Moved(0, move, position)])
    yield LeaveTime()
    other = position.legal_moves()[0]
    after = position.play(other)
    yield TellBot([Moved(1, other, after)])
    yield LeaveTime()
    yield AskBot(after)
    return ""


def example_of_the_text(table: Table) -> Script:
    (said,) = yield from answers([table.variant.parse(EXAMPLE)], keeps_its_process=False)
    return "answers 4 and wins" if said == "4" else f"answers {said}; 4 wins"


STEPS = (
    *FIRST,
    Step("lines_apart", "reads each line by itself", lines_apart),
    IN_PIECES,
    Step("example_of_the_text", "answers the board that the protocol's text shows", example_of_the_text),
    *steps(keeps_its_process=False),
    *LAST,
)
