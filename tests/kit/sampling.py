"""A sample of the cases of a test: each costs seconds. `make soak ARGS=cases` looks for what shows in one case only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def sampled(
    items: Sequence[T], name: Callable[[T], str], most: Callable[[T], int | None], seed: str
) -> tuple[list[T], list[T]]:
    """Those that run, in their order, and those that are left out.

    At most `most` of the items of one `name`, None for all; the same seed chooses the same ones.
    """
    cases: dict[str, list[T]] = defaultdict(list)
    for item in items:
        cases[name(item)].append(item)
    left_out = set[int]()
    for each, found in cases.items():
        number = most(found[0])
        if number is not None and number < len(found):
            kept = Random(f"{seed} {each}").sample(range(len(found)), number)
            left_out |= {id(item) for place, item in enumerate(found) if place not in kept}
    return [item for item in items if id(item) not in left_out], [item for item in items if id(item) in left_out]
