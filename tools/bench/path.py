"""The whole path of a move: socket, adapter, session, referee, ledger, watcher; against a bare relay of the same lines.

It measures the processor time that all threads of the server take for a move. Relay and arena run side by side and are
loaded in turns, so that noise from neighbours affects both; it shows the median of the ratios and the worst. With two
cores, servers run on the first and the load on the last: a wake-up across cores costs more than the relay.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.kit.server import migrate
from tools.bench.figures import Figure, repeated
from tools.bench.load import MOST, of_others

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = CORES[0], CORES[-1]


class Reading(NamedTuple):
    """The counters of a server and its load. `cpu` is the processor time of each thread in ns, `stages` that of each
    stage, if a profile is wanted.
    """

    at: float
    moves: int
    cpu: dict[int, int]
    commits: int
    frames: int
    stages: Mapping[str, int]


class Sample(NamedTuple):
    """One window of load. Processor times are in µs a move: of all threads, of the loop's and of the ledger's."""

    cpu: float
    loop: float
    writer: float
    rate: float
    moves_a_commit: float
    frames_a_move: float


class Process:
    """A process of the bench, which reads and writes lines. It ends when its input does, so nothing outlives the
    bench.
    """

    def __init__(self, command: list[str], core: int, **environment: str) -> None:
        # Settings in the caller's environment must not decide what is measured.
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        )
        self.pid = self._process.pid
        os.sched_setaffinity(self.pid, {core})

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} has ended with {self._process.wait()}")
        return line.strip()

    def end(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def cpu(self) -> dict[int, int]:
        """The processor time of each thread so far, in ns."""
        tasks = Path(f"/proc/{self.pid}/task")
        return {int(task.name): int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()}


class Contender:
    """A server with its load, idle until a window is measured. `counts`: whether the server answers with its
    counters.
    """

    def __init__(self, server: Process, load: Process, counts: bool) -> None:
        self._server, self._load, self._counts = server, load, counts
        self._threads = {"MainThread": server.pid}
        self.samples: list[Sample] = []
        self.stages = Counter[str]()  # ns of all windows
        self.moves = 0
        assert load.hear() == "Ready"

    def measure(self, seconds: float) -> None:
        self._load.say("play")
        time.sleep(seconds / 10)
        before = self._read()
        time.sleep(seconds)
        after = self._read()
        self._load.say("hold")
        time.sleep(0.1)
        self.samples.append(self._sample(before, after))

    def _read(self) -> Reading:
        said: dict[str, Any] = {"commits": 0, "frames": 0, "stages": {}}
        if self._counts:
            self._server.say("count")
            said = json.loads(self._server.hear())
            self._threads = said["threads"]
        self._load.say("count")
        moves, cpu = int(self._load.hear()), self._server.cpu()
        return Reading(time.perf_counter(), moves, cpu, said["commits"], said["frames"], said["stages"])

    def _sample(self, before: Reading, after: Reading) -> Sample:
        moves = max(1, after.moves - before.moves)
        self.moves += moves
        self.stages.update(after.stages)
        self.stages.subtract(before.stages)
        cpu = {thread: (used - before.cpu.get(thread, 0)) / moves / 1000 for thread, used in after.cpu.items()}
        loop, writer = (cpu.get(self._threads.get(name, 0), 0.0) for name in ("MainThread", "arena-ledger"))
        return Sample(
            cpu=sum(cpu.values()),
            loop=loop,
            writer=writer,
            rate=moves / (after.at - before.at),
            moves_a_commit=moves / max(1, after.commits - before.commits),
            frames_a_move=(after.frames - before.frames) / moves,
        )

    @property
    def typical(self) -> Sample:
        return Sample(*(median(values) for values in zip(*self.samples, strict=True)))


class Arena(NamedTuple):
    """One of the arenas measured: how it commits, whether each room has a watcher, and which ratio is the goal."""

    sync: str
    watched: bool
    goal: float | None


ARENAS = {
    50: (Arena("full", True, 0.25), Arena("full", False, 0.35)),
    1: (Arena("full", True, 0.14), Arena("normal", True, 0.22)),
}


def run(windows: int = 5, seconds: float = 2.0, most: float = MOST, profile: bool = False) -> Iterator[Figure]:
    """`most` is the share of the machine that others may take before each window. With `profile`, the figures also say
    where the time went. Raises TooBusy.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        load = load_command(Path(folder))
        for rooms, arenas in ARENAS.items():
            yield from _compare(load, rooms, arenas, [seconds] * windows, most, profile)


