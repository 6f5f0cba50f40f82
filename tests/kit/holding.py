"""Bots that begin no match before a test lets them: until then an event is in its middle, however slow the test is."""

from __future__ import annotations

from pathlib import Path

# The beginning of such a bot, a program in Python that runs in the folder.
HELD = """import glob, os, time
while os.path.exists("held"):
    try:
        os.remove(glob.glob("match.*")[0])
        break
    except (IndexError, FileNotFoundError):
        time.sleep(0.01)
"""


def hold(folder: Path, but: int = 0) -> None:
    """From now on a bot there begins so many matches and no more."""
    (folder / "held").touch()
    for match in range(but):
        (folder / f"match.{match}").touch()


def let_go(folder: Path) -> None:
    (folder / "held").unlink()
