"""The version of the code that judges a match: workers compute only for a host with the same version."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import arena.match
import games

# The folders with which a match is judged and analysed, side by side in a checkout and in a wheel.
_PARTS = ("match", "protocols", "play", "analysis")
_KINDS = {".py", ".wasm"}


@cache
def rules_version() -> str:
    """The first 12 digits of a SHA-256 over all of it: two installations of one release have the same."""
    arena_folder, games_folder = Path(arena.match.__path__[0]).parent, Path(games.__path__[0])
    return version_of([games_folder, *(arena_folder / part for part in _PARTS)])


def version_of(folders: list[Path]) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _KINDS):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            digest.update(f"{name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
