"""The sample bots as programs that can be started: which there are, and their commands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from arena.protocols import protocol, protocols
from tests.kit.deadline import DEADLINE_S
from tests.kit.until import until

FOLDER = Path(__file__).parents[2] / "arena" / "protocols"
BRIDGE = FOLDER.parents[1] / "static" / "samples" / "arena-bridge.py"
LANGUAGES = ("py", "c", "js")
# What a sample wants to be told when nobody connects it: its name, and the room where bots name one.
ALONE = {"droidcon": ("ada", "lab"), "santorini-json": ("ada",), "santorini-course": ("ada",), "native": ("ada",)}
# What it wants to be told where it connects by itself; the others are programs on their own input and output.
CONNECTED = {
    "nyu-nim": ("{host}", "{port}"),
    "droidcon": ("ada", "lab", "{host}", "{port}"),
    "santorini-json": ("ada", "{host}", "{port}"),
    "santorini-course": ("ada", "{host}", "{port}"),
    "native": ("ada", "{host}", "{port}", "{variant}"),
}


class Sample(NamedTuple):
    protocol: str
    language: str

    @property
    def path(self) -> Path:
        return FOLDER / self.protocol.replace("-", "_") / f"bot.{self.language}"

    @property
    def variant(self) -> str:
        return next(iter(protocol(self.protocol).variants), "santorini-5x5")


SAMPLES = [sample for slug in protocols() for language in LANGUAGES if (sample := Sample(slug, language)).path.exists()]


def command(sample: Sample, built: Path) -> list[str]:
    """The command that starts it; a C program is compiled into the folder `built`, once."""
    if sample.language == "c":
        program = built / f"{sample.path.parent.name}_bot"
        if not program.exists():
            strict = ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror")
            subprocess.run(["gcc", *strict, "-o", str(program), str(sample.path)], check=True, timeout=DEADLINE_S)
        return [str(program)]
    interpreter = sys.executable if sample.language == "py" else shutil.which("node") or "node"
    return [interpreter, str(sample.path)]


def connected(sample: Sample, built: Path, port: int) -> list[str]:
    """The command that starts it as a bot that connects to this port."""
    words = [word.format(host="127.0.0.1", port=port, variant=sample.variant) for word in CONNECTED[sample.protocol]]
    return [*command(sample, built), *words]


def alone(sample: Sample, built: Path) -> list[str]:
    """The command that starts it on its own input and output."""
    return [*command(sample, built), *ALONE.get(sample.protocol, ())]


async def listening(port: int) -> None:
    """Wait until somebody listens there, without connecting: the first to connect has the seat."""
    await until(lambda: f":{port:04X} 00000000:0000 0A" in Path("/proc/net/tcp").read_text())
