"""The sandbox for machines without namespaces: a launcher that confines itself and then becomes the bot.

The child runs this file's text with `python -c`, so it imports only the standard library. It uses rlimits, a separate
user, Landlock (files, TCP, signals; `man 7 landlock`) and seccomp, all of which survive `exec`.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_MODE_FILTER = 1, 22, 38, 2
# These three calls have the same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION, _RULE_PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
# The number of file rights in each version: 2 adds moving, 3 truncating, 5 device commands.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


def command(argv: Sequence[str], python: str = sys.executable, **spec: Any) -> list[str]:
    """The command that runs `argv` through the launcher. `spec`: parent (the process to die with), env, rlimits (name:
    soft, hard), uid or None, landlock (None or the paths that may be read and executed), seccomp (None or a hex
    filter).
    """
    return [python, "-I", "-S", "-c", Path(__file__).read_text(encoding="utf-8"), json.dumps(spec), *argv]


def landlock_version() -> int:
    """The kernel's version of Landlock, 0 if it has none."""
    version: int = _libc().syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    return max(version, 0)


def main() -> None:
    spec, argv = json.loads(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        _become(spec["uid"])
        _die_with(spec["parent"])
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        if spec["landlock"] is not None:
            _see_only(spec["landlock"])
        if spec["seccomp"] is not None:
            _filter(bytes.fromhex(spec["seccomp"]))
        # Last, because this launcher needs more than some bots do.
        _limit(spec["rlimits"])
        os.execvpe(argv[0], argv, spec["env"])
    except OSError as error:
        sys.exit(f"sandbox: {argv[0]}: {error.strerror}")


def _become(uid: int | None) -> None:
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def _die_with(parent: int) -> None:
    """Die with the parent. The kernel drops this setting when the user changes."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("sandbox: the server is gone")


def _limit(rlimits: Mapping[str, Sequence[int]]) -> None:
    for name, (soft, hard) in rlimits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (soft, hard))


def _see_only(readable: Sequence[str]) -> None:
    version = landlock_version()
    if not version:
        return
    every = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    network = _BIND_AND_CONNECT if version >= 4 else 0
    scope = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0
    attributes = struct.pack("=QQQ", every, network, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = _call(_CREATE_RULESET, attributes, len(attributes), 0)
    for path in readable:
        is_folder = os.path.isdir(path)
        _allow(rules, path, _EXECUTE | _READ_FILE | (_READ_DIR if is_folder else 0))
    for path in DEVICES:
        _allow(rules, path, _READ_FILE | _WRITE_FILE)
    _call(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        _call(_ADD_RULE, rules, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def _filter(code: bytes) -> None:
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(Program(len(code) // 8, code)))


def _prctl(*arguments: Any) -> None:
    padding = (0,) * (5 - len(arguments))
    if _libc().prctl(*arguments, *padding):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _call(number: int, *arguments: Any) -> int:
    result: int = _libc().syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


if __name__ == "__main__":
    main()
