"""A crowd on a server that may be killed at any moment: people, fiar bots and droidcon bots who come back.

Everyone notes what the server has told them, so that it can be looked up in the log later.
"""

from __future__ import annotations

import asyncio
import http.client
import http.cookiejar
import json
import random
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

import games
from tests.kit.clients import Droidcon, Wire
from tests.kit.deadline import DEADLINE_S

CONNECT_FOUR = "connect-four-7x6"
THINK_S = 0.2
DISCS = str.maketrans("@O", "xo")
GONE = (OSError, http.client.HTTPException, asyncio.IncompleteReadError, AssertionError)


class Browser:
    """A person: cookies of their own, forms without JavaScript."""

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    async def get(self, path: str) -> tuple[str, str]:
        """The address that it led to, and the page."""
        return await asyncio.to_thread(self._open, path, None)

    async def post(self, path: str, **fields: Any) -> tuple[str, str]:
        return await asyncio.to_thread(self._open, path, fields)

    def _open(self, path: str, fields: dict[str, Any] | None) -> tuple[str, str]:
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        token = {cookie.name: cookie.value or "" for cookie in self._cookies}.get("csrftoken", "")
        request = urllib.request.Request(self._address() + path, data, {"X-CSRFToken": token})
        with self._opener.open(request, timeout=DEADLINE_S) as answer:
            return urllib.parse.urlsplit(answer.url).path, answer.read().decode()


class Crowd:
    """Everyone, until `stop`. `down` is set while there is no server."""

    def __init__(self, address: Callable[[], str], port: Callable[[str], int]) -> None:
        self.address = address
        self.port = port
        self.up = asyncio.Event()
        self.people: list[Human] = []
        self.fiar: list[FiarBot] = []
        self.droidcon: list[DroidconBot] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def gather(self, people: int, pairs: int, fiar_pairs: int, droidcon_pairs: int) -> None:
        """Start this many matches: people against built-in players, two people, bots."""
        self.up.set()
        await asyncio.gather(*(self._alone() for _ in range(people)), *(self._two() for _ in range(pairs)))
        for _ in range(2 * fiar_pairs):
            self._go_on(FiarBot(self))
        for number in range(2 * droidcon_pairs):
            self._go_on(DroidconBot(self, f"d{number}", f"room-{number // 2}"))

    async def _alone(self) -> None:
        human = Human(self)
        await human.play_builtin()
        self._go_on(human)

    async def _two(self) -> None:
        first, second = Human(self), Human(self)
        await second.meet(await first.make_room())
        first.match = second.match
        self._go_on(first)
        self._go_on(second)

    def _go_on(self, member: Member) -> None:
        if isinstance(member, Human):
            self.people.append(member)
        elif isinstance(member, FiarBot):
            self.fiar.append(member)
        elif isinstance(member, DroidconBot):
            self.droidcon.append(member)
        self._tasks.append(asyncio.create_task(member.go_on()))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        results = await asyncio.gather(*self._tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result


class Member:
    """One of the crowd, who comes back whenever the server does."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd

    async def go_on(self) -> None:
        while True:
            await self.crowd.up.wait()
            try:
                await self.play()
            except GONE:
                await asyncio.sleep(0.05)

    async def play(self) -> None:
        raise NotImplementedError


class Human(Member):
    """Plays one match after the other alone, or one with a friend.

    `acknowledged` are the moves that the server said yes to with their match and number, `seen` what it showed of each.
    """

    def __init__(self, crowd: Crowd) -> None:
        super().__init__(crowd)
        self.browser = Browser(crowd.address)
        self.alone = False
        self.match = ""
        self.acknowledged: list[tuple[str, int, str]] = []
        self.seen: dict[str, list[str]] = {}

    async def play_builtin(self) -> None:
        self.alone = True
        await self.browser.get("/")
        path, _ = await self.browser.post("/play/", variant=CONNECT_FOUR, level="beginner", move="4")
        self.match = _match(path)
        self.acknowledged.append((self.match, 1, "4"))

    async def make_room(self) -> str:
        """The address of a new room, in which this person sits."""
        await self.browser.get("/r/new/")
        path, _ = await self.browser.post("/r/new/", variant=CONNECT_FOUR, clock="none", rounds="1")
        return path

    async def meet(self, room: str) -> None:
        await self.browser.get(room)
        path, _ = await self.browser.post(f"{room}sit/")
        self.match = _match(path)

    async def play(self) -> None:
        await asyncio.sleep(random.uniform(0, 2 * THINK_S if self.alone else 6 * THINK_S))
        log = await self.look()
        position = games.variant(CONNECT_FOUR).parse(log["position"])
        if log["termination"] is not None:
            if self.alone:
                await self.play_builtin()
            return
        assert position.to_move is not None, "a match without an ending goes on"
        number, move = position.ply + 1, quiet_move(position)
        try:
            await self.browser.post(f"/m/{self.match}/move/", ply=number, move=move)
        except urllib.error.HTTPError as refusal:
            refusal.close()
            assert refusal.code in (403, 409, 422), refusal  # not this person's turn, or a pause
            return
        self.acknowledged.append((self.match, number, move))

    async def look(self) -> dict[str, Any]:
        """The log as the server shows it now."""
        _, text = await self.browser.get(f"/m/{self.match}/log.json")
        log: dict[str, Any] = json.loads(text)
        self.seen[self.match] = [move["move"] for move in log["moves"]]
        return log


class FiarBot(Member):
    """Meets any bot at the door. `boards` are all that it was sent."""

    def __init__(self, crowd: Crowd) -> None:
        super().__init__(crowd)
        self.boards: list[str] = []

    async def play(self) -> None:
        async with Wire.to(self.crowd.port("fiar")) as wire:
            while line := await wire.line():
                self.boards.append(line)
                await asyncio.sleep(THINK_S)
                await wire.send(quiet_move(games.variant(CONNECT_FOUR).parse(f"7x6 {line[2:].translate(DISCS)}")))


class DroidconBot(Member):
    """Plays in its room again and again. `rounds` are the columns that the other side played in each."""

    def __init__(self, crowd: Crowd, name: str, room: str) -> None:
        super().__init__(crowd)
        self.name = name
        self.room = room
        self.rounds: list[list[int]] = []

    async def play(self) -> None:
        async with Droidcon.to(self.crowd.port("droidcon")) as wire:
            await wire.enter(self.name, self.room)
            position = games.variant(CONNECT_FOUR).start()
            while line := await wire.line():
                if line == "NEW_GAME":
                    position = games.variant(CONNECT_FOUR).start()
                    self.rounds.append([])
                elif line.startswith("PUT "):
                    self.rounds[-1].append(int(line[4:]))
                    position = position.play(str(int(line[4:]) + 1))
                elif line == "YOUR_MOVE":
                    await asyncio.sleep(THINK_S)
                    move = quiet_move(position)
                    position = position.play(move)
                    await wire.send(f"PUT {int(move) - 1}")


def quiet_move(position: games.Position) -> str:
    """A move that does not end the match, if there is one: a server should be killed in the middle of something."""
    moves = position.legal_moves()
    quiet = [move for move in moves if position.play(move).to_move is not None]
    return random.choice(quiet or moves)


def _match(path: str) -> str:
    found = re.fullmatch(r"/m/(\w+)/", path)
    assert found, f"not a match: {path}"
    return found[1]
