"""The card of a match that has just been played."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.bots.failure import card_of
from arena.bots.local import LocalMatches, Order
from arena.bots.seats import BuiltinSeat, CommandSeat
from arena.hub import Live


async def played(folder: Path, code: str) -> Live:
    """A match of a fiar bot, on the first seat, against a built-in player."""
    (folder / "bot.py").write_text(code)
    seats = CommandSeat("fiar", (sys.executable, "bot.py")), BuiltinSeat("random")
    ended: list[Live] = []
    order = Order("connect-four-7x6", seats, clock="5s", cwd=folder)
    await LocalMatches(order, lambda round, live: None, lambda round, live: ended.append(live)).play()
    return ended[0]


async def test_the_card_has_the_wire_of_the_match(tmp_path: Path) -> None:
    card = card_of(await played(tmp_path, "import sys\nfor line in sys.stdin: print('hello there')"))
    assert card is not None
    assert card.code == "debug_output"
    facts = dict(card.facts)
    assert facts["received"] == "hello there"
    assert facts["asked"] == "@ .........................................."


async def test_a_match_without_a_failure_has_no_card(tmp_path: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print(line.split()[1].index('.') + 1)"
    assert card_of(await played(tmp_path, code)) is None
