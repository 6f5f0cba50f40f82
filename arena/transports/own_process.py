"""Processes of our own program: how to start one so that it ends with its starter."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def command(module: str) -> list[str]:
    """The command that runs `main` of a module with the same import path as this process; append its arguments."""
    path = [each or os.getcwd() for each in sys.path]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; from {module} import main; main()"]


def end_with(parent: int) -> None:
    """From now on this process is killed when `parent` ends, however that happens.

    The kernel ties this to the thread that started this process, which must live as long as its process: the thread of
    the event loop. Ctrl-C goes to the whole process group, and the parent decides what it means.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we could ask for the signal
        os._exit(1)