def load_command(folder: Path) -> list[str]:
    """The compiled load, or the one in Python if there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        print("  no C compiler here: the load is in Python, slower than the server, which is measured half idle")
        return [sys.executable, str(HERE / "pairs.py")]
    program = str(folder / "pairs")
    subprocess.run([compiler, "-O2", "-o", program, str(HERE / "pairs.c")], check=True)
    return [program]


def _compare(
    load: list[str], rooms: int, arenas: Sequence[Arena], windows: Sequence[float], most: float, profile: bool
) -> Iterator[Figure]:
    with ExitStack() as stack:
        relay = stack.enter_context(_relay(load, rooms))
        contenders = [stack.enter_context(contender(load, rooms, arena, profile)) for arena in arenas]
        for seconds in windows:
            of_others(most)
            for each in (relay, *contenders):
                each.measure(seconds)
        for arena, measured in zip(arenas, contenders, strict=True):
            yield _figure(rooms, arena, relay, measured)
            yield from _shares(measured)


def _figure(rooms: int, arena: Arena, bare: Contender, measured: Contender) -> Figure:
    relay, found = bare.typical, measured.typical
    ratios = [one.cpu / other.cpu for one, other in zip(bare.samples, measured.samples, strict=True)]
    name = f"{rooms} room{'s' if rooms > 1 else ''}, {arena.sync}{'' if arena.watched else ', nobody watches'}"
    detail = (
        f"relay {relay.cpu:.1f} µs, arena {found.cpu:.1f} (loop {found.loop:.1f}, ledger {found.writer:.1f}); "
        f"{relay.rate:,.0f} and {found.rate:,.0f} moves/s, "
        f"{found.moves_a_commit:.1f} a commit, {found.frames_a_move:.2f} frames a move"
    )
    return repeated(name, ratios, arena.goal, detail)


def _shares(measured: Contender) -> Iterator[Figure]:
    """The shares of the stages in the processor time of all threads."""
    whole = max(1, measured.stages.total())
    for stage, used in measured.stages.most_common():
        yield Figure(f"  {stage}", used / whole, None, f"{used / max(1, measured.moves) / 1000:.1f} µs a move")


@contextmanager
def _relay(load: list[str], rooms: int) -> Iterator[Contender]:
    with _running([sys.executable, str(HERE / "relay.py")], SERVER_CORE) as server:
        port = server.hear().split()[1]
        with _running([*load, port, str(rooms)], LOAD_CORE) as bots:
            yield Contender(server, bots, counts=False)


@contextmanager
def contender(load: list[str], rooms: int, arena: Arena, profile: bool = False, **database: str) -> Iterator[Contender]:
    """An arena of its own that this many rooms load. `database` is its DATABASE_URL, if that is not a file."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as data:
        command = [sys.executable, "-m", "tools.bench.host", *(["--profile"] if profile else [])]
        migrate(Path(data), **database)
        settings = {"ARENA_DATA": data, "ARENA_SYNC": arena.sync, "SECRET_KEY": "bench", **database}
        with _running(command, SERVER_CORE, **settings) as server:
            _, door, websockets = server.hear().split()
            watch = [websockets] if arena.watched else []
            with _running([*load, door, str(rooms), *watch], LOAD_CORE) as bots:
                yield Contender(server, bots, counts=True)


@contextmanager
def _running(command: list[str], core: int, **environment: str) -> Iterator[Process]:
    process = Process(command, core, **environment)
    try:
        yield process
    finally:
        process.end()
