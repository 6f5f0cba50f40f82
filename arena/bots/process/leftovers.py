"""What a bot without its own IPC namespace leaves in the kernel (System V IPC, POSIX shared memory and queues, which
outlive every process), removed by its user: under root, each bot has its own.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

_REMOVE = 0  # IPC_RMID
_TABLES = Path("/proc/sysvipc")
_FOLDERS = (Path("/dev/shm"), Path("/dev/mqueue"))


def sweep(uid: int) -> int:
    """Remove everything of this user, whose processes are dead. Returns how many objects there were."""
    libc = ctypes.CDLL(None)
    gone = [libc.shmctl(number, _REMOVE, None) for number in _owned("shm", uid)]
    gone += [libc.semctl(number, 0, _REMOVE) for number in _owned("sem", uid)]
    gone += [libc.msgctl(number, _REMOVE, None) for number in _owned("msg", uid)]
    return gone.count(0) + sum(_files_of(folder, uid) for folder in _FOLDERS)


def _owned(kind: str, uid: int) -> list[int]:
    """The ids of this user's segments, sets or queues: the second column of rows whose owner is `uid`."""
    try:
        header, *lines = (_TABLES / kind).read_text(encoding="ascii").splitlines()
    except OSError:  # a kernel without System V IPC
        return []
    owner = header.split().index("uid")
    return [int(words[1]) for words in map(str.split, lines) if int(words[owner]) == uid]


def _files_of(folder: Path, uid: int) -> int:
    removed = 0
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                if path.lstat().st_uid == uid:
                    path.unlink()
                    removed += 1
    return removed
