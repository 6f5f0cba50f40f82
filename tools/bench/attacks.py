"""An honest match while strangers attack: the time of its answers without and under each attack, in turns, on one
server.

The server runs on the first core. Attackers are separate programs in the server's network, with addresses other than
this machine's, and yield the last core to the honest bots, so the bench measures what they cost the server. Every
attack is repeated five times; all attacks take place once before any is repeated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from tests.attacks import honest
from tests.attacks.elsewhere import ROOT, Elsewhere, NoNamespace
from tests.attacks.serving import Served
from tests.attacks.strangers import ATTACKS
from tools.bench.figures import Figure, repeated
from tools.bench.load import MOST, of_others
from tools.bench.path import LOAD_CORE, SERVER_CORE

P50_GOAL, P99_GOAL, GONE_GOAL_S = 2.0, 5.0, 1.0


class Answers(NamedTuple):
    """The time of each answer in seconds, and by how many MB the server grew meanwhile."""

    times: list[float]
    grown: float

    @property
    def p99(self) -> float:
        return quantiles(self.times, n=100)[98]


class Repeat(NamedTuple):
    """One attack, with the quiet time before it, and how the attackers fared."""

    quiet: Answers
    under: Answers
    said: Counter[str]
    gone_s: list[float]


def run(seconds: float = 10.0, repeats: int = 5, most: float = MOST) -> Iterator[Figure]:
    """Figures for each attack: the median and 99th percentile of the answers' times as multiples of the quiet ones, and
    when the attackers are gone. Raises TooBusy.
    """
    try:
        with (
            tempfile.TemporaryDirectory(prefix="arena-attacks-") as folder,
            Elsewhere() as elsewhere,
            Served(elsewhere, Path(folder)) as server,
            _pinned(server.process.pid),
        ):
            honest.play_until(elsewhere, lambda: True)
            found, loads = defaultdict[str, list[Repeat]](list), list[float]()
            for _ in range(repeats):
                loads.append(of_others(most))
                for name in ATTACKS:
                    found[name].append(_attacked(elsewhere, server, name, seconds))
            print(f"  others took {median(loads):.0%} of the machine, at most {max(loads):.0%}, before each repeat")
            for name, some in found.items():
                yield from _figures(name, some)
    except NoNamespace as why:
        print(f"  not measured: {why}")


def _attacked(elsewhere: Elsewhere, server: Served, name: str, seconds: float) -> Repeat:
    held, end = server.rss(), time.monotonic() + seconds / 2
    quiet = honest.play_until(elsewhere, lambda: time.monotonic() > end).times
    between = server.rss()
    command = [*elsewhere.prefix, sys.executable, "-m", "tests.attacks.strangers", name, str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as attacking:
        under = honest.play_until(elsewhere, lambda: attacking.poll() is not None).times
        assert attacking.stdout is not None
        said, gone_s = json.loads(attacking.stdout.read())
    return Repeat(Answers(quiet, between - held), Answers(under, server.rss() - between), Counter(said), gone_s)


def _figures(name: str, some: Sequence[Repeat]) -> Iterator[Figure]:
    ms = [median(1000 * median(answers.times) for answers in each) for each in _both(some)]
    words = f"{ms[1]:.1f} ms, quiet {ms[0]:.1f}; {sum(len(each.under.times) for each in some)} answers"
    ratios = [median(each.under.times) / median(each.quiet.times) for each in some]
    yield repeated(f"{name}: median of an answer, of quiet", ratios, P50_GOAL, words, at_most=True)
    ms = [median(1000 * answers.p99 for answers in each) for each in _both(some)]
    words = f"{ms[1]:.1f} ms, quiet {ms[0]:.1f}; memory {_memory(some)}"
    ratios = [each.under.p99 / each.quiet.p99 for each in some]
    yield repeated(f"{name}: 99th percentile, of quiet", ratios, P99_GOAL, words, at_most=True)
    if gone := [seconds for each in some for seconds in each.gone_s]:
        said = sum((each.said for each in some), Counter[str]())
        heard = ", ".join(f"{times} × {what[:40]}" for what, times in said.items())
        words = f"longest of {len(gone)}; the last heard {heard}"
        yield Figure(f"{name}: seconds until an attacker is gone", max(gone), GONE_GOAL_S, words, at_most=True)


def _both(some: Sequence[Repeat]) -> tuple[list[Answers], list[Answers]]:
    return [each.quiet for each in some], [each.under for each in some]


def _memory(some: Sequence[Repeat]) -> str:
    """Honest matches need memory for their logs, too: what matters is whether attacks take more for the same number of
    answers.
    """
    grown = [1000 * sum(each.grown for each in both) / sum(len(each.times) for each in both) for both in _both(some)]
    return f"{grown[1]:+.1f} MB for 1 000 answers, quiet {grown[0]:+.1f}"


@contextmanager
def _pinned(server: int) -> Iterator[None]:
    """Puts the server on its core and this process on the other."""
    for thread in os.listdir(f"/proc/{server}/task"):
        os.sched_setaffinity(int(thread), {SERVER_CORE})
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {LOAD_CORE})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
