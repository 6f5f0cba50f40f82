"""What the browser does by itself: its rules against `games/`; analysis, mistakes, puzzles and games without a network.

`make soak ARGS='browser [MATCHES]'` plays MATCHES (10 000 by default) random matches of each variant by both rules,
then runs the tests of the pages that use them, with every case. Prints every difference; exits with 1 if something is
wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import games
from tests.kit.scripts import rule_differences

MATCHES, AT_ONCE = 10_000, 250
ROOT = Path(__file__).parents[2]
# The mistake in a lost match, tried again until it is right; the daily puzzle; the analysis board without a network,
# and playing on from there; games against built-in players without a network; the browser's players against the
# server's.
TESTS = ("tests/browser/test_analysis_board.py", "tests/browser/test_offline.py", "tests/web/test_players_in_script.py")


def main(arguments: list[str]) -> int:
    matches = int(arguments[0]) if arguments else MATCHES
    wrong = sum(_differences(variant.slug, matches) for variant in games.variants())
    command = [sys.executable, "-m", "pytest", "-q", *TESTS]
    failed = subprocess.call(command, cwd=ROOT, env={**os.environ, "ARENA_TEST_SAMPLE": "all"})
    return int(wrong > 0 or failed != 0)


def _differences(slug: str, matches: int) -> int:
    found = []
    for seed in range(0, matches, AT_ONCE):
        found += rule_differences(slug, min(AT_ONCE, matches - seed), seed)
    for difference in found[:20]:
        print(difference)
    print(f"{slug}: {matches} random matches, {len(found)} differences", flush=True)
    return len(found)
