"""Processes of our own program: how to start one so that it ends with its starter."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def command(module: str, ends_with: int | None = None) -> list[str]:
    """The command that runs `main` of a module with the same import path as this process; append its arguments. With
    `ends_with` it is one that does not call `end_with` by itself.
    """
    path = [each or os.getcwd() for each in sys.path]
    bound = "" if ends_with is None else f"from {__name__} import end_with; end_with({ends_with}); "
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; {bound}from {module} import main; main()"]


def end_with(parent: int) -> None:
    """From now on this process is killed when the thread of `parent` that started it ends: so that must be the event
    loop's. Ctrl-C is for the parent to decide.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we could ask for the signal
        os._exit(1)
