"""A child process: its stdin is a pipe, its stdout a raw pseudo-terminal, its stderr a ring of the last 64 KiB.

On a terminal C and Python flush at each newline, so a bot that never flushes works here; in raw mode the terminal adds
no echo and no CR. The child has its own session and a clean environment, dies with us even after `kill -9`, and leaves
nothing behind: at its end we kill all processes of its session and their descendants; at ours the supervisor
does. Without a sandbox, a process that has left the session *and* lost its parents is out of reach.

`spawn` must run in the thread of the event loop: PDEATHSIG is bound to the thread that makes the child.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tty
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.transports import Receiver, Transport
from arena.transports.process import ChildTransport
from arena.transports.programs import check, environment, takes_terminal
from arena.transports.supervisor import Supervisor

# No bot runs before the supervisor knows of it. If we die before that, the input ends, and with it the shell.
_GATE = ("/bin/sh", "-c", 'read -r go && exec "$@"', "sh")
_GO = b"\n"
# PR_SET_PDEATHSIG, and what Python itself changes: SIGPIPE, and LC_CTYPE where the locale is C.
_PYTHON_LAUNCHER = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, 9)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.environ.pop("LC_CTYPE", None)
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error}")
"""

supervisor = Supervisor()


async def spawn(
    argv: Sequence[str],
    receiver_factory: Callable[[Transport], Receiver],
    *,
    cwd: str | Path,
    env: Mapping[str, str] | None = None,
    pty: bool = True,
    pass_fds: Sequence[int] = (),
) -> ChildTransport:
    """Start the command `argv` in the folder `cwd`, with exactly `env` or the caller's PATH, HOME, LANG and TZ.

    It inherits no open file of ours but `pass_fds`, under the same numbers; ours stay open.
    Raises FileNotFoundError or PermissionError naming the command or the folder, OSError when the machine has no
    process or terminal left.
    """
    exactly = environment() if env is None else dict(env)
    check(argv[0], str(cwd), exactly)
    ours, theirs = _terminal() if pty and takes_terminal(argv, str(cwd)) else os.pipe()
    try:
        process = subprocess.Popen(
            [*_GATE, *_with(exactly), *_launcher(), *argv],
            stdin=subprocess.PIPE,
            stdout=theirs,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={},
            bufsize=0,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    _let_go(process)
    peer = f"{argv[0]} (pid {process.pid})"
    return ChildTransport(asyncio.get_running_loop(), process, ours, peer, receiver_factory, supervisor.release)


def _terminal() -> tuple[int, int]:
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    return ours, theirs


def _with(env: Mapping[str, str]) -> list[str]:
    """The command in front of another that gives it exactly this environment: every shell adds variables of its own."""
    return [shutil.which("env") or "/usr/bin/env", "-i", *(f"{name}={value}" for name, value in env.items())]


def _let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None, "asked for"
    supervisor.guard(process.pid)
    with suppress(BrokenPipeError):
        process.stdin.write(_GO)


@cache
def _launcher() -> tuple[str, ...]:
    """The command in front of a bot's own that makes it die with us.

    `preexec_fn` would do the same at 28 ms from a parent of 600 MB, and the loop stands still for it.
    """
    setpriv = shutil.which("setpriv")
    command = (setpriv or "setpriv", "--pdeathsig", "KILL", "--")
    # Busybox has a setpriv as well, without this option.
    if setpriv and subprocess.run([*command, "true"], capture_output=True).returncode == 0:
        return command
    return (sys.executable, "-I", "-S", "-c", _PYTHON_LAUNCHER)
