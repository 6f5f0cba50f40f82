"""Eleven attacks that are carried out, because only trying shows what a sandbox prevents.

Each attack is a small program that runs as a bot would and reports what it achieved. None does harm if it succeeds: it
makes a hundred processes instead of all it could, sends others signal 0, and reads files made for it.
"""

from __future__ import annotations

import json
import os
import platform
import selectors
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from arena.bots.process.cgroups import Events
from arena.bots.process.death import why_it_died
from arena.bots.process.launch import MIB, BotLimits, Launch, SandboxLevel, wrap
from arena.bots.process.seccomp import ARCHITECTURES, NUMBERS
from arena.transports.process_tree import kill_all

PYTHON = "python3"
LIMITS = BotLimits(memory=64 * MIB, address_space=256 * MIB, cpu_s=1)
DEADLINE_S = 30.0
SURVIVES_S = 5.0
HELD, OPEN = "held back: ", "OPEN: "
DAEMON = b"a daemon is left\n"

_START = """
import ctypes, errno, json, os, socket, sys, time
def held(words): print("held back:", words, flush=True); os._exit(0)
def reached(words): print("OPEN:", words, flush=True); os._exit(0)
"""

_NETWORK = """
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
except OSError as error:
    held(f"a connection to this machine: {error.strerror or error}")
reached("connected to a port of this machine")
"""

_READ = """
try:
    os.chmod(sys.argv[1], 0o600)
except OSError:
    pass
else:
    reached("changed the rights of " + sys.argv[1])
try:
    open(sys.argv[1]).read()
except OSError as error:
    held(error.strerror)
reached("read " + sys.argv[1])
"""

_FORKS = """
pids = []
try:
    for _ in range(100):
        pid = os.fork()
        if not pid:
            time.sleep(60)
        pids.append(pid)
    said, words = reached, f"made {len(pids)} processes"
except OSError as error:
    said, words = held, f"after {len(pids)} processes: {error.strerror}"
for pid in pids:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
said(words)
"""

_MEMORY = """
kept = []
try:
    for _ in range(32):
        kept.append(b"x" * (1 << 24))
except MemoryError:
    held(f"after {len(kept) * 16} MiB")
reached(f"got {len(kept) * 16} MiB")
"""

_WRITE = """
for folder in (".", "/", "/bin", "/dev", "/dev/shm", "/etc", "/home", "/run", "/tmp", "/usr", "/usr/local", "/var/tmp"):
    try:
        for n in range(8):
            with open(f"{folder}/{sys.argv[2]}{n}", "w") as file:
                file.write("x" * (1 << 20))
    except OSError:
        continue
    reached(f"wrote 8 MiB to {folder}")
held("no file that lasts or is large")
"""

_SIGNALS = """
import resource
try:
    resource.prlimit(int(sys.argv[1]), resource.RLIMIT_CORE, (0, 0))
except OSError:
    pass
else:
    reached("may limit a process of the server")
try:
    os.kill(int(sys.argv[1]), 0)
except OSError as error:
    held(f"a process of the server: {error.strerror}")
reached("may signal a process of the server")
"""

_DAEMON = """
if not os.fork():
    try:
        os.setsid()
    except OSError:
        pass
    between = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == between:
        time.sleep(0.01)
    print("a daemon is left", flush=True)
    time.sleep(60)
os.wait()
time.sleep(60)
"""

_CALLS = """
numbers = json.loads(sys.argv[1])
# Unlike these two the others have arguments that do nothing: 0, or none at all.
arguments = {"unshare": [0x10000000], "process_vm_readv": [os.getpid(), 0, 0, 0, 0, 0]}
libc = ctypes.CDLL(None, use_errno=True)
done = []
for name, number in numbers.items():
    ctypes.set_errno(0)
    result = libc.syscall(number, *map(ctypes.c_long, arguments.get(name, [0] * 5)))
    if result >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        done.append(name)
for other in {1, os.getppid()}:
    try:
        open(f"/proc/{other}/mem", "rb+").close()
    except OSError:
        continue
    done.append(f"write into the memory of process {other}")
if done:
    reached(", ".join(done))
held(f"all of {len(numbers)} calls")
"""
CALLS = (
    *("ptrace", "bpf", "keyctl", "unshare", "io_uring_setup", "userfaultfd", "perf_event_open", "process_vm_readv"),
    *("shmget", "semget", "mq_open"),
)

_FILES = """
opened = []
try:
    for _ in range(500):
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    held(f"after {len(opened)}: {error.strerror}")
reached(f"opened {len(opened)} files")
"""

_SPIN = """
while time.process_time() < 5:
    pass
reached("used 5 s of CPU time, of 1 s allowed")
"""


class ProbeResult(NamedTuple):
    """The result of an attack: whether it was prevented, and why, in words."""

    held: bool
    words: str


