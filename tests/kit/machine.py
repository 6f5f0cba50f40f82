"""What commands find out about this machine, found out once in a run of tests.

A worker that starts, a server with bots that it runs, or a process that plays their matches attacks its sandbox to see
which level holds: a second and a half of computing at every start. Here the first one of a run does so, and tells the
others. A worker also judges moves for 0.2 s to say how fast it is, which no test compares with anything.

As a program, `FOLDER PROGRAM ARGUMENT…`, it is another program that has been told: one that no tests/kit/preloading.py
starts, because another command starts it.
"""

from __future__ import annotations

import os
import runpy
import sys
from functools import cache
from pathlib import Path

from arena.bots.process import guests, sandbox
from arena.bots.process.sandbox import SandboxLevel, Trial
from arena.work.workers import about
from tests.kit.server import alone

BRIEFLY_S = 0.02


def find_out_once(folder: Path) -> None:
    """From now on this process attacks only if nobody has told in this folder which level holds, and is soon sure of
    its speed."""
    attack, kept = sandbox.self_test, folder / "sandbox"

    @cache
    def told() -> tuple[Trial, ...]:
        with alone(kept.with_suffix(".lock")):
            if not kept.exists():
                last, making = attack()[-1], kept.with_suffix(".making")
                making.write_text(str(int(last.level if last.holds else SandboxLevel.L0)))
                making.rename(kept)
        level = SandboxLevel(int(kept.read_text()))
        return (Trial(level or SandboxLevel.L1, (), "" if level else "no level held"),)

    setattr(sandbox, "self_test", told)  # noqa: B010  what a type checker would not have
    about.SPEED_S = BRIEFLY_S
    if kept.exists():
        os.environ[guests.LEVEL] = kept.read_text()  # of the processes that play matches


if __name__ == "__main__":
    find_out_once(Path(sys.argv[1]))
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
