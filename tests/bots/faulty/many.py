"""Matches with faulty bots, many at once: each ends as it should, its opponent is told, and nothing is left.

Each faulty bot a child process and each opponent a connection. Only bots whose fault is to be late have a
short clock.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from arena.bots.failure.failure import card_of
from arena.bots.process.child import ChildBot
from arena.bots.session.connection import Connection
from arena.bots.session.session import Session
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.protocols import protocol
from arena.protocols.adapter import Join, Wish
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from arena.transports import Transport
from tests.bots.faulty.faulty_bot import EARLY, PROTOCOLS
from tests.bots.faulty.rival import Rival, Waits, nothing
from tests.bots.faulty.test_faulty_bots import BOT, ENDINGS, FAULTED
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.listening import listen
from tests.kit.recorder import open_files
from tests.kit.refereeing import refereeing
from tests.kit.until import until

CASES = list(itertools.product(FAULTED, PROTOCOLS))
AT_ONCE = 24
SHORT, LONG = "3s", "60s"
# The last that is told to who keeps the rules when the other has broken them; in the first two texts it is the end of
# the connection, which each of the five has.
LAST_WORDS = {
    "gamestate": b"",
    "fiar": b"",
    "nyu-nim": b"0 0 0 1",
    "droidcon": b"YOU_WON\n",
    "santorini-json": b'["over",{"winner":"rival","loser":"faulty","reason":"BROKEN_RULE"}]\n',
}

# The rival plays on the other edge of the board: there what was said ahead is allowed.
AGAINST_THE_RIVAL = {
    ("gamestate", "two_moves"): ("normal", ""),
    ("fiar", "two_moves"): ("normal", ""),
    ("santorini-json", "before_asked"): ("timeout", "not_flushed"),
}


def ending(slug: str, fault: str) -> tuple[str, str]:
    """How a match against the rival ends, and its card."""
    return AGAINST_THE_RIVAL.get((slug, fault)) or ENDINGS.get((slug, fault)) or ENDINGS[fault]


class Played(NamedTuple):
    """One match: how it ended, the code of the card, and what the opponent had heard when its connection ended."""

    slug: str
    fault: str
    termination: str
    card: str
    lost: bool
    heard: bytes

    @property
    def is_as_expected(self) -> bool:
        return (self.termination, self.card) == ending(self.slug, self.fault)

    @property
    def was_told(self) -> bool:
        if self.termination == "normal":
            return True
        told = self.heard.partition(b'["tournament_finished"')[0]
        return self.lost and told.endswith(LAST_WORDS[self.slug])


class Opposite:
    """Finds the seat of the opponent: the one that is free."""

    def __init__(self, referee: Referee, room: LiveRoom, slug: str) -> None:
        self.room = room
        self.session: Session | None = None
        self._referee, self._slug = referee, slug
        self.arrived = asyncio.Event()

    def connected(self, transport: Transport) -> Connection:
        session = self.session = Session(protocol(self._slug)(), transport, self._referee, self)
        return session.connection

    async def seek(self, session: Session, wish: Wish) -> str:
        return wish.code if isinstance(wish, Join) else ""

    def ready(self, session: Session) -> None:
        session.room = self.room
        self.arrived.set()

    def lost(self, session: Session) -> None:
        """The match ends it."""


async def play(referee: Referee, slug: str, fault: str, folder: Path) -> Played:
    """The faulty bot moves first, but where it has to wait for its turn to speak too early."""
    seat = 1 if fault == "before_asked" else 0
    termination, _ = ending(slug, fault)
    clock = SHORT if termination == "timeout" else LONG
    room = LiveRoom(referee, Plan(protocol(slug).variants[0], clock=clock))
    bot = ChildBot(referee, protocol(slug), (sys.executable, "-S", "-E", str(BOT), slug, fault), "faulty", folder)
    bot.setup = bot.setup._replace(startup_ms=1000 if fault == "before_asked" else 60_000)
    opposite = Opposite(referee, room, slug)
    server = await listen("127.0.0.1", 0, opposite.connected)
    async with Rival.to(server.sockets[0].getsockname()[1]) as rival:
        playing = asyncio.create_task(rival.play(slug, spoken(room, slug, seat) if seat else nothing))
        async with asyncio.timeout(DEADLINE_S):
            await opposite.arrived.wait()
        session = opposite.session
        assert session is not None
        room.sit(bot, seat)
        room.sit(session, 1 - seat)
        await room.begin()
        async with asyncio.timeout(DEADLINE_S):
            heard = await playing
    live = room.live
    assert live is not None and live.state.termination is not None
    await bot.close()
    await session.released.wait()
    server.close()
    await server.wait_closed()
    card = card_of(live)
    return Played(slug, fault, live.state.termination, card.code if card else "", live.state.winner == 1 - seat, heard)


def spoken(room: LiveRoom, slug: str, seat: int) -> Waits:
    """Waits until the faulty bot has said what it says too early."""
    early = EARLY[slug][1].rstrip("\n").encode()

    async def waits() -> None:
        live = room.live
        assert live is not None
        await until(lambda: live.over or early in said_by(live, seat))

    return waits


def said_by(live: LiveMatch, seat: int) -> bytes:
    wire = live.wires[seat]
    return b"".join(data for _, way, data, _ in wire.messages if way == "in") if wire else b""


async def play_many(matches: int, folder: Path) -> None:
    """Every fault in every protocol in turns, and everything that must hold at the end."""
    files, temporary = folder / "bots", folder / "temporary"
    files.mkdir()
    temporary.mkdir()
    with patch.object(tempfile, "tempdir", str(temporary)):
        async with refereeing() as referee:
            await play(referee, "fiar", "crlf", files)  # what is made once is made now
            before, tasks = open_files(), len(asyncio.all_tasks())
            cases = itertools.islice(itertools.cycle(CASES), matches)
            found = await many(cases, lambda fault, slug: play(referee, slug, fault, files))
            wrong = Counter(each[:4] for each in found if not each.is_as_expected)
            assert not wrong, wrong
            untold = [each for each in found if not each.was_told]
            assert not untold, untold
            assert len(found) == matches
            assert processes_of(files) == []
            assert (open_files(), len(asyncio.all_tasks())) == (before, tasks)
    assert [*temporary.iterdir(), *files.iterdir()] == []


async def many(cases: itertools.islice[tuple[str, str]], play: Callable[[str, str], object]) -> list[Played]:
    """So many at once."""
    found: list[Played] = []

    async def worker() -> None:
        for fault, slug in cases:
            found.append(await play(fault, slug))  # type: ignore[misc]

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return found
