"""What a bot without a namespace leaves in the kernel is gone when it is released, and nothing of anybody else."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from arena.bots.process.launch import SandboxLevel, wrap
from arena.bots.process.leftovers import sweep

NEW, MEMORY = 0o1600, 1 << 20
KEEPS = """
import ctypes
libc = ctypes.CDLL(None)
print(libc.shmget(0, 1 << 20, 0o1600), libc.semget(0, 1, 0o1600), libc.msgget(0, 0o1600), flush=True)
open("/dev/shm/arena-left-over", "w").write("x")
"""


def there(kind: str, number: int) -> bool:
    lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
    return str(number) in (line.split()[1] for line in lines)


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives each bot a user of its own")
def test_what_a_bot_leaves_in_the_kernel_goes_with_it(tmp_path: Path) -> None:
    libc = ctypes.CDLL(None)
    ours = libc.shmget(0, MEMORY, NEW)
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o055) if folder != Path("/") else None
    try:
        launch = wrap(["python3", "-c", KEEPS], level=SandboxLevel.L0, bot_folder=tmp_path)
        said = subprocess.run(launch.argv, env=dict(launch.env), cwd=tmp_path, capture_output=True, text=True)
        numbers = [int(word) for word in said.stdout.split()]
        assert len(numbers) == 3 and min(numbers) >= 0, said.stderr
        assert all(there(kind, number) for kind, number in zip(("shm", "sem", "msg"), numbers, strict=True))
        launch.release_now()
        assert not any(there(kind, number) for kind, number in zip(("shm", "sem", "msg"), numbers, strict=True))
        assert not Path("/dev/shm/arena-left-over").exists()
        assert there("shm", ours)
    finally:
        libc.shmctl(ours, 0, None)


def test_of_a_user_who_has_nothing_nothing_is_removed() -> None:
    assert sweep(4_000_000_000) == 0
