"""Commands as people run them: `manage.py` in its own process, with its own data folder."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from tests.kit.deadline import DEADLINE_S
from tests.kit.preloading import ROOT as ROOT
from tests.kit.preloading import WARNINGS


def environment(data: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": WARNINGS,
        "DJANGO_SETTINGS_MODULE": "arena.settings",
        "ARENA_DATA": str(data),
        # A second process a server would cost every test; those about page workers ask for them.
        "ARENA_PAGES": "0",
    }


def script(program: str) -> list[str]:
    """The command that runs this program in ROOT, like `python -c` with Django set up, and with Arena imported."""
    return [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", program]


def manage(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this folder, which is also its data folder."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=DEADLINE_S
    )


async def start(folder: Path, *arguments: str, **settings: str) -> asyncio.subprocess.Process:
    """Start a command and let it run."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**environment(folder), **settings},
        stdout=pipe,
        stderr=pipe,
        limit=2**22,
    )


async def finished(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    """Its exit code and all it printed."""
    async with asyncio.timeout(DEADLINE_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


def processes_of(folder: Path) -> list[str]:
    """The command lines of living processes that were started in this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found
