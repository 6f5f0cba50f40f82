"""Numbers for people who monitor a server, in the text format of Prometheus, version 0.0.4: counters of this process
since its start, and values computed when somebody asks.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

Labels = Mapping[str, str]
Value = int | float

COMMIT_BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5)
THINK_BOUNDS = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class Histogram:
    """How many values were at most each of the bounds, in seconds. One thread writes, any may read."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(self._bounds) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._sum += seconds

    def samples(self, labels: Labels) -> Iterator[Sample]:
        """Cumulative, as Prometheus wants them."""
        total = 0
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self._counts, strict=True):
            total += count
            yield Sample("_bucket", {**labels, "le": bound}, total)
        yield Sample("_sum", labels, self._sum)
        yield Sample("_count", labels, total)


class Middle(NamedTuple):
    """How many values there were, and which values 50 % and 99 % of them did not exceed, in seconds."""

    number: int
    median: float
    p99: float


class Spread:
    """The middle of what was added since it was last asked for, from a microsecond to a quarter of an hour in steps of
    a tenth. One thread writes.
    """

    __slots__ = ("_before", "_counts")

    _LEAST, _STEP, _STEPS = 1e-6, math.log(1.1), 216

    def __init__(self) -> None:
        self._counts = [0] * (self._STEPS + 1)
        self._before = list(self._counts)

    def add(self, seconds: float) -> None:
        step = math.ceil(math.log(max(seconds, self._LEAST) / self._LEAST) / self._STEP)
        self._counts[min(step, self._STEPS)] += 1

    def take(self) -> Middle | None:
        """None if nothing was added since the last call."""
        counts = list(self._counts)
        new = [now - before for now, before in zip(counts, self._before, strict=True)]
        self._before = counts
        number = sum(new)
        return Middle(number, self._at(new, number * 0.5), self._at(new, number * 0.99)) if number else None

    def _at(self, counts: Sequence[int], rank: float) -> float:
        """The middle of the step in which the value of this rank lies."""
        step = next(n for n, total in enumerate(accumulate(counts)) if total >= rank)
        return self._LEAST * math.exp(self._STEP * max(step - 0.5, 0))


class Sample(NamedTuple):
    """One line. `suffix` is "" except for histograms."""

    suffix: str
    labels: Labels
    value: Value


class EndedMatches:
    """Figures of the matches that ended in this process: counted once at their end, so that moves cost nothing."""

    def __init__(self) -> None:
        self.by_termination: Counter[str] = Counter()
        self.moves: Counter[str] = Counter()
        self.thinking: dict[str, Histogram] = {}

    def add(self, termination: str, moves: Iterable[tuple[str, int]]) -> None:
        """A match has ended by `termination`; for each move the kind of its player and the milliseconds it took."""
        self.by_termination[termination] += 1
        for kind, elapsed_ms in moves:
            if kind not in self.thinking:
                self.thinking[kind] = Histogram(THINK_BOUNDS)
            self.thinking[kind].add(elapsed_ms / 1000)
            self.moves[kind] += 1


def family(name: str, kind: str, words: str, samples: Iterable[Sample]) -> str:
    """The lines of one metric: `kind` is `gauge`, `counter` or `histogram`."""
    lines = [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{sample.suffix}{_labels(sample.labels)} {sample.value}" for sample in samples]
    return "\n".join(lines) + "\n"


def one(value: Value) -> list[Sample]:
    """The samples of a metric without labels."""
    return [Sample("", {}, value)]


def each(label: str, values: Mapping[str, Value]) -> list[Sample]:
    """One sample for each value of a label."""
    return [Sample("", {label: name}, value) for name, value in sorted(values.items())]


def _labels(labels: Labels) -> str:
    said = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{said}}}" if said else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
