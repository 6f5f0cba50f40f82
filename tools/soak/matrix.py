"""Every protocol against a person, a built-in player and every protocol of its games, at each of four addresses.

`make soak ARGS='matrix [PROTOCOL ...]'`. It uses a real server, the sample bots as they are downloaded, and Chromium
for the person. The addresses are the door, where a registered bot shows its token; the port of the seat; a child
process of the server; and the bridge, which listens on its own port for bots that connect. Prints a line for each pair;
fails if a match does not end by its rules.
"""

from __future__ import annotations

import asyncio
import html
import itertools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import django
from playwright.async_api import Browser, Page, async_playwright

from arena.protocols import plays, protocols
from tests.kit.chromium import FLAGS, program
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.samples import ALONE, BRIDGE, CONNECTED, SAMPLES, Sample, alone, command, connected
from tests.kit.server import Server, environment, migrate

ADDRESSES = ("door", "seat", "child", "bridge")
PERSON, BUILTIN = "person", "builtin"
AT_ONCE = 4
MATCH_S = 8 * DEADLINE_S
# Gives a program that reads input and writes output a connection instead, on which a token may be shown first.
LAUNCHER = """
import os, socket, sys
port, token, *command = sys.argv[1:]
arena = socket.create_connection(("127.0.0.1", int(port)))
if token:
    arena.sendall(f"SEAT {token}\\n".encode())
os.dup2(arena.fileno(), 0)
os.dup2(arena.fileno(), 1)
os.execvp(command[0], command)
"""


class Cell(NamedTuple):
    """A match to be played: a protocol at an address, and its opponent."""

    protocol: str
    address: str
    opponent: str

    @property
    def variant(self) -> str:
        """The variant that both play."""
        both = [set(protocols()[slug].variants) for slug in (self.protocol, self.opponent) if slug in protocols()]
        shared = set.intersection(*(variants for variants in both if variants)) if any(both) else {"connect-four-7x6"}
        return min(shared)


def main(arguments: list[str]) -> int:
    chosen = arguments or list(protocols())
    with tempfile.TemporaryDirectory(prefix="arena-matrix-") as folder:
        return asyncio.run(_Matrix(Path(folder)).play(chosen))


def opponents(slug: str) -> list[str]:
    """The possible opponents of a bot of this protocol."""
    mine = set(protocols()[slug].variants)
    others = [
        other for other, adapter in protocols().items() if not (mine and adapter.variants) or mine & {*adapter.variants}
    ]
    return [PERSON, BUILTIN, *others]


