"""Finding a program to start, and the environment that it gets from us."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ")
# What runs JavaScript. Its readline repeats on a terminal everything that it reads, and it needs none to flush.
_JAVASCRIPT = frozenset({"node", "nodejs", "deno", "bun", "npm", "npx", "tsx", "ts-node"})
# No longer line names an interpreter.
_FIRST_LINE = 256


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


def takes_terminal(argv: Sequence[str], cwd: str) -> bool:
    """Whether this program is given a terminal for its output, where many flush at each line. Runners of other arenas
    have pipes, so what a terminal would harm gets one.
    """
    words = [*_interpreter(os.path.join(cwd, argv[0])), *argv] if "/" in argv[0] else argv
    names = [os.path.basename(word) for word in words[:2]]
    return not (names[0] in _JAVASCRIPT or (names[0] == "env" and names[-1] in _JAVASCRIPT))


def _interpreter(path: str) -> list[str]:
    """The words of the first line that name a script's interpreter; none if the file has no such line."""
    try:
        with open(path, "rb") as file:
            line = file.read(_FIRST_LINE).split(b"\n")[0]
    except OSError:
        return []
    words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
    return [word for word in words if word != "-S"]
