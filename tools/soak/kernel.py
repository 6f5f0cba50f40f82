"""The kernel and its references on 20 000 random positions of Connect Four 7x6 and a tenth of each other board."""

from __future__ import annotations

from arena.analysis.kernel import SevenBySix
from games.players.connect_four_exact import Reference
from tests.analysis.deepening import connect_four_differences, santorini_differences
from tests.kit.exact import differences

POSITIONS = 20_000
NODES = 2_000


def main(arguments: list[str]) -> int:
    """`arguments`: the number of positions and a seed. Prints every difference; returns 1 if there is one."""
    count = int(arguments[0]) if arguments else POSITIONS
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    found = differences(SevenBySix(), Reference(), count, seed, NODES)
    found += connect_four_differences(count // 10, seed)
    for size in (5, 6):
        found += santorini_differences(size, count // 10, seed)
    for difference in found[:20]:
        print(difference)
    others = f"{count // 10} of 8x8 and each board of Santorini"
    print(f"{count} positions of 7x6, at most {NODES} visited for each, {others}: {len(found)} differences")
    return int(bool(found))
