"""Steps for `fiar` (001). Each question is a whole board, so one process may be asked about any."""

from __future__ import annotations

from arena.bots.conformance.check import Check, Step
from arena.bots.conformance.connect_four import answers, steps
from arena.bots.conformance.general import FIRST, IN_PIECES, LAST
from arena.bots.conformance.matches import play, result, takes_wins

# Boards that the protocol's text shows, in the notation of the rules.
EXAMPLES = (
    "7x6 ................................o......x..",
    "7x6 ................................o......x.x",
)
ROUNDS = 4


async def one_process(check: Check) -> str:
    """Both signs in turn on one process: the board that is sent is all that counts."""
    results = []
    async with check.start() as bot:
        for number in range(ROUNDS):
            last = number == ROUNDS - 1
            position = await play(bot, number % 2, takes_wins, check.variant.start(), check.rng, last=last)
            results.append(result(position, number % 2))
    return ", ".join(results)


async def asked_again(check: Check) -> str:
    """As after an illegal answer: the same line comes again, and wants an answer again."""
    position = check.variant.start()
    async with check.start() as bot:
        await bot.ask(position, *bot.seated(0, position))
        first = bot.said()
        await bot.ask_again(position)
        return f"answers {first}, then {bot.said()}"


async def examples_of_the_text(check: Check) -> str:
    said = await answers(check, [check.variant.parse(text) for text in EXAMPLES], keeps_its_process=True)
    return f"answers {' '.join(said)}"


async def line_ends(check: Check) -> str:
    position = check.variant.start()
    async with check.start() as bot:
        await bot.ask(position, *bot.seated(0, position))
        said = bot.tap.since(0)
    return "ends its lines with \\r\\n, which this protocol takes and gamestate does not" if b"\r" in said else ""


STEPS = (
    *FIRST,
    IN_PIECES,
    Step("line_ends", "ends its answers with a newline", line_ends),
    Step("asked_again", "answers again when the same line comes again", asked_again),
    Step("one_process", "plays several matches in one process", one_process),
    Step("examples_of_the_text", "answers the boards that the protocol's text shows", examples_of_the_text),
    *steps(keeps_its_process=True),
    *LAST,
)
