"""The Chromium of the tests: the program, and how it is started."""

from __future__ import annotations

import os
import shutil

# The first one draws no window of its own, which halves what a page costs; the others do as well.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # All pages of one person share a process: our pages ask for a group of their own (COOP), for which a new page would
    # be given a second one. Each person still has one that is nobody else's.
    "--renderer-process-limit=1",
]
# How often `wait_for_function` asks. By default it asks in every frame, and so has sixty of them drawn in a second in
# which nothing changes: 70 ms of processor time.
POLL_MS = 50


def program() -> str:
    """Its path. `CHROMIUM` names another one."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert found, "Chromium is not installed here: `make test` installs it where that is allowed"
    return found
