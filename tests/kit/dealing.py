"""The order of the tests for workers that take rows of them: what takes long comes first at each.

`--dist worksteal` cuts the list into as many rows as there are workers; whoever has nothing left takes from the end of
another's row. With small tests at the ends, all workers end together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def dealt(
    items: Sequence[Item], hands: int, group: Callable[[Item], Hashable], is_long: Callable[[Item], bool]
) -> list[Item]:
    """The same items: `hands` rows of the same length (but one item), each beginning with whole groups of long ones."""
    groups: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        if is_long(item):
            groups[group(item)].append(item)
    rows: list[list[Item]] = [[] for _ in range(hands)]
    for each in sorted(groups.values(), key=len, reverse=True):
        min(rows, key=len).extend(each)
    short, left = [item for item in items if not is_long(item)], len(items)
    for number, row in enumerate(rows):
        room = max(0, left // (hands - number) - len(row))
        row += short[:room]
        del short[:room]
        left -= len(row)
    return [item for row in rows for item in row] + short
