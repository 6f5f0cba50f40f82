"""`make bench`, or `python -m tools.bench [NAME ...]`: every figure beside its goal.

Nothing is asserted. Each figure is a ratio of two things measured in the same run, in turns, so that a busy machine
slows both. docs/performance.md has the figures of a known machine and explains how to read them.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

import django

from tests.kit.server import migrate
from tools.bench.load import TooBusy

BENCHES = {
    "rules": "Rules: random Connect Four matches, moves a second",
    "durable": "Ledger: durable moves a second",
    "flat": "Length: cost of a move in a long match, Nim with 1 000 stones",
    "stdio": "Child processes: matches a second, as a fraction of those of a bare loop over their pipes",
    "slots": "Slots: the share left to bots that think 5 ms, and what a returned match costs the host",
    "runner": "Runner: the time of a game of `manage.py runner`, against that of a loop without a referee",
    "rooms": "A thousand rooms: cost of a move, and memory of an idle room",
    "path": "Whole path: the cost of a relay of the same lines, as a fraction of the cost of a move in the arena",
    "databases": "Databases: the cost of a move on PostgreSQL, against that on SQLite",
    "watchers": "Watchers: the cost of a frame when a crowd watches one match",
    "isolation": "Isolation: the time of a move's answer beside pages or a crowd, against a quiet server",
    "fronts": "Fronts: how much later a watcher on a front sees a move",
    "attacks": "Attacks: how much strangers slow an honest match, and when they are gone",
    "strength": "Kernel: positions a second, and how soon Connect Four 7x6 is exact",
    "admin": "A million moves: the time of lists and pages, against that with ten thousand",
    "disk": "Disk: the space that finished matches take",
    "waiting": "A thousand waiting analyses: the time of a move and a page, against that without them",
    "pages": "A first visit over slow 3G with a processor four times slower: requests, bytes, first paint",
}
# These measure nothing while others take much of the machine, unless --busy is given.
PATIENT = {"durable", "attacks", "path", "databases", "watchers"}
OPTIONS = ("--quick", "--busy", "--profile")
# With --quick: shows whether a bench runs; its figures mean nothing.
QUICK: dict[str, dict[str, float]] = {
    "rules": {"turns": 1, "matches": 30},
    "durable": {"windows": 1, "seconds": 0.05, "most": 1.0},
    "disk": {"matches": 20},
    "flat": {"batches": 1, "matches": 2, "moves": 4},
    "stdio": {"batches": 1, "matches": 1},
    "slots": {"repeats": 1, "matches": 4, "returned": 4, "legs": 0},
    "runner": {"games": 1},
    "rooms": {"windows": 1, "seconds": 0.1, "rooms": 60, "repeats": 1},
    "path": {"windows": 1, "seconds": 0.1, "most": 1.0},
    "databases": {"windows": 1, "seconds": 0.1, "most": 1.0},
    "watchers": {"many": 20, "few": 5, "moves": 3, "windows": 1, "most": 1.0},
    "isolation": {"repeats": 1, "matches": 1, "long": False, "watchers": 5},
    "fronts": {"moves": 3, "pages": 1},
    "attacks": {"seconds": 0.2, "repeats": 1, "most": 1.0},
    "strength": {"positions": 1, "matches": 1},
    "admin": {"moves": 400, "few": 200, "rounds": 1, "most": 4},
    "waiting": {"repeats": 1, "rows": 5},
    "pages": {"repeats": 1, "pages": 1},
}


def main(words: list[str]) -> int:
    quick, busy, profile = (option in words for option in OPTIONS)
    chosen = [word for word in words if word not in OPTIONS]
    unknown = [name for name in chosen if name not in BENCHES]
    if unknown:
        print(f"no bench {unknown[0]!r}; there are {', '.join(BENCHES)}")
        return 2
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have left ignored
    signal.signal(signal.SIGTERM, _end)
    try:
        _run(chosen or list(BENCHES), quick, busy, profile)
    except KeyboardInterrupt:
        return 128 + (signal.SIGTERM if signal.getsignal(signal.SIGTERM) == signal.SIG_IGN else signal.SIGINT)
    return 0


def _run(chosen: list[str], quick: bool, busy: bool, profile: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        os.environ |= {"ARENA_DATA": folder, "ARENA_SYNC": "full", "SECRET_KEY": "bench", "DATABASE_URL": ""}
        _set_up(Path(folder))
        begin = time.monotonic()
        for name in chosen:
            size = QUICK[name] if quick else {"most": 1.0} if busy and name in PATIENT else {}
            _show(name, size | ({"profile": True} if profile and name == "path" else {}))
        print(f"\n{time.monotonic() - begin:.0f} s")


def _end(number: int, frame: object) -> None:
    """Stop as after Ctrl-C: the servers that a bench has started end with it, and its folders are removed.

    asyncio answers Ctrl-C by cancelling what it was told to run. An exception from here could hit one of its own
    callbacks, for which a process that was just being started would wait for ever.
    """
    signal.signal(number, signal.SIG_IGN)  # only once: a second signal would cut the cleaning up short
    signal.raise_signal(signal.SIGINT)


def _set_up(data: Path) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "arena.settings"
    django.setup()
    migrate(data)


def _show(name: str, size: dict[str, float]) -> None:
    print(f"\n{BENCHES[name]}  (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)", flush=True)
    try:
        for figure in import_module(f"tools.bench.{name}").run(**size):
            print(figure, flush=True)
    except TooBusy as why:
        print(f"  not measured: {why}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
