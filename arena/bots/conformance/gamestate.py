"""Steps for `gamestate` (000). A process plays one match, so each board is asked in a process of its own."""

from __future__ import annotations

import asyncio

from arena.bots.conformance.candidate import QUIET_S
from arena.bots.conformance.check import Check, Step
from arena.bots.conformance.connect_four import answers, steps
from arena.bots.conformance.general import FIRST, IN_PIECES, LAST
from arena.protocols.adapter import Moved

# The board that the protocol's text shows, in the notation of the rules.
EXAMPLE = "8x8 .......x.x.....x.x.x...x.o.o...oxx.o...xxo.o..oxoxxx.oooooxoooxx"


async def lines_apart(check: Check) -> str:
    """Each line in a segment of its own, with time between them; else they come in one."""
    position = check.variant.start()
    async with check.start() as bot:
        bot.tell(*bot.seated(0, position))
        await asyncio.sleep(QUIET_S)
        move = await bot.ask(position)
        position = position.play(move)
        bot.tell(Moved(0, move, position))
        await asyncio.sleep(QUIET_S)
        other = position.legal_moves()[0]
        after = position.play(other)
        bot.tell(Moved(1, other, after))
        await asyncio.sleep(QUIET_S)
        await bot.ask(after)
    return ""


async def example_of_the_text(check: Check) -> str:
    (said,) = await answers(check, [check.variant.parse(EXAMPLE)], keeps_its_process=False)
    return "answers 4 and wins" if said == "4" else f"answers {said}; 4 wins"


STEPS = (
    *FIRST,
    Step("lines_apart", "reads each line by itself", lines_apart),
    IN_PIECES,
    Step("example_of_the_text", "answers the board that the protocol's text shows", example_of_the_text),
    *steps(keeps_its_process=False),
    *LAST,
)
