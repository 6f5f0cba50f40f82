"""The other side of a faulty bot: it plays well on a socket, and keeps all that it is told to the very end."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tests.bots.faulty.faulty_bot import COLUMNS, turns
from tests.kit.clients import Wire

NAME = b"rival"
Waits = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """No wait."""


class Rival(Wire):
    """`play` answers until the arena closes. `waits` comes before each answer."""

    board = ""
    heights = [0] * COLUMNS

    async def play(self, slug: str, waits: Waits = nothing) -> bytes:
        """Everything that it was told."""
        with suppress(ConnectionError):
            if slug == "droidcon":
                await self.send("NAME rival", "JOIN room")
            elif slug == "santorini-json":
                await self.send_bytes(b'["join","rival"]')
            while heard := await self._hear(slug == "nyu-nim"):
                answer = ANSWERS[slug](self, heard)
                if answer:
                    await waits()
                    await self.send_bytes(answer)
        return self.heard

    async def _hear(self, unterminated: bool) -> bytes:
        """A line or a state, without a deadline of its own: the match has one."""
        data = await (self._reader.read(1000) if unterminated else self._reader.readline())
        self.heard += data
        return data

    def gamestate(self, line: bytes) -> bytes:
        word, _, board = line.decode().strip().partition(": ")
        if word == "GAMESTATE":
            self.board = board
        return b"%d\n" % self.board[:8].rindex("-") if word == "REQUEST_MOVE" else b""

    def fiar(self, line: bytes) -> bytes:
        return b"%d\n" % (line.split()[1][:COLUMNS].rindex(b".") + 1) if line.strip() else b""

    def nyu_nim(self, state: bytes) -> bytes:
        left, largest, reset, over = map(int, state.split())
        return b"" if over else b"%d 0" % min(left, 3 if reset else largest + 1)

    def droidcon(self, line: bytes) -> bytes:
        word, *column = line.split()[:2] or [b""]
        if word == b"NEW_GAME":
            self.heights = [0] * COLUMNS
        elif word == b"PUT" and column[0].isdigit() and int(column[0]) < COLUMNS:
            self.heights[int(column[0])] += 1
        elif word == b"YOUR_MOVE":
            free = max(column for column in range(COLUMNS) if self.heights[column] < 6)
            self.heights[free] += 1
            return b"PUT %d\n" % free
        return b""

    def santorini(self, line: bytes) -> bytes:
        """With the faulty bot's eyes: it knows the workers called faulty."""
        if not line.startswith(b"["):
            return b""
        kind, said = json.loads(line.replace(b"faulty", b"other").replace(NAME, b"faulty"))
        if kind == "place":
            taken = {(worker["x"], worker["y"]) for worker in said}
            answer: object = ["place", *next((x, 5) for x in range(6) if (x, 5) not in taken)]
        else:
            answer = next(turns(said)) if kind == "turn" else "OK"
        return json.dumps(answer).encode().replace(b"faulty", NAME)


ANSWERS: dict[str, Callable[[Rival, bytes], bytes]] = {
    "gamestate": Rival.gamestate,
    "fiar": Rival.fiar,
    "nyu-nim": Rival.nyu_nim,
    "droidcon": Rival.droidcon,
    "santorini-json": Rival.santorini,
}
