"""Finding a program to start, and the environment that it gets from us."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ")


def environment() -> dict[str, str]:
    """The environment of a child if none is given."""
    return {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}


def check(command: str, cwd: str, env: Mapping[str, str]) -> None:
    """Report what is missing before anything is started: the launcher could only report it on the bot's stderr.

    Raises FileNotFoundError or PermissionError naming the command or the folder.
    """
    if not os.path.isdir(cwd):
        raise FileNotFoundError(errno.ENOENT, "no such folder to start a bot in", cwd)
    path = os.path.join(cwd, command) if "/" in command else command
    if which(path, env.get("PATH", os.defpath)):
        return
    if "/" in command and os.path.isfile(path):
        raise PermissionError(errno.EACCES, "not executable (chmod +x, or name its interpreter)", command)
    raise FileNotFoundError(errno.ENOENT, "no such command", command)


def which(command: str, path: str) -> str | None:
    """The file that `command` runs, as `shutil.which` finds it, whose import takes longer than a program's start."""
    files = [command] if "/" in command else [os.path.join(folder, command) for folder in path.split(os.pathsep)]
    return next((file for file in files if os.access(file, os.X_OK) and not os.path.isdir(file)), None)
