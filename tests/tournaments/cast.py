"""Twelve who play one event: built-in players, sample bots and faulty ones, over every way there is into a match.

Programs named in the file are started by the server. The others are registered and come by themselves: through a door
with a token, through a port of their own, on a websocket; each comes back after every match and after every crash.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.kit.deadline import DEADLINE_S
from tests.kit.samples import BRIDGE, Sample, alone, command
from tests.kit.server import ROOT, Server, environment

FAULTY = ROOT / "tests" / "bots" / "faulty" / "faulty_bot.py"
SOCKET = Path(__file__).with_name("native_socket_bot.py")
AGAIN_S = 0.1
# Registered: the protocol of each.
COMING = {"door": "fiar", "port": "fiar", "joining": "droidcon", "socket": "native", "garbage": "fiar"}
REGISTER = """
import asyncio, json, sys
import django; django.setup()
from tests.kit.registered import register
async def main():
    print(json.dumps({name: (await register(name, slug, **({"port": port} if port else {})))[1]
                      for name, slug, port in json.loads(sys.argv[1])}))
asyncio.run(main())
"""


def seats(built: Path) -> dict[str, str]:
    """What the server starts or is itself, by name."""
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


def event(built: Path, **keys: object) -> str:
    """The event as a file. `keys` are those of its first part, such as `legs = 2`."""
    head = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    seated = "".join(
        f"\n[[entry]]\nseat = {json.dumps(seat)}\nname = {json.dumps(name)}\n" for name, seat in seats(built).items()
    )
    return head + seated + "".join(f'\n[[entry]]\nbot = "{name}"\n' for name in COMING)


@asynccontextmanager
async def coming(server: Server, built: Path, up: asyncio.Event, port: int) -> AsyncIterator[None]:
    """Those who come by themselves, again and again while the server is `up`. It is started here: they are registered
    before. `port` is that of the one that has its own.
    """
    wanted = json.dumps([(name, slug, port if name == "port" else None) for name, slug in COMING.items()])
    done = subprocess.run(
        [sys.executable, "-c", REGISTER, wanted],
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
    """For each the programs it is, one after the other. Who fails ten times in a row would be put into quarantine."""
    fiar, droidcon = server.doors["fiar"], server.doors["droidcon"]
    compiled, joining = command(Sample("fiar", "c"), built), alone(Sample("droidcon", "c"), built)
    faulty = [sys.executable, str(FAULTY), "fiar"]
    address = f"ws://127.0.0.1:{server.port}/ws/native/"
    fails = [_bridge(fiar, "--seat", tokens["garbage"], bot=[*faulty, how]) for how in ("good", "binary", "two_moves")]
    return [
        itertools.repeat(_bridge(fiar, "--seat", tokens["door"], bot=compiled)),
        itertools.repeat(_bridge(port, bot=command(Sample("fiar", "js"), built))),
        itertools.repeat(_bridge(droidcon, "--seat", tokens["joining"], "--fresh", bot=joining)),
        itertools.repeat([sys.executable, str(SOCKET), address, tokens["socket"]]),
        itertools.cycle(fails),
    ]


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
