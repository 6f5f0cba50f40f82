"""One slot of the local engine: a process that answers one line of JSON with another, `arena.work.engine`.

Its first line, `{}`, says that it ends with its parent, however that happens.
A job is `[function, job]`, the function as `module:name`; its answer `{"answer": …}` or `{"failed": "why"}`, in which
`lacks` says whether another machine may have what was missing. If a third element asks for slices, each of them is a
line `{"slice": …}` before the answer.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import sys
from contextlib import suppress
from typing import Any

from arena.transports.own_process import end_with

# At this niceness a process runs only when a processor would be idle.
LEAST_URGENT = 19
# A machine without room on its disk, open files or memory, without the right to use its disk, without a way to what it
# has to ask for, or without a program that others have.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_NO_DISK = {errno.EACCES, errno.EPERM, errno.EIO}
LACKS = frozenset({*_NO_ROOM, *_NO_DISK, errno.EHOSTUNREACH, errno.ENOPKG})


def main() -> None:
    """`PARENT NICE [PROCESSOR]`."""
    parent, nice, *processor = map(int, sys.argv[1:])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a function prints is not an answer

    def say(words: dict[str, Any]) -> None:
        print(json.dumps(words), file=answers, flush=True)

    end_with(parent)
    say({})
    give_way(nice)
    if processor:
        os.sched_setaffinity(0, processor)
    for line in sys.stdin:
        function, job, *slices = json.loads(line)
        say(_answer(function, job, *([lambda found: say({"slice": found})] if slices else [])))


def give_way(nice: int) -> None:
    """`nice` as the system counts it."""
    os.nice(nice)
    if nice >= LEAST_URGENT:
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _answer(function: str, *arguments: Any) -> dict[str, Any]:
    module, _, name = function.partition(":")
    try:
        return {"answer": getattr(importlib.import_module(module), name)(*arguments)}
    except Exception as why:
        return {"failed": _said(why), "lacks": any(map(_is_lack, (why, why.__cause__)))}


def _said(why: Exception) -> str:
    """An error of ours is a sentence; others are often a name only, as in `KeyError: 'seat'`."""
    return str(why) if type(why).__module__.startswith("arena.") else f"{type(why).__name__}: {why}"


def _is_lack(why: BaseException | None) -> bool:
    """Whether another machine may do better: also one with more memory, or on which all of Arena is installed."""
    return isinstance(why, MemoryError | ImportError) or (isinstance(why, OSError) and why.errno in LACKS)
