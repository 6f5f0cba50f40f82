"""Who plays one event: built-in players, sample bots and faulty ones, over every way there is into a match.

Programs named in the file are started by the server. The others are registered and come by themselves: through a door
with a token, through a port of their own, on a websocket; each comes back after every match and after every crash.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S
from tests.kit.samples import BRIDGE, Sample, alone, command
from tests.kit.server import ROOT, Server, environment

FAULTY = ROOT / "tests" / "bots" / "faulty" / "faulty_bot.py"
SOCKET = Path(__file__).with_name("native_socket_bot.py")
AGAIN_S = 0.1
# Registered: the protocol of each.
COMING = {"door": "fiar", "port": "fiar", "joining": "droidcon", "socket": "native", "garbage": "fiar"}
# Without whom there are still all ways into a match, and all that goes wrong.
MORE = {"beginner", "fiar py", "native py", "door"}
REGISTER = """
import asyncio, json
from tests.kit.registered import register
async def main():
    print(json.dumps({name: (await register(name, slug, **({"port": port} if port else {})))[1]
                      for name, slug, port in json.loads(WANTED)}))
asyncio.run(main())
"""


class Cast(NamedTuple):
    """Who plays: those that the server starts or is itself, and those who come, by name."""

    seats: dict[str, str]
    coming: dict[str, str]

    @property
    def names(self) -> list[str]:
        return [*self.seats, *self.coming]


def everybody(built: Path) -> Cast:
    return Cast(_seats(built), COMING)


def few(built: Path) -> Cast:
    return Cast(*({name: each[name] for name in each if name not in MORE} for each in everybody(built)))


def _seats(built: Path) -> dict[str, str]:
    faulty = f"{sys.executable} {FAULTY}"
    return {
        "random": "builtin:random",
        "beginner": "builtin:beginner",
        "fiar py": _child(Sample("fiar", "py"), built),
        "droidcon js": _child(Sample("droidcon", "js"), built),
        "native py": _child(Sample("native", "py"), built),
        "out of range": f"fiar:{faulty} fiar out_of_range",
        "forks and exits": f"droidcon:{faulty} droidcon forks",
    }


def _child(sample: Sample, built: Path) -> str:
    return f"{sample.protocol}:{' '.join(alone(sample, built))}"


def event(cast: Cast, **keys: object) -> str:
    """The event as a file. `keys` are those of its first part, such as `legs = 2`."""
    head = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    seated = "".join(
        f"\n[[entry]]\nseat = {json.dumps(seat)}\nname = {json.dumps(name)}\n" for name, seat in cast.seats.items()
    )
    return head + seated + "".join(f'\n[[entry]]\nbot = "{name}"\n' for name in cast.coming)


@asynccontextmanager
async def coming(server: Server, cast: Cast, built: Path, up: asyncio.Event, port: int) -> AsyncIterator[None]:
    """Those who come by themselves, again and again while the server is `up`. It is started here: they are registered
    before. `port` is that of the one that has its own.
    """
    wanted = json.dumps([(name, slug, port if name == "port" else None) for name, slug in cast.coming.items()])
    done = subprocess.run(
        script(REGISTER.replace("WANTED", repr(wanted))),
        cwd=ROOT, env=environment(server.data), check=True, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    tokens: dict[str, str] = json.loads(done.stdout)
    await server.start()
    tasks = [asyncio.create_task(_come(each, up)) for each in _commands(server, built, tokens, port)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _commands(server: Server, built: Path, tokens: dict[str, str], port: int) -> list[Iterator[list[str]]]:
    """For each that has a token the programs it is, one after the other. Who fails ten times in a row would be put into
    quarantine."""
    fiar, droidcon = server.doors["fiar"], server.doors["droidcon"]
    compiled, joining = command(Sample("fiar", "c"), built), alone(Sample("droidcon", "c"), built)
    faulty = [sys.executable, str(FAULTY), "fiar"]
    address = f"ws://127.0.0.1:{server.port}/ws/native/"
    bots: dict[str, Callable[[str], list[list[str]]]] = {
        "door": lambda token: [_bridge(fiar, "--seat", token, bot=compiled)],
        "port": lambda _: [_bridge(port, bot=command(Sample("fiar", "js"), built))],
        "joining": lambda token: [_bridge(droidcon, "--seat", token, "--fresh", bot=joining)],
        "socket": lambda token: [[sys.executable, str(SOCKET), address, token]],
        "garbage": lambda token: [
            _bridge(fiar, "--seat", token, bot=[*faulty, how]) for how in ("good", "binary", "two_moves")
        ],
    }
    return [itertools.cycle(bots[name](token)) for name, token in tokens.items()]


def _bridge(port: int, *words: str, bot: list[str]) -> list[str]:
    return [sys.executable, str(BRIDGE), "127.0.0.1", str(port), *words, "--", *bot]


async def _come(commands: Iterator[list[str]], up: asyncio.Event) -> None:
    nothing = asyncio.subprocess.DEVNULL
    for words in commands:
        await up.wait()
        process = await asyncio.create_subprocess_exec(*words, stdin=nothing, stdout=nothing, stderr=nothing)
        try:
            await process.wait()
            await asyncio.sleep(AGAIN_S)
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
