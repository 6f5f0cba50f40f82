"""An honest match while strangers attack: its answers quiet and under each attack, in turns, on one server.

The server runs on the first core. Attackers are programs of their own in the server's network, with addresses that are
not this machine's, and yield the last core to the honest bots: what is measured is what they cost the server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from tests.attacks import honest
from tests.attacks.elsewhere import ROOT, Elsewhere, NoNamespace
from tests.attacks.serving import Served
from tests.attacks.strangers import ATTACKS
from tools.bench.figures import Figure
from tools.bench.path import LOAD_CORE, SERVER_CORE

P50_GOAL, P99_GOAL, GONE_GOAL_S = 2.0, 5.0, 1.0


def run(seconds: float = 10.0, windows: int = 2) -> Iterator[Figure]:
    """Three figures for each attack: its answers' median and 99th percentile as multiples of quiet ones, and who is
    gone when.
    """
    try:
        with (
            tempfile.TemporaryDirectory(prefix="arena-attacks-") as folder,
            Elsewhere() as elsewhere,
            Served(elsewhere, Path(folder)) as server,
            _pinned(server.process.pid),
        ):
            honest.play_until(elsewhere, lambda: True)
            for name in ATTACKS:
                yield from _attacked(elsewhere, server, name, seconds, windows)
    except NoNamespace as why:
        print(f"  not measured: {why}")


def _attacked(elsewhere: Elsewhere, server: Served, name: str, seconds: float, windows: int) -> Iterator[Figure]:
    quiet, under, gone = list[float](), list[float](), list[float]()
    held = server.rss()
    for _ in range(windows):
        end = time.monotonic() + seconds / 2
        quiet += honest.play_until(elsewhere, lambda end=end: time.monotonic() > end).times  # type: ignore[misc]
        command = [*elsewhere.prefix, sys.executable, "-m", "tests.attacks.strangers", name, str(seconds)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as attacking:
            under += honest.play_until(elsewhere, lambda: attacking.poll() is not None).times
            assert attacking.stdout is not None
            said, gone_s = json.loads(attacking.stdout.read())
        gone += gone_s
    more = server.rss() - held
    p50, p99 = (median(quiet), median(under)), (_p99(quiet), _p99(under))
    words = f"{p50[1] * 1000:.1f} ms, quiet {p50[0] * 1000:.1f}; {len(under)} answers; memory {more:+.1f} MB"
    yield Figure(f"{name}: median of an answer, of quiet", p50[1] / p50[0], P50_GOAL, words, at_most=True)
    words = f"{p99[1] * 1000:.1f} ms, quiet {p99[0] * 1000:.1f}; load {os.getloadavg()[0]:.1f}"
    yield Figure(f"{name}: 99th percentile, of quiet", p99[1] / p99[0], P99_GOAL, words, at_most=True)
    if gone:
        heard = ", ".join(f"{times} × {what[:40]}" for what, times in said.items())
        words = f"longest of {len(gone)}; the last heard {heard}"
        yield Figure(f"{name}: seconds until an attacker is gone", max(gone), GONE_GOAL_S, words, at_most=True)


def _p99(times: list[float]) -> float:
    return quantiles(times, n=100)[98]


@contextmanager
def _pinned(server: int) -> Iterator[None]:
    """The server on its core, we on the other."""
    for thread in os.listdir(f"/proc/{server}/task"):
        os.sched_setaffinity(int(thread), {SERVER_CORE})
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {LOAD_CORE})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
