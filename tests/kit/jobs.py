"""What slots are given to compute; it is imported there, without Django."""

from __future__ import annotations

from pathlib import Path


def write(file: str) -> None:
    """A program, say."""
    Path(file).write_text("a program")
