"""Steps for `native`. Each turn lists its legal moves, so a bot may be asked about any position of its variant."""

from __future__ import annotations

import json

from arena.protocols.shared_steps import FIRST, IN_PIECES, LAST
from arena.protocols.step_matches import at_random, is_strong, play, rounds, takes_wins
from arena.protocols.steps import (
    AnswersDeadline,
    AskAgain,
    AskBot,
    Begin,
    LastLine,
    NotPassed,
    Script,
    StartBot,
    Step,
    Table,
    TellBot,
    Written,
)

ROUNDS = 4
MIDDLE = 5
AGAIN_S = 1.0


def says_hello(table: Table) -> Script:
    name: str = yield StartBot()
    return f"calls itself {name}"


def pong(table: Table) -> Script:
    """A ping during the opponent's turn."""
    yield StartBot()
    yield TellBot([Begin(1, table.variant.start())])
    answers: bool = yield AnswersDeadline("ping", b'"pong"')
    if not answers:
        raise NotPassed("", "stall", expected='{"type": "pong"}')
    return ""


def asked_again(table: Table) -> Script:
    """An answer is refused and the turn goes on. A bot that insists on its move may let the clock end it."""
    position = table.variant.start()
    yield StartBot()
    yield AskBot(position, [Begin(0, position)])
    again: str = yield AskAgain(position, AGAIN_S)
    if not again:
        return "it does not: a move that is refused would cost it the match by the clock"
    return f"answers {(yield LastLine())}"


def from_the_middle(table: Table) -> Script:
    """As after a restart of the arena: the match continues from its position."""
    position = table.variant.start()
    for _ in range(MIDDLE):
        position = position.play(at_random(table, position))
    seat = position.to_move
    if seat is None:
        return "a match of this variant can be shorter"
    yield StartBot()
    yield from play(table, seat, at_random, position)
    return ""


def series(table: Table) -> Script:
    """Several rounds on one connection; the sides take turns to begin."""
    yield StartBot()
    return ", ".join((yield from rounds(table, ROUNDS, takes_wins, is_strong)))


def no_refusals(table: Table) -> Script:
    """No message may be refused: a refusal costs nothing, but shows that the bot sends something else."""
    yield StartBot()
    yield from play(table, 0, at_random, table.variant.start())
    written: bytes = yield Written(to_bot=True)
    for line in written.splitlines():
        refused = json.loads(line)
        if refused["type"] == "refused":
            said = {key: refused[key] for key in ("received", "expected")}
            raise NotPassed("bad_output", "bad_output", **said)
    return ""


STEPS = (
    *FIRST,
    Step("says_hello", "says hello and its name", says_hello),
    IN_PIECES,
    Step("pong", "answers a ping", pong),
    Step("asked_again", "takes a refusal of its move", asked_again),
    Step("from_the_middle", "goes on with a match from its middle", from_the_middle),
    Step("series", "plays four rounds on one connection", series),
    Step("no_refusals", "says nothing that is refused", no_refusals),
    *LAST,
)
