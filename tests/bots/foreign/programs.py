"""Bots that were written from the protocol texts alone: which there are, and their commands.

Three a protocol, of different habits: they hoard their output, take one read for one message, or cut answers in pieces.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from arena.protocols import protocol
from tests.kit.deadline import DEADLINE_S
from tests.kit.samples import BRIDGE

FOLDER = Path(__file__).parent
# What a bot is told in front of host and port, or alone where it speaks on its own input and output.
SAID = {"droidcon": ("{name}", "{channel}"), "santorini-course": ("{name}",)}
# Those of the first two texts know no sockets: a bridge connects them.
BRIDGED = ("gamestate", "fiar")
INTERPRETERS = {".py": (sys.executable,), ".js": (shutil.which("node") or "node",), ".sh": ("sh",), ".c": ()}


class Foreign(NamedTuple):
    protocol: str
    path: Path

    @property
    def variant(self) -> str:
        return protocol(self.protocol).variants[0]

    def __str__(self) -> str:
        return f"{self.protocol}-{self.path.stem}"


FOREIGN = [
    Foreign(folder.name, path)
    for folder in sorted(FOLDER.iterdir())
    for path in sorted(folder.glob("*.*"))
    if path.suffix in INTERPRETERS and folder.name != "__pycache__"
]


def of(slug: str) -> list[Foreign]:
    return [bot for bot in FOREIGN if bot.protocol == slug]


def alone(bot: Foreign, built: Path, name: str = "ada", channel: str = "lab") -> list[str]:
    """What starts it on its own input and output; a C program is compiled into the folder `built`, once."""
    words = [word.format(name=name, channel=channel) for word in SAID.get(bot.protocol, ())]
    return [*INTERPRETERS[bot.path.suffix], str(_program(bot, built)), *words]


def connected(bot: Foreign, built: Path, port: int, name: str = "ada", channel: str = "lab") -> list[str]:
    """What starts it as a bot that connects to this port of this machine."""
    command = alone(bot, built, name, channel)
    if bot.protocol in BRIDGED:
        return [sys.executable, str(BRIDGE), "127.0.0.1", str(port), "--grace", "0", "--", *command]
    return [*command, "127.0.0.1", str(port)]


def _program(bot: Foreign, built: Path) -> Path:
    if bot.path.suffix != ".c":
        return bot.path
    program = built / str(bot)
    if not program.exists():
        strict = ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror")
        subprocess.run(["gcc", *strict, "-o", str(program), str(bot.path)], check=True, timeout=DEADLINE_S)
    return program
