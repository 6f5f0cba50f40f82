"""A child process that does not answer in a match: whether it computes, or waits while its answer lies in a buffer."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.failure.cards import Card
from arena.bots.failure.failure import card_of
from arena.bots.process.child import ChildBot
from arena.bots.process.sandbox import Sandbox
from arena.protocols.fiar.adapter import Fiar
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.bots.conformance.test_candidate import SETVBUF
from tests.bots.sandboxed import LEVELS, box
from tests.bots.sitting import Other
from tests.kit.refereeing import refereeing
from tests.kit.until import until

BUFFERS = "import sys\nout = open(1, 'w', buffering=4096)\nfor line in sys.stdin: out.write('4\\n')"
READS_ON = "import sys\nwhile True: sys.stdin.readline(), sys.stdin.readline(), print(4, flush=True)"
COMPUTES = "import sys\nsys.stdin.readline()\nwhile True: pass"
SLEEPS = "import sys, time\nsys.stdin.readline()\ntime.sleep(600)"
CLOCK = "1s"


async def card(argv: Sequence[str], folder: Path, sandbox: Sandbox | None = None) -> Card:
    """Why this bot lost as the first to move."""
    async with refereeing() as referee:
        bot = ChildBot(referee, Fiar, argv, "hoarder", folder, sandbox)
        room = LiveRoom(referee, Plan("connect-four-7x6", clock=CLOCK))
        room.sit(bot)
        room.sit(Other())
        try:
            await room.begin()
            await until(lambda: room.live is not None and room.live.over)
            assert room.live is not None
            found = card_of(room.live)
        finally:
            await bot.close()
    assert found is not None
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("bots", "ready_s", "expected"),
    # Who computes is given less time, because that is what it takes of the processor.
    [((BUFFERS, READS_ON), 6.0, "not_flushed"), ((COMPUTES, SLEEPS), 0.5, "start_too_slow")],
)
async def test_a_match_tells_waiting_from_computing(
    bots: Sequence[str], ready_s: float, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fiar, "ready_s", ready_s)
    found = await asyncio.gather(*(card([sys.executable, "-c", code], tmp_path) for code in bots))
    assert [each.code for each in found] == [expected] * len(bots)


@pytest.mark.long
async def test_a_bot_in_c_that_buffers_on_purpose_is_told_to_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fiar, "ready_s", 6.0)
    (tmp_path / "bot.c").write_text(SETVBUF)
    subprocess.run(["gcc", "-o", tmp_path / "bot", tmp_path / "bot.c"], check=True)
    found = await card(["./bot"], tmp_path)
    assert found.code == "not_flushed"
    assert "unflushed" in found.sentence and "waits for a second line" in found.sentence
    assert dict(found.facts)["asked"] == "@ " + "." * 42


@pytest.mark.long
async def test_it_is_seen_in_the_sandbox_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fiar, "ready_s", 6.0)
    async with box() as made:
        bots = (card(["python3", "-c", BUFFERS], made.folder, Sandbox(level)) for level in LEVELS)
        found = await asyncio.gather(*bots)
    assert [each.code for each in found] == ["not_flushed"] * len(LEVELS)
