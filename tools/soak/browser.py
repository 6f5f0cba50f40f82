"""The rules in the browser against `games/` on 10 000 random matches of each variant."""

from __future__ import annotations

import games
from tests.kit.scripts import rule_differences

MATCHES, AT_ONCE = 10_000, 250


def main(arguments: list[str]) -> int:
    """ARGUMENTS: how many matches of each variant. Prints every difference; 1 if there is one."""
    matches, wrong = int(arguments[0]) if arguments else MATCHES, 0
    for variant in games.variants():
        found = []
        for seed in range(0, matches, AT_ONCE):
            found += rule_differences(variant.slug, min(AT_ONCE, matches - seed), seed)
        for difference in found[:20]:
            print(difference)
        print(f"{variant.slug}: {matches} random matches, {len(found)} differences", flush=True)
        wrong += len(found)
    return int(wrong > 0)
