"""What matches append, and a future for the ledger's answer: for the tests of the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from arena.core.ledger import Ledger
from arena.match.commands import Command, Pause, Play, Resume, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import evolve, replay
from arena.match.state import LogEvent, SeatSetup, Setup
from tests.kit.deadline import DEADLINE_S

NOW = datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)
SETUP = Setup(
    "connect-four-7x6",
    (SeatSetup("Ada", holder="ab" * 32), SeatSetup("gravity", "bot", protocol="droidcon", on_illegal="lose")),
    clock="1m+1s",
)
A_WHOLE_MATCH: list[Command] = [
    Start(),
    Play(0, 1, "4", "session 7"),
    Pause("storage fails"),
    Resume("staff 1"),
    Play(1, 2, "3", given_back_ms=300),
    *[Play(ply % 2, ply + 1, text) for ply, text in enumerate("43434", start=2)],
]


def the_appends(commands: Sequence[Command] = A_WHOLE_MATCH, setup: Setup = SETUP) -> list[tuple[LogEvent, ...]]:
    """What a match appends for these commands, one after another."""
    appends = [open_match(setup, NOW)]
    state = replay(appends[0])
    for number, command in enumerate(commands, start=1):
        events = decide(state, command, NOW + timedelta(milliseconds=number), 500)
        appends.append(events)
        for event in events:
            state = evolve(state, event)
    return appends


OPENED, STARTED, FIRST_MOVE, *_ = the_appends()


def appended(ledger: Ledger, match: str, events: tuple[LogEvent, ...]) -> asyncio.Future[Exception | None]:
    """A future for the ledger's answer: None, or what went wrong."""
    answer: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    ledger.append(match, events, answer.set_result)
    return answer


async def answers(*waiting: asyncio.Future[Exception | None]) -> list[Exception | None]:
    async with asyncio.timeout(DEADLINE_S):
        return await asyncio.gather(*waiting)


async def stored(ledger: Ledger, match: str, *appends: tuple[LogEvent, ...]) -> None:
    for events in appends:
        assert await answers(appended(ledger, match, events)) == [None]
