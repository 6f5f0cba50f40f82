"""The place of files that are not Python: beside the package in a checkout, inside it in an installed Arena."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (ROOT / "manage.py").exists()
# What starts the commands of Arena, as sentences name it.
PROGRAM = "manage.py" if IS_CHECKOUT else "arena"
# Templates, static files and the texts that pages show from `docs/`; pyproject.toml puts them into the wheel.
FILES = ROOT if IS_CHECKOUT else ROOT / "arena" / "files"
# What browsers are sent of the games themselves: the module of WebAssembly that built-in players search with.
KERNEL = ROOT / "games" / "players" / "kernel"


def version() -> str:
    """The release that is installed, "" in a checkout that nobody has installed."""
    from importlib import metadata  # imported only where needed: commands start sooner

    try:
        return metadata.version("arena")
    except metadata.PackageNotFoundError:
        return ""