class Target(NamedTuple):
    """The targets of the attacks."""

    port: int
    pid: int
    secret: Path
    folder: Path
    marker: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One attack. `argument` selects what its program is told of the target, `limits` is what it may use."""

    name: str
    tries: str
    script: str
    argument: Callable[[Target], str] = lambda target: ""
    limits: BotLimits = LIMITS

    def command(self, target: Target) -> list[str]:
        return [PYTHON, "-I", "-S", "-c", _START + self.script, self.argument(target), target.marker]


PROBES = (
    Probe("network", "connects to a port of this machine", _NETWORK, lambda target: str(target.port)),
    Probe(
        "private file",
        "reads a file that only the server may read, or changes its rights",
        _READ,
        lambda target: str(target.secret),
    ),
    Probe("project file", "reads a file of the arena", _READ, lambda target: str(Path(__file__).resolve())),
    Probe("processes", "makes a hundred processes", _FORKS),
    Probe("memory", "takes half a GiB of memory", _MEMORY),
    Probe("writing", "writes large files, or such as last", _WRITE),
    Probe("signals", "signals a process of the server, or limits it", _SIGNALS, lambda target: str(target.pid)),
    Probe("survivor", "leaves a daemon behind when it is killed", _DAEMON),
    Probe(
        "system calls",
        "traces, reads others, loads into the kernel, makes namespaces, keeps memory beyond its end",
        _CALLS,
        lambda target: _numbers(),
    ),
    Probe("open files", "opens 500 files", _FILES),
    Probe("CPU time", "computes without end", _SPIN),
)


@contextmanager
def target() -> Iterator[Target]:
    """Targets for the attacks, while the context lasts. Everybody can enter the folders; their contents are ours."""
    with (
        tempfile.TemporaryDirectory(prefix="arena-probe-") as name,
        socket.socket() as server,
        # It reads until this process ends, however that ends: nobody else would remove what a killed one leaves.
        subprocess.Popen(["sh", "-c", 'read line; rm -r "$PWD"'], cwd=name, stdin=subprocess.PIPE) as process,
    ):
        folder, secret = Path(name, "bot"), Path(name, "secret")
        Path(name).chmod(0o755)
        folder.mkdir(mode=0o755)
        secret.write_text("secret")
        secret.chmod(0o600)
        server.bind(("127.0.0.1", 0))
        server.listen()
        try:
            yield Target(server.getsockname()[1], process.pid, secret, folder, Path(name).name)
        finally:
            process.kill()


def attack(probe: Probe, level: SandboxLevel, target: Target) -> ProbeResult:
    """Make one attack at `level`. Raises OSError or NotImplementedError if nothing can be started there."""
    launch = wrap(probe.command(target), level=level, bot_folder=target.folder, limits=probe.limits)
    try:
        exit_status, said = _run(launch, target.folder)
        left = _files_left(target)
        return ProbeResult(False, f"left {left}") if left else judge(exit_status, launch.events(), said)
    finally:
        _kill_left(target.marker)
        launch.release_now()


def judge(exit_status: int, events: Events, said: bytes) -> ProbeResult:
    """The result of an attack from the end of its program. Anything not known to be prevented counts as open."""
    lines = said.decode(errors="backslashreplace").strip().splitlines() or [""]
    for line in lines:
        for held, word in ((True, HELD), (False, OPEN)):
            if line.startswith(word):
                return ProbeResult(held, line.removeprefix(word))
    death = why_it_died(exit_status, events, said)
    if death.termination == "resource_limit":
        return ProbeResult(True, f"stopped: {death.reason}")
    return ProbeResult(False, f"the probe did not work: {death.reason} {lines[-1]}".rstrip())


def _run(launch: Launch, folder: Path) -> tuple[int, bytes]:
    with launch.popen(folder, subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT) as process:
        said = _watch(process)
    return process.returncode, said


def _watch(process: subprocess.Popen[bytes]) -> bytes:
    """All its output. A program that leaves a daemon behind is killed; its output ends when the daemon is dead."""
    assert process.stdout is not None, "asked for"
    said = bytearray()
    deadline = time.monotonic() + DEADLINE_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(max(0.0, deadline - time.monotonic())):
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                return bytes(said + (b"" if DAEMON not in said else HELD.encode() + b"nobody survived"))
            said += data
            if DAEMON in data:
                kill_all(process.pid)
                deadline = time.monotonic() + SURVIVES_S
    kill_all(process.pid)
    return OPEN.encode() + (b"it survived" if DAEMON in said else b"it did not end")


def _files_left(target: Target) -> str:
    """The files it wrote that others can see; they are removed."""
    folders = (target.folder, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/run"))
    left = [path for folder in folders for path in folder.glob(f"{target.marker}?*")]
    for path in left:
        path.unlink()
    return ", ".join(map(str, left))


def _kill_left(marker: str) -> None:
    """Kill the survivors, which have the marker among their arguments."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().endswith(marker.encode() + b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)


def _numbers() -> str:
    column = list(ARCHITECTURES).index(platform.machine())
    return json.dumps({name: NUMBERS[name][column] for name in CALLS})
