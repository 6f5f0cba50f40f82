"""How a bot is started at each level of the sandbox: the exact command, its environment and inherited files.

The user is changed before bubblewrap starts, because another user inside a sandbox made by root is still root outside,
and exempt from process limits. The limits are set inside: outside, processes of the server's own user would count too,
and with more of them than `Limits.processes` bubblewrap itself could not start.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import count, cycle
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.bots.process import cgroups, confine, leftovers, seccomp
from arena.transports.programs import check, interpreter, which

MIB = 1 << 20
# Where programs are searched: only files below /usr and in the bot's own folder are visible.
PATH = "/usr/local/bin:/usr/bin:/bin"
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Debian's /usr has links into these.
CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/java*", "/etc/ssl/openssl.cnf")
BOT = "/bot"
IN_SANDBOX = "in the sandbox, which shows /usr and, as its start folder, the bot's own"
FIRST_UID, SLOTS = 61000, 1000
# Processes in a group besides the bot's own: two of bubblewrap and one that is just starting.
SANDBOX_PROCESSES = 4
RELEASE_STEPS, RELEASE_STEP_S = 1000, 0.005

log = logging.getLogger("arena.bots")


class SandboxLevel(IntEnum):
    """How much the sandbox restricts. `LEVELS` describes it in words."""

    L0 = 0
    L1 = 1
    L2 = 2
    L3 = 3


class Meaning(NamedTuple):
    made_of: str
    good_for: str


LEVELS: Mapping[SandboxLevel, Meaning] = MappingProxyType(
    {
        SandboxLevel.L0: Meaning(
            "limits on memory, processes and files", "bots whose source you have read: it is not a sandbox"
        ),
        SandboxLevel.L1: Meaning("L0, a filter on system calls, Landlock on files", "bots of people you know"),
        SandboxLevel.L2: Meaning(
            "bubblewrap: namespaces, a filter on system calls, limits for each process", "anyone's bots"
        ),
        SandboxLevel.L3: Meaning(
            "L2, and a control group that bounds all processes of a bot together", "anyone's bots"
        ),
    }
)


class Unreachable(OSError):
    """The sandbox cannot run this program, or not in this folder: `strerror` says why, `filename` which."""


@dataclass(frozen=True, slots=True)
class BotLimits:
    """The limits of one bot. `memory` is for all its processes together and only applies at L3, `address_space` is for
    each of them (None: what its language needs); `cpu_s` is the lifetime CPU time of each process. Sizes are in bytes.
    """

    memory: int = 512 * MIB
    address_space: int | None = None
    processes: int = 40
    open_files: int = 64
    file_size: int = MIB
    cpu_s: int = 600
    tmp: int = 4 * MIB
    shared_memory: int = 4096


class Runtime(NamedTuple):
    """Special needs of a language, which may reserve unused addresses or adapt to the size of the machine."""

    address_space: int = 512 * MIB
    env: Mapping[str, str] = MappingProxyType({})


# Measured: Node does not start with 512 MiB of addresses, Java not with 2 GiB unless told to reserve less.
_JAVA = "-Xmx256m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m -XX:ActiveProcessorCount=1"
_WIDE = Runtime(2048 * MIB)
RUNTIMES = (
    (re.compile(r"(node|nodejs|deno|bun|mono)[\d.]*"), _WIDE),
    (re.compile(r"java[\d.]*"), _WIDE._replace(env={"JDK_JAVA_OPTIONS": _JAVA})),
    (re.compile(r"dotnet"), _WIDE._replace(env={"DOTNET_EnableWriteXorExecute": "0"})),
)


@dataclass(slots=True)
class Launch:
    """A command to start once, with exactly this `env` and these open files; `release` it after its end."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()
    uid: int | None = None
    group: cgroups.BotGroup | None = None
    shares_ipc: bool = False

    def started(self) -> None:
        """Close our copies of the files, because the child has its own."""
        for fd in self.pass_fds:
            os.close(fd)
        self.pass_fds = ()

    def popen(self, cwd: Path, stdin: int, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
        """Start it in this folder, as the leader of a group of processes, for whoever waits for its end in a thread."""
        return subprocess.Popen(
            self.argv,
            env=dict(self.env),
            pass_fds=self.pass_fds,
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )

    def events(self) -> cgroups.Events:
        return self.group.events() if self.group else cgroups.Events()

    async def release(self) -> None:
        """Release everything. A namespace ends shortly after its first process, without notice: hence retries."""
        for _ in range(RELEASE_STEPS):
            if self._try_release():
                return
            await asyncio.sleep(RELEASE_STEP_S)
        log.warning("the control group %s cannot be removed: somebody in it does not die", self.group)

    def release_now(self) -> None:
        """Like `release`, but blocks."""
        for _ in range(RELEASE_STEPS):
            if self._try_release():
                return
            time.sleep(RELEASE_STEP_S)

    def _try_release(self) -> bool:
        self.started()
        if self.group is not None and not self.group.remove():
            self.group.kill()
            return False
        if self.shares_ipc and self.uid is not None and (left := leftovers.sweep(self.uid)):
            log.info("%d shared objects that a bot had left behind were removed", left)
        _taken.discard(self.uid)
        return True


@dataclass(frozen=True, slots=True)
class _Order:
    argv: tuple[str, ...]
    folder: Path
    limits: BotLimits
    uid: int | None
    runtime: Runtime
    group: cgroups.BotGroup | None = None

    @property
    def rlimits(self) -> dict[str, tuple[int, int]]:
        """Soft and hard limits. One second of CPU lies between them: SIGXCPU comes first and tells the cause."""
        limits = self.limits
        space = limits.address_space or self.runtime.address_space
        return {
            "core": (0, 0),
            "nofile": (limits.open_files, limits.open_files),
            "nproc": (limits.processes, limits.processes),
            "as": (space, space),
            "fsize": (limits.file_size, limits.file_size),
            "cpu": (limits.cpu_s, limits.cpu_s + 1),
        }

    def env(self, home: str) -> dict[str, str]:
        return {"PATH": PATH, "HOME": home, "LANG": "C.UTF-8", **self.runtime.env}


def wrap(argv: Sequence[str], *, level: SandboxLevel, bot_folder: Path, limits: BotLimits | None = None) -> Launch:
    """How to run `argv` in `bot_folder`, which it sees read-only, at `level`. Raises Unreachable for a program or
    folder that the sandbox cannot see, OSError if the level is not available.
    """
    folder = bot_folder.resolve()
    check_folder(folder)
    check_program(argv[0], folder)
    uid = _take_uid()
    group = None
    try:
        limits = limits or BotLimits()
        if level == SandboxLevel.L3:
            group = groups().make(f"{next(_numbers)}", limits.memory, limits.processes + SANDBOX_PROCESSES)
        order = _Order(tuple(argv), folder, limits, uid, runtime(argv, folder), group)
        return _bubblewrap(order) if level >= SandboxLevel.L2 else _confine(order, level)
    except BaseException:
        if group is not None:
            group.remove()
        _taken.discard(uid)
        raise


groups = cache(cgroups.find)


def runtime(argv: Sequence[str], folder: Path) -> Runtime:
    """The needs of the program's language, known by its name or by the first line of a script."""
    behind = argv[1:2] if Path(argv[0]).name == "env" else interpreter(str(folder / argv[0])).split()[:3]
    names = [Path(word).name for word in (*behind, *argv[:1])]
    return next((found for pattern, found in RUNTIMES if any(map(pattern.fullmatch, names))), Runtime())


# -- bubblewrap --------------------------------------------------------------------------------------------------------


def _bubblewrap(order: _Order) -> Launch:
    front = [
        *(_program("env", "coreutils"), "-i", f"PATH={PATH}"),
        *_enter(order.group),
        *_drop(order.uid),
        _program("bwrap", "bubblewrap"),
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
        *("--hostname", "bot", "--cap-drop", "ALL"),
        *_files(order),
    ]
    back = [
        "--clearenv",
        *(word for name, value in order.env("/tmp").items() for word in ("--setenv", name, value)),
        # A session of its own, so that the bot cannot signal processes outside. bubblewrap's `--new-session` would also
        # move the namespace's first process, and a process that looks for it after its death would find nothing.
        *("--", "setsid", "prlimit", *(f"--{name}={soft}:{hard}" for name, (soft, hard) in order.rlimits.items())),
        *("--", *order.argv),
    ]
    rules = _file_with(seccomp.program())
    return Launch((*front, "--seccomp", str(rules), *back), {"PATH": PATH}, (rules,), order.uid, order.group)


def _file_with(data: bytes) -> int:
    """A file with this content, a new one for each launch: children would share the read position of a common one."""
    fd = os.memfd_create("filter")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _enter(group: cgroups.BotGroup | None) -> list[str]:
    """Let a shell enter the groups, then become the next command, so that nothing of the bot ever runs outside."""
    if group is None:
        return []
    into = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"'
    return [_program("sh", "dash"), "-c", into, "sh", *group.doors, "--"]


def _drop(uid: int | None) -> list[str]:
    if uid is None:
        return []
    return [
        *(_program("setpriv", "util-linux"), "--reuid", str(uid), "--regid", str(uid), "--clear-groups"),
        *("--bounding-set=-all", "--inh-caps=-all", "--pdeathsig", "KILL", "--"),
    ]


def _files(order: _Order) -> list[str]:
    words = ["--ro-bind", "/usr", "/usr"]
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for path in _configuration():
        words += ["--ro-bind", str(path), str(path)]
    # Its first process is bubblewrap's, which has no limits: whoever writes into the memory of that has none either.
    words += ["--proc", "/proc", "--size", "4096", "--perms", "0000", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
    words += ["--dev", "/dev"]
    words += ["--size", str(order.limits.tmp), "--perms", "0700", "--tmpfs", "/tmp"]
    words += ["--size", str(order.limits.shared_memory), "--tmpfs", "/dev/shm"]
    words += ["--ro-bind", str(order.folder), BOT, "--chdir", BOT]
    # The file system that carries the others is memory as well, and has no size limit.
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/"]


def _configuration() -> list[Path]:
    return [path for pattern in CONFIGURATION for path in Path("/").glob(pattern.lstrip("/"))]


# -- without namespaces ------------------------------------------------------------------------------------------------


def _confine(order: _Order, level: SandboxLevel) -> Launch:
    """Launch without namespaces. The launcher sets the environment; Python would add to an inherited one."""
    readable = [*map(str, ("/usr", *SYSTEM, *_configuration(), order.folder))]
    is_sandbox = level == SandboxLevel.L1
    argv = confine.command(
        order.argv,
        parent=os.getpid(),
        env=order.env(str(order.folder)),
        rlimits=order.rlimits,
        uid=order.uid,
        landlock=readable if is_sandbox else None,
        seccomp=seccomp.program(namespaces=False).hex() if is_sandbox else None,
    )
    return Launch(tuple(argv), {"PATH": PATH}, uid=order.uid, shares_ipc=True)


# -- what is there -----------------------------------------------------------------------------------------------------


def _program(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, f"install the package {package}: it has no program", name)
    return found


def check_folder(folder: Path) -> None:
    """Check that the bot's user can see the folder; root sees every folder. Raises Unreachable."""
    if not os.path.isdir(folder):  # not `is_dir`, which fails where we may not look
        raise Unreachable(errno.ENOENT, "no such folder to start a bot in", str(folder))
    if not os.access(folder, os.R_OK | os.X_OK):
        raise Unreachable(errno.EACCES, "the server may not enter this folder", str(folder))
    for path in (folder, *folder.parents) if os.getuid() == 0 else ():
        needed = 0o005 if path == folder else 0o001
        if path.stat().st_mode & needed != needed:
            advice = f"chmod o+{'rx' if path == folder else 'x'}"
            raise Unreachable(
                errno.EACCES, f"bots run as users of their own and cannot enter this folder ({advice})", str(path)
            )


def check_program(name: str, folder: Path) -> None:
    """Check that a program of this name can be run in the sandbox. Inside, the folder has another name, so programs in
    it must be named relative to it. Raises Unreachable.
    """
    _must_be_seen(name, folder, f"no such program {IN_SANDBOX}", name)
    try:
        check(name, str(folder), {"PATH": PATH})
    except OSError as why:
        raise Unreachable(why.errno, why.strerror, name) from None
    if runs := interpreter(str(folder / name)).split()[:1] if "/" in name else []:
        _must_be_seen(runs[0], folder, f"its first line names {runs[0]}: no such program {IN_SANDBOX}", name)


def _must_be_seen(name: str, folder: Path, words: str, of: str) -> None:
    """Raises Unreachable, with these words about `of`, unless there is such a file, also behind links."""
    found = Path(os.path.normpath(folder / name)) if "/" in name else Path(which(name, PATH) or "/nowhere")
    seen = (Path("/usr"), *map(Path, SYSTEM), *(() if name.startswith("/") else (folder,)))
    if not found.is_file() or not all(any(map(each.is_relative_to, seen)) for each in (found, found.resolve())):
        raise Unreachable(errno.ENOENT, words, of)


_taken: set[int | None] = set()
# Used in turn: the dead processes of the last bot count until the machine's first process reaps them.
_uids, _most = cycle(range(FIRST_UID, FIRST_UID + SLOTS)), SLOTS
_numbers = count()


def use_uids(first: int, number: int) -> None:
    """Use these user ids for bots of this process instead of the server's."""
    global _uids, _most
    _uids, _most = cycle(range(first, first + number)), number


def _take_uid() -> int | None:
    """A user id for this bot alone, so that bots cannot touch each other; None if we are not root."""
    if os.getuid() != 0:
        return None
    for _ in range(_most):
        uid = next(_uids)
        if uid not in _taken:
            _taken.add(uid)
            return uid
    raise OSError(errno.EAGAIN, f"{_most} bots run already")