class _Matrix:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.built, self.bots = folder / "built", folder / "bots"
        self.server = Server(folder / "data", ARENA_BOTS=str(self.bots), ARENA_SANDBOX_MIN="0")
        self.samples = {sample.protocol: sample for sample in SAMPLES if sample.language == "py"}
        self.children: dict[tuple[str, str], int] = {}
        self.slots = asyncio.Semaphore(AT_ONCE)

    async def play(self, chosen: list[str]) -> int:
        """Play all cells of these protocols. Returns 1 if any failed."""
        self.built.mkdir()
        self.bots.mkdir(mode=0o755)
        self.folder.chmod(0o755)
        migrate(self.server.data)
        os.environ.update(environment(self.server.data))
        django.setup()
        await asyncio.to_thread(self._register)
        await self.server.start()
        cells = [Cell(slug, at, who) for slug in chosen for who in opponents(slug) for at in ADDRESSES]
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=program(), args=FLAGS)
                found = await asyncio.gather(*(self._played(browser, cell) for cell in cells))
        finally:
            await self.server.stop()
        endings = dict(zip(cells, found, strict=True))
        print(f"{'protocol':18}{'opponent':18}" + "".join(f"{at:14}" for at in ADDRESSES))
        for slug in chosen:
            for who in opponents(slug):
                row = "".join(f"{endings[Cell(slug, at, who)]:14}" for at in ADDRESSES)
                print(f"{slug:18}{who:18}{row}", flush=True)
        return int(any(ending != "normal" for ending in found))

    def _register(self) -> None:
        """Register a bot of each protocol that the server runs itself."""
        from arena.models import Bot, Player

        variants = {Cell(slug, "child", who).variant for slug in protocols() for who in opponents(slug)}
        for sample, variant in itertools.product(self.samples.values(), sorted(variants)):
            slug, name = sample.protocol, f"{sample.protocol}-{variant}"
            if not plays(slug, variant):
                continue
            own = self.bots / name
            own.mkdir(mode=0o755)
            words = self._installed(sample, own)
            player = Player.objects.create(kind=Player.Kind.BOT, name=name, slug=name)
            Bot.objects.create(player=player, variant=variant, protocol=slug, family=name, command=words)
            self.children[slug, variant] = player.pk

    def _installed(self, sample: Sample, own: Path) -> list[str]:
        """The command of a sample bot, in C if there is one; the program is put where the sandbox shows it."""
        compiled = sample._replace(language="c")
        path = Path(command(compiled, self.built)[0]) if compiled in SAMPLES else sample.path
        shutil.copy(path, own / path.name)
        (own / path.name).chmod(0o755)
        start = ["./" + path.name] if compiled in SAMPLES else ["/usr/bin/python3", path.name]
        return [*start, *ALONE.get(sample.protocol, ())]

    async def _played(self, browser: Browser, cell: Cell) -> str:
        """How the match ended: its termination, or what went wrong."""
        async with self.slots:
            try:
                async with asyncio.timeout(MATCH_S), AsyncExitStack() as stack:
                    return await self._play(browser, cell, stack)
            except Exception as why:
                print(f"{' '.join(cell)}: {why!r}"[:300], flush=True)
                return type(why).__name__

    async def _play(self, browser: Browser, cell: Cell, stack: AsyncExitStack) -> str:
        from arena.bots.session.tokens import new_token
        from tests.browser.boards import post
        from tests.browser.test_foreign_bots import play
        from tests.browser.test_play import a_page

        page = await a_page(browser, self.server, "/r/new/")
        stack.push_async_callback(page.context.close)
        door, token = self.server.doors[cell.protocol], new_token()
        choice = await self._choice(cell, token)
        sides = {"side0": choice, "side1": self._other(cell.opponent)}
        room = await post(
            page, f"{self.server.address}/r/new/", variant=cell.variant, clock="30s", rounds=1, pace="full", **sides
        )
        code = await asyncio.to_thread(_code, room)
        if cell.address != "child":
            port = door if cell.address == "door" else await self._port(page, code, 0)
            await stack.enter_async_context(self._bot(cell.protocol, cell.address, port, token))
        if cell.opponent in protocols():
            port = await self._port(page, code, 1)
            await stack.enter_async_context(self._bot(cell.opponent, "seat", port))
        if cell.opponent == PERSON:
            await page.goto(room)
            return str((await play(page))["termination"])
        while (ending := await asyncio.to_thread(_ending, code)) is None:
            await asyncio.sleep(0.2)
        return ending

    async def _choice(self, cell: Cell, token: str) -> str:
        """What the form of a room calls this bot. At the door it is a separate bot, with this token."""
        if cell.address == "child":
            return f"command:{self.children[cell.protocol, cell.variant]}"
        if cell.address == "door":
            return f"bot:{await asyncio.to_thread(_registered, cell, token)}"
        return f"socket:{cell.protocol}"

    def _other(self, opponent: str) -> str:
        return {PERSON: "me", BUILTIN: "builtin:beginner"}.get(opponent) or f"socket:{opponent}"

    async def _port(self, page: Page, code: str, side: int) -> int:
        """The port of a seat, as its page shows it."""
        answer = await page.request.get(f"{self.server.address}/r/{code}/connect/{side}/")
        text = html.unescape(re.sub(r"<[^>]+>", " ", await answer.text()))
        port = re.search(r"port\s+(\d+)", text)
        assert port is not None, f"no port on {answer.url}"
        return int(port[1])

    @asynccontextmanager
    async def _bot(self, slug: str, address: str, port: int, token: str = "") -> AsyncIterator[None]:
        """Start the sample bot of this protocol, which goes to a seat by this address."""
        process = await asyncio.create_subprocess_exec(
            *self._command(self.samples[slug], address, port, token),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()

    def _command(self, sample: Sample, address: str, port: int, token: str) -> list[str]:
        direct = [sys.executable, "-c", LAUNCHER]
        match address:
            case "door":
                return [*direct, str(port), token, *alone(sample, self.built)]
            case "seat" if sample.protocol not in CONNECTED or sample.protocol == "native":
                return [*direct, str(port), "", *alone(sample, self.built)]
            case "seat":
                return connected(sample, self.built, port)
        bridge = [sys.executable, str(BRIDGE), "127.0.0.1", str(port)]
        if sample.protocol not in CONNECTED or sample.protocol == "native":
            return [*bridge, "--", *alone(sample, self.built)]
        local = free_port()
        return [*bridge, "--listen", str(local), "--", *connected(sample, self.built, local)]


def _registered(cell: Cell, token: str) -> int:
    """Register a bot that has this token. Returns the key of its player."""
    from django.db import connection

    from arena.bots.session.tokens import sha256_of
    from arena.models import Bot, Player

    name = "-".join(cell)
    try:
        player = Player.objects.create(kind=Player.Kind.BOT, name=name[:40], slug=name[:40])
        fields = {"variant": cell.variant, "protocol": cell.protocol, "family": name[:40]}
        Bot.objects.create(player=player, token_sha256=sha256_of(token), **fields)
        return int(player.pk)
    finally:
        connection.close()


def _code(address: str) -> str:
    """The code of the room to which a form has led, or of the match, if it has already begun."""
    from django.db import connection

    from arena.models import Match

    found = re.search(r"/(r|m)/([^/]+)/", address)
    assert found is not None, f"no room but {address}"
    try:
        if found[1] == "r":
            return found[2]
        room = Match.objects.get(pk=found[2]).room
        assert room is not None, "its room has a code"
        return str(room.shown_code)
    finally:
        connection.close()


def _ending(code: str) -> str | None:
    """How the match of this room ended; None while it has not."""
    from django.db import connection

    from arena.models import Match

    try:
        row = Match.objects.filter(room__code=code.upper()).first()
        if row is None or not row.termination:
            return None
        if row.termination != "normal":
            print(f"{code}: {row.termination}: {row.reason}", flush=True)
        return str(row.termination)
    finally:
        connection.close()
