"""A round robin of bots that connect by themselves; some never come, come late, or are killed in the middle."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from contextlib import suppress
from random import Random
from typing import NamedTuple

from arena.host import Host
from arena.models import Entry, Player
from arena.tournaments.spec import EntrySpec
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec

LOOK_S = 0.25
# A match of Nim takes more turns than these.
TURNS = 4
AGAIN_S = 0.2


class Trouble(NamedTuple):
    """How many of the bots never come, come after the first call for them, and how often one is killed."""

    absent: int = 0
    late: int = 0
    kills: int = 0


class Outcome(NamedTuple):
    """How long it took, what became of the pairings, how the matches ended, how many were given up.

    `connections` are those on which a bot was asked for a move.
    """

    seconds: float
    statuses: Counter[str]
    terminations: Counter[str]
    given_up: int
    kills: int
    connections: int


class Bots:
    """Bots of `native`, each with its connection; who is killed comes back as a new process would.

    `kills` of them are killed when they are asked for a move, one every so many `turns`.
    """

    def __init__(self, port: int, dice: Random, kills: int = 0, turns: int = 0) -> None:
        self.port = port
        self.dice = dice
        self.connections = self.killed = self._asked = 0
        self._kills, self._turns = kills, turns
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, token: str) -> None:
        self._tasks.append(asyncio.create_task(self._again_and_again(token)))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _again_and_again(self, token: str) -> None:
        while True:
            with suppress(OSError):
                await self._play(token)
            await asyncio.sleep(AGAIN_S)

    async def _play(self, token: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        begun = False
        try:
            writer.write(json.dumps({"type": "hello", "name": "one", "token": token}).encode() + b"\n")
            while line := await reader.readline():
                told = json.loads(line)
                if told["type"] == "turn":
                    self.connections, begun = self.connections + (not begun), True
                    if self._is_to_die():
                        return
                    answer = {"type": "move", "ply": told["ply"], "move": self.dice.choice(told["legal"])}
                    writer.write(json.dumps(answer).encode() + b"\n")
        finally:
            writer.transport.abort()

    def _is_to_die(self) -> bool:
        self._asked += 1
        due = self.killed < self._kills and self._asked > self._turns * (self.killed + 1)
        self.killed += due
        return due


async def play(host: Host, port: int, name: str, count: int, trouble: Trouble, dice: Random) -> Outcome:
    """The event to its end. `port` is the door of `native`."""
    known = [await register(f"{name} {n}", "native", variant="expanding-nim") for n in range(count)]
    entries = tuple(EntrySpec(bot.family, "bot", "", "native", player=bot.pk) for bot, _ in known)
    tokens = [token for _, token in known[trouble.absent :]]
    coming = count - trouble.absent
    bots = Bots(port, dice, trouble.kills, TURNS * coming * (coming - 1) // 2 // max(trouble.kills, 1))
    for token in tokens[trouble.late :]:
        bots.start(token)
    began = time.monotonic()
    spec = a_spec(entries=entries, name=name, clock="60s", variant="expanding-nim", concurrency=8)
    tournament = await a_begun(spec)
    late = {bot.pk: token for bot, token in known[trouble.absent : trouble.absent + trouble.late]}
    try:
        while True:
            sheet = await a_sheet(tournament.slug)
            if sheet.tournament.state == "finished":
                break
            for player in await _missed(late):
                bots.start(late.pop(player))
            await asyncio.sleep(LOOK_S)
    finally:
        seconds = time.monotonic() - began
        await bots.stop()
    ended = Counter(str(line.match.termination) for line in sheet.lines if line.match is not None)
    given_up = sum(entry.absent is not None for entry in sheet.entries.values())
    statuses = Counter(line.status for line in sheet.lines)
    return Outcome(seconds, statuses, ended, given_up, bots.killed, bots.connections)


async def _missed(late: dict[int, str]) -> list[int]:
    """Those who are late and were called once in vain."""
    found = Entry.objects.filter(player__in=Player.objects.filter(pk__in=late), calls__gt=0)
    return [player async for player in found.values_list("player", flat=True)]
