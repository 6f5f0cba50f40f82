"""Killing a process with everyone it has started (Linux: who belongs to whom is read in /proc)."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without its enumerations, which take long to import
import os
from functools import cache

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from collections.abc import Iterator

# Who forks faster than we look is the sandbox's to bound.
STOP_PASSES = 20


def kill_all(*leaders: int) -> bool:
    """Kill the processes, their groups, their sessions and their descendants. Whether there was anybody.

    The number of a leader must still be its own: it is until it is reaped, and after that while anybody of its session
    or its group is left. Who calls this for a leader that others may have reaped must do so at once, and stop soon.

    All are stopped before the first is killed: with its parent dead, one that left the session could not be found.
    """
    stopped: set[int] = set()
    for _ in range(STOP_PASSES):
        found = members(*leaders) - stopped
        if not found:
            break
        stopped |= found
        signal_all(found, signal.SIGSTOP)
    for leader in leaders:
        _kill_group(leader)
    signal_all(stopped, signal.SIGKILL)
    return bool(stopped)


def family(leader: int) -> set[int]:
    """This process and everyone who descends from it."""
    if not _tells_children():
        return members(leader)
    found, todo = set[int](), [leader]
    while todo:
        pid = todo.pop()
        if pid not in found:
            found.add(pid)
            todo += _children(pid)
    return found


def signal_all(pids: set[int], number: int) -> None:
    """Those of them who are there still."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def kill_family(leader: int) -> None:
    """Kill a process of ours that is not reaped yet, and everyone who descends from it.

    Who has lost its parents before is not among them: once the leader is dead, `kill_all` finds those of its session,
    at the price of a look at everybody on this machine. Here nobody else is looked at, where the kernel tells children.
    """
    if not _tells_children():
        kill_all(leader)
        return
    stopped, found = set[int](), {leader}
    for _ in range(STOP_PASSES):
        signal_all(found, signal.SIGSTOP)
        stopped |= found
        found = {child for pid in stopped for child in _children(pid)} - stopped
        if not found:
            break
    _kill_group(leader)
    signal_all(stopped, signal.SIGKILL)


def _children(pid: int) -> Iterator[int]:
    """The children of all its threads."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:  # it is gone
        return
    for thread in threads:
        yield from map(int, _read(f"/proc/{pid}/task/{thread}/children").split())


@cache
def _tells_children() -> bool:
    """Whether this kernel was built so that it does."""
    return os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # there is nobody


def members(*leaders: int) -> set[int]:
    """Everyone alive who is in the session or the group of one of `leaders`, or descends from one who is."""
    if not _tells_children():
        return _members_by_parents(*leaders)
    members: set[int] = set()
    todo = [pid for pid in _numbers() if _belongs(pid, leaders)]
    while todo:
        pid = todo.pop()
        if pid not in members and _is_alive(pid):
            members.add(pid)
            todo += _children(pid)
    return members


def _belongs(pid: int, leaders: tuple[int, ...]) -> bool:
    """To its session or its group. Asked of the kernel: what stands of a process in /proc takes it twenty times as long
    to write.
    """
    try:
        return os.getsid(pid) in leaders or os.getpgid(pid) in leaders
    except (ProcessLookupError, PermissionError):
        return False


def _is_alive(pid: int) -> bool:
    """Whether it is there, and more than a zombie."""
    state = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split(None, 1)
    return bool(state) and state[0] != b"Z"


def _members_by_parents(*leaders: int) -> set[int]:
    """The same where the kernel tells nobody's children: who has which parent is read of everybody."""
    children: dict[int, list[int]] = {}
    todo: list[int] = []
    for pid, parent, group, session in _processes():
        children.setdefault(parent, []).append(pid)
        if group in leaders or session in leaders:
            todo.append(pid)
    members: set[int] = set()
    while todo:
        pid = todo.pop()
        if pid not in members:
            members.add(pid)
            todo += children.get(pid, ())
    return members


def _numbers() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _processes() -> Iterator[tuple[int, int, int, int]]:
    """(pid, parent, group, session) of everyone on this machine who is not a zombie."""
    for pid in _numbers():
        # The program's name stands in brackets and may hold anything, brackets too.
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split(None, 4)
        if len(fields) > 4 and fields[0] != b"Z":
            yield pid, int(fields[1]), int(fields[2]), int(fields[3])


def _read(path: str) -> bytes:
    """What stands there in /proc, empty when it is gone. No file object: 11 µs a process for 22, and a loop waits."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(fd, 64 * 1024)
    except OSError:
        return b""
    finally:
        os.close(fd)
