"""Bots in the sandbox, as real child processes: started through the transport that matches use."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from arena.bots.process import cgroups
from arena.bots.process.confine import landlock_version
from arena.bots.process.launch import BotLimits, Launch, SandboxLevel, wrap
from arena.transports import Receiver, Transport
from arena.transports.stdio import spawn
from tests.kit.recorder import Recorder
from tests.kit.until import until


def _levels() -> tuple[SandboxLevel, ...]:
    """Those that this machine may give: which it does give is the matter of `test_sandbox.py`."""
    try:
        cgroups.find()
    except OSError:
        return SandboxLevel.L0, SandboxLevel.L1, SandboxLevel.L2
    return tuple(SandboxLevel)


LEVELS = _levels()
SANDBOXES = tuple(
    level for level in LEVELS if level > SandboxLevel.L1 or (level == SandboxLevel.L1 and landlock_version())
)
NAMESPACES = tuple(level for level in LEVELS if level >= SandboxLevel.L2)


class Box:
    """Starts bots in a folder that every user can enter, and leaves none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[tuple[Recorder, Launch]] = []

    async def start(self, *argv: str, level: SandboxLevel, limits: BotLimits | None = None) -> Recorder:
        launch = wrap(argv, level=level, bot_folder=self.folder, limits=limits)
        made: list[Recorder] = []

        def make(transport: Transport) -> Receiver:
            made.append(Recorder(transport))
            return made[0]

        await spawn(launch.argv, make, cwd=self.folder, env=launch.env, pass_fds=launch.pass_fds)
        launch.started()
        self._started.append((made[0], launch))
        return made[0]

    async def python(
        self, script: str, *arguments: str, level: SandboxLevel, limits: BotLimits | None = None
    ) -> Recorder:
        return await self.start("python3", "-c", script, *arguments, level=level, limits=limits)

    def launch_of(self, bot: Recorder) -> Launch:
        return next(launch for started, launch in self._started if started is bot)

    async def clear(self) -> None:
        for bot, launch in self._started:
            bot.transport.abort()
            await bot.until_lost()
            await launch.release()
        self._started.clear()


@asynccontextmanager
async def box() -> AsyncIterator[Box]:
    """pytest's own folders can be entered by their owner only."""
    with tempfile.TemporaryDirectory(prefix="arena-box-") as name:
        Path(name).chmod(0o755)
        made = Box(Path(name))
        try:
            yield made
        finally:
            await made.clear()


def processes(marker: str) -> list[int]:
    """Those alive, in whatever namespace, that have `marker` as their last argument."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if Path("/proc", name, "cmdline").read_bytes().endswith(f"\0{marker}\0".encode()):
                found.append(int(name))
        except OSError:
            continue
    return found


async def until_nobody(marker: str) -> None:
    await until(lambda: not processes(marker))


def groups_left(pid: int | None = None) -> list[str]:
    """The control groups of bots that this process, or the one with this number, has made.

    Others come and go meanwhile, which `os.walk` passes over.
    """
    own = f"arena-{os.getpid() if pid is None else pid}-"
    return [name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.startswith(own)]
