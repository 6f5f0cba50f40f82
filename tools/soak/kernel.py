"""The kernel and its reference on 20 000 random positions of Connect Four 7x6: same bounds, same visits."""

from __future__ import annotations

from arena.analysis.kernel import SevenBySix
from games.players.connect_four_exact import Reference
from tests.games.players.exact import differences

POSITIONS = 20_000
NODES = 2_000


def main(arguments: list[str]) -> int:
    """ARGUMENTS: how many positions, a seed. Prints every difference; 1 if there is one."""
    count = int(arguments[0]) if arguments else POSITIONS
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    found = differences(SevenBySix(), Reference(), count, seed, NODES)
    for difference in found[:20]:
        print(difference)
    print(f"{count} positions, at most {NODES} visited for each: {len(found)} differences")
    return int(bool(found))
