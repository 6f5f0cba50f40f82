"""Finding a program to start, and the environment that it gets from us."""

from __future__ import annotations

import codecs
import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ")
# Why a program failed is found in the English words of its shell and its language; `LANG` still names its encoding.
_IN_ENGLISH = {"LC_MESSAGES": "C"}
# What a terminal harms: JavaScript's readline repeats everything that it reads there, Tcl ends its lines in \r\n, and
# nohup writes to a file instead.
_JAVASCRIPT = ("node", "nodejs", "deno", "bun", "npm", "npx", "pnpm", "yarn", "tsx", "ts-node")
_PIPED = frozenset({*_JAVASCRIPT, "tclsh", "tclsh8.6", "tclsh9.0", "nohup"})
# What runs the program that is named behind it.
_RUNS = frozenset({"env", "exec", "command", "time", "timeout", "nice", "ionice", "setsid", "stdbuf", "taskset"})
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
NOT_EXECUTABLE = "not executable (chmod +x, or name its interpreter)"
# How much of a script is read, and of its first line.
_READ, _FIRST = 4096, 256


def environment() -> dict[str, str]:
    """The environment of a child if none is given."""
    return {name: os.environ[name] for name in ENVIRONMENT if name in os.environ} | _IN_ENGLISH


def check(command: str, cwd: str, env: Mapping[str, str]) -> None:
    """Report what is missing before anything is started: the launcher could only report it on the bot's stderr.

    Raises FileNotFoundError or PermissionError naming the command or the folder.
    """
    if not os.path.isdir(cwd):
        raise FileNotFoundError(errno.ENOENT, "no such folder to start a bot in", cwd)
    path = os.path.join(cwd, command) if "/" in command else command
    search = env.get("PATH", os.defpath)
    if found := which(path, search):
        if why := not_run(found, command, cwd, search):
            raise FileNotFoundError(errno.ENOENT, why, command)
        return
    if "/" in command and os.path.isfile(path):
        raise PermissionError(errno.EACCES, NOT_EXECUTABLE, command)
    raise FileNotFoundError(errno.ENOENT, "no such command", command)


def not_started(why: OSError) -> str:
    """Why a program did not start, such as `no such command: ./bot`, for a log that everybody may read: of a whole path
    only the last part, because the rest says where things are on this machine.
    """
    if not why.strerror or not why.filename:
        return str(why)
    named = os.path.basename(why.filename) if os.path.isabs(why.filename) else why.filename
    return f"{why.strerror}: {named}"


def which(command: str, path: str) -> str | None:
    """The file that `command` runs, as `shutil.which` finds it, whose import takes longer than a program's start."""
    files = [command] if "/" in command else [os.path.join(folder, command) for folder in path.split(os.pathsep)]
    return next((file for file in files if os.access(file, os.X_OK) and not os.path.isdir(file)), None)


def not_run(found: str, command: str, cwd: str, search: str) -> str:
    """Why a script, found for this command, does not run here, and what in its place does; "" if it runs."""
    if spoiled := spoiled_by(found):
        return spoiled
    missing = missing_interpreter(found, cwd, search)
    if not missing:
        return ""
    first, *rest = interpreter(found).split()
    words = [os.path.basename(first), *rest]
    programs = [word for word in words if not word.startswith("-") and "=" not in word]
    helps = all(which(word, search) for word in (programs if words[0] == "env" else programs[:1]))
    instead = f" (try: {' '.join([*words, command])})" if helps else ""
    return f"no {missing!r}, which its first line names{instead}"


def missing_interpreter(script: str, cwd: str, search: str) -> str:
    """What the first line of this script names to run it and this machine does not have; "" if nothing is missing.

    The kernel takes the first word for a path and hands it the rest as one word: `env guile -s` looks for `guile -s`.
    """
    first, _, rest = interpreter(script).partition(" ")
    rest = rest.strip()
    if first and not which(os.path.join(cwd, first), ""):
        return first
    if rest.startswith("-"):
        rest = next((word for word in rest.split() if not word.startswith("-") and "=" not in word), "")
    return rest if os.path.basename(first) == "env" and rest and not which(rest, search) else ""


def interpreter(script: str) -> str:
    """What the first line of this script names to run it; "" if the line ends in `\\r\\n`, which few take."""
    line = _first_line(script)
    runs = line.startswith(b"#!") and not line.endswith(b"\r\n")
    return line[2:].decode("utf-8", "replace").replace("\t", " ").strip() if runs else ""


def spoiled_by(script: str) -> str:
    """The bytes for which nobody finds the interpreter that the first line of this script names; "" if it can be found.

    The last word takes the carriage return with it, which is harmless where that is an option: `env -S` drops it.
    """
    line = _first_line(script)
    if line.startswith(codecs.BOM_UTF8 + b"#!"):
        return "the bytes ef bb bf, a byte order mark, stand before #! in its first line (save it as UTF-8 without one)"
    words = line[2:].split()
    by_name = words[1:] if words and os.path.basename(words[0]) == b"env" else words
    if line.startswith(b"#!") and line.endswith(b"\r\n") and len(by_name) == 1:
        file = os.path.basename(script)
        return f"the byte 0x0d, a carriage return, ends its first line (try: sed -i 's/\\r$//' {file})"
    return ""


def _first_line(script: str) -> bytes:
    """Nothing of a file that cannot be read."""
    try:
        with open(script, "rb") as file:
            return file.readline(_FIRST)
    except OSError:
        return b""


def takes_terminal(argv: Sequence[str], cwd: str) -> bool:
    """Whether this program is given a terminal for its output, where many flush at each line. Runners of other arenas
    have pipes, so what a terminal would harm gets one, also where a shell script runs it.
    """
    words, script = that_run(argv), ""
    if words and "/" in words[0]:
        script = _beginning(os.path.join(cwd, words[0]))
        words = [*script.partition("\n")[0].removeprefix("#!").split(), *words] if script.startswith("#!") else words
    if _program(argv) in _SHELLS:
        script = _said_to_shell(that_run(argv)[1:], cwd)
    name = _program(words)
    if name in _SHELLS:
        commands = script.replace("&&", "\n").replace(";", "\n").splitlines()
        return not any(_program(command.split()) in _PIPED for command in commands)
    return name not in _PIPED


def _program(words: Sequence[str]) -> str:
    """The name of the program that these words run."""
    return os.path.basename(next(iter(that_run(words)), ""))


def that_run(words: Sequence[str]) -> list[str]:
    """These words from the program on, without what runs it: `timeout -s KILL 60 ./bot 3` runs `./bot 3`."""
    is_run = False
    for at, word in enumerate(words):
        is_value = is_run and (word.isupper() or word[:1].isdigit())
        if os.path.basename(word) in _RUNS:
            is_run = True
        elif not (is_value or word.startswith("-") or "=" in word):
            return list(words[at:])
    return []


def _said_to_shell(arguments: Sequence[str], cwd: str) -> str:
    """The commands that a shell gets with these arguments: behind `-c`, or `-lc`, or in a file."""
    options = ""
    for word in arguments:
        if "c" in options:
            return word
        if "o" not in options and not word.startswith("-"):
            return _beginning(os.path.join(cwd, word))
        options = word if word.startswith("-") and not word.startswith("--") else ""
    return ""


def _beginning(path: str) -> str:
    """The beginning of a script; nothing of a file that cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_READ).decode(errors="replace")
    except OSError:
        return ""
