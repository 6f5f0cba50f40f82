"""The figures of a bench: ratios measured in one run, each beside its goal."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Figure(NamedTuple):
    """`goal` is the least ratio, or with `at_most` the greatest, or None; `detail` names the two values that were
    divided.
    """

    name: str
    ratio: float
    goal: float | None
    detail: str
    at_most: bool = False

    @property
    def holds(self) -> bool:
        return self.goal is None or (self.ratio <= self.goal if self.at_most else self.ratio >= self.goal)

    def __str__(self) -> str:
        goal = "" if self.goal is None else f"{'<=' if self.at_most else '>='} {self.goal:g}"
        verdict = "" if self.goal is None else "holds" if self.holds else "MISSED"
        return f"  {self.name:<46} {_short(self.ratio):>7}  {goal:<8} {verdict:<7} {self.detail}"


def repeated(name: str, ratios: Sequence[float], goal: float | None, detail: str, *, at_most: bool = False) -> Figure:
    """The median of the ratios as a figure, with the worst beside it."""
    worst = max(ratios) if at_most else min(ratios)
    return Figure(name, median(ratios), goal, f"worst of {len(ratios)} {_short(worst)}; {detail}", at_most)


def _short(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def raised(error: BaseException | None) -> None:
    """A step of a bench must succeed, or the figure would be about something else."""
    if error is not None:
        raise error
