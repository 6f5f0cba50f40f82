"""Bots as child processes, started in a folder of their own and ended with the test."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.transports import Receiver, Transport
from arena.transports.process import ChildTransport
from arena.transports.stdio import spawn
from tests.kit.recorder import Recorder
from tests.kit.until import until

C_BOT = r"""
#include <stdio.h>
int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) printf("4\n");   /* never flushed */
    return 3;
}
"""


class Bench:
    """Starts bots in a folder of their own, and leaves none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[Recorder] = []

    async def start(
        self, *argv: str, pty: bool = True, env: dict[str, str] | None = None, pass_fds: tuple[int, ...] = ()
    ) -> Recorder:
        def make(transport: Transport) -> Receiver:
            self.started.append(Recorder(transport))
            return self.started[-1]

        await spawn(argv, make, cwd=self.folder, pty=pty, env=env, pass_fds=pass_fds)
        return self.started[-1]

    async def python(self, script: str, pty: bool = True, env: dict[str, str] | None = None) -> Recorder:
        return await self.start(sys.executable, "-c", script, pty=pty, env=env)

    async def clear(self) -> None:
        for recorder in self.started:
            recorder.transport.abort()
            await recorder.until_lost()


def child(bot: Recorder) -> ChildTransport:
    assert isinstance(bot.transport, ChildTransport)
    return bot.transport


def alive(pid: int) -> bool:
    """A zombie counts as dead: a container's first process may never reap it."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return False


async def until_dead(*pids: int) -> None:
    await until(lambda: not any(map(alive, pids)))
