"""Finds out what a silent process does: wait for input or compute (Linux: reads the current system call in /proc)."""

from __future__ import annotations

import os

from arena.transports.process_tree import members

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from collections.abc import Iterator

# The numbers of read, readv, recvfrom and recvmsg, of poll and select, and of epoll_wait in all their spellings.
_CALLS = {
    "x86_64": (frozenset({0, 19, 45, 47}), frozenset({7, 23, 270, 271}), frozenset({232, 281, 441})),
    "aarch64": (frozenset({63, 65, 207, 212}), frozenset({72, 73}), frozenset({22, 441})),
}
_READS, _POLLS, _EPOLLS = _CALLS.get(os.uname().machine, (frozenset(), frozenset(), frozenset()))


def reads_input(leader: int) -> bool | None:
    """Whether a process of this session is blocked reading its standard input or a socket, and none is running.

    None if that is unknown: one sleeps in poll, which may only wait for time, or cannot be examined.
    """
    calls = [call for pid in members(leader) for call in _calls(pid)]
    if "running" in calls:
        return False
    if {"reads", "receives"} & set(calls):
        return True
    return None if not calls or {"unknown", "watches"} & set(calls) else False


def asks(leader: int) -> bool:
    """Whether a process is blocked reading its standard input itself, as one that asks somebody does."""
    return any(call == "reads" for pid in members(leader) for call in _calls(pid))


def waits_for_input(leader: int) -> bool:
    """Whether a process waits for input and none runs: in `read`, or as Node in `epoll_wait`, with any timeout."""
    calls = {call for pid in members(leader) for call in _calls(pid)}
    return "running" not in calls and bool({"reads", "receives", "watches"} & calls)


def _calls(pid: int) -> Iterator[str]:
    """The state of each thread of the process: `running`, `reads`, `receives`, `watches`, `sleeps`, `unknown`."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/syscall", encoding="ascii") as file:
                yield _word(pid, file.read().split())
        except PermissionError:
            yield "unknown"
        except OSError:
            continue


def _word(pid: int, call: list[str]) -> str:
    if not call or call[0] == "running":
        return "running"
    number = int(call[0])
    if number in _EPOLLS:
        return "watches" if _watches_input(pid, int(call[1], 16)) else "unknown"
    if number in _POLLS or not _READS:
        return "unknown"
    if number in _READS and _is_input(pid, int(call[1], 16)):
        return "reads" if _is_standard_input(pid, int(call[1], 16)) else "receives"
    return "sleeps"


def _watches_input(pid: int, epoll: int) -> bool:
    try:
        with open(f"/proc/{pid}/fdinfo/{epoll}", encoding="ascii") as file:
            return any(line.startswith("tfd:") and _is_input(pid, int(line.split()[1])) for line in file)
    except OSError:
        return False


def _is_input(pid: int, fd: int) -> bool:
    """Whether it is the standard input, under any number, or a socket."""
    return _is_standard_input(pid, fd) or _file(pid, fd).startswith("socket:")


def _is_standard_input(pid: int, fd: int) -> bool:
    return fd == 0 or "" != _file(pid, fd) == _file(pid, 0)


def _file(pid: int, fd: int) -> str:
    """What stands behind this number; "" if that cannot be seen."""
    try:
        return os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        return ""
