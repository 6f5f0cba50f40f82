"""Killing a process with everyone it has started (Linux: who belongs to whom is read in /proc)."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without its enumerations, which take long to import
import os
from functools import cache

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from collections.abc import Iterator

# A program that forks faster than we look must be bounded by the sandbox.
STOP_PASSES = 20
# The states of a thread that is stopped, is a zombie, or is gone.
_STANDING = (b"T", b"t", b"Z", b"X", b"")


def kill_all(*leaders: int) -> bool:
    """Kill the processes, each the leader of a session, all of that session and their descendants. Returns whether
    there were any.

    The id of a leader must still be its own: it is until the leader is reaped, and after that while a member of its
    session is left. For a leader that others may have reaped, call this at once, and not repeatedly.

    All are stopped before the first is killed: with its parent dead, a process that left the session could not be
    found.
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


def stop_family(leader: int) -> set[int]:
    """Stop this process and all its descendants, and return them. Each is stopped before its children are listed;
    whoever has lost its parent meanwhile, or is being forked, may be missing.
    """
    if not _tells_children():
        found = members(leader)
        signal_all(found, signal.SIGSTOP)
        return found
    found, todo = set[int](), [leader]
    while todo:
        pid = todo.pop()
        if pid not in found:
            found.add(pid)
            signal_all({pid}, signal.SIGSTOP)
            todo += _children(pid)
    return found


def stand_still(pids: set[int]) -> bool:
    """Whether all their threads are stopped or have ended. One that was interrupted while it forks does so still, once
    it has the processor again, whatever signal is ahead of it.
    """
    threads = (path for pid in pids for path in _threads(pid))
    return all(_read(f"{path}/stat").rpartition(b")")[2][1:2] in _STANDING for path in threads)


def signal_all(pids: set[int], number: int) -> None:
    """Signal the processes that still exist."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def kill_family(leader: int) -> None:
    """Kill a process of ours that is not reaped yet, and its descendants, without examining other processes if the
    kernel lists children. Those that lost their parents earlier are for `kill_all`.
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
    for path in _threads(pid):
        yield from map(int, _read(f"{path}/children").split())


def _threads(pid: int) -> list[str]:
    try:
        return [f"/proc/{pid}/task/{thread}" for thread in os.listdir(f"/proc/{pid}/task")]
    except OSError:  # it is gone
        return []


@cache
def _tells_children() -> bool:
    """Whether this kernel lists children."""
    return os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # there is nobody


def members(*leaders: int) -> set[int]:
    """All living processes in the session of one of `leaders`, and their descendants."""
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
    """Whether the process is of one of these sessions: a system call, twenty times as fast as /proc."""
    try:
        return os.getsid(pid) in leaders
    except (ProcessLookupError, PermissionError):
        return False


def _is_alive(pid: int) -> bool:
    """Whether it exists and is not a zombie."""
    state = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split(None, 1)
    return bool(state) and state[0] != b"Z"


def _members_by_parents(*leaders: int) -> set[int]:
    """The same if the kernel does not list children: reads the parents of all processes."""
    children: dict[int, list[int]] = {}
    todo: list[int] = []
    for pid, parent, session in _processes():
        children.setdefault(parent, []).append(pid)
        if session in leaders:
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


def _processes() -> Iterator[tuple[int, int, int]]:
    """(pid, parent, session) of all processes of this machine except zombies."""
    for pid in _numbers():
        # The program's name is in brackets and may contain anything, even brackets.
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split(None, 4)
        if len(fields) > 4 and fields[0] != b"Z":
            yield pid, int(fields[1]), int(fields[3])


def _read(path: str) -> bytes:
    """The contents of a file in /proc, empty if gone; without a file object in 11 µs instead of 22."""
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
