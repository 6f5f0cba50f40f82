"""Processes of our own program: how one is started, and that it ends with the one that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def command(module: str) -> list[str]:
    """Starts `main` of a module, which finds what this process would import; its arguments are appended."""
    path = [each or os.getcwd() for each in sys.path]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; from {module} import main; main()"]


def end_with(parent: int) -> None:
    """From here on this process is killed when `parent` ends, however that ends.

    The kernel ties that to the thread that started this process, so it has to be one that lives as long as its process:
    the one of the event loop. Ctrl-C goes to the whole group of processes; what it means is for the parent to decide.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we could ask for the signal
        os._exit(1)
