"""`python -m tools.strength before|ladder [--variant SLUG] [--level L] [--matches N] [--seconds S] [--seed N]`.

`before`: today's *best* against *best* before the kernel, at equal processor time a move.
`ladder`: each level, or those of `--level`, against the next lower one, each with the time it has in the arena, S
seconds at most.
Every line is a score of the stronger one with its 95 % interval. Goals: 80 % and 75 % over 400 matches.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise

import games
from arena.analysis.provers import Provers
from games.players import LEVELS
from tools.strength.play import Chooser, Score, best_of_before, level, matches

GOALS = {"before": 0.80, "ladder": 0.75}
WITH_PLAYERS_OF_BEFORE = ("connect-four-8x8", "santorini-5x5", "santorini-6x6")


def main(arguments: list[str]) -> int:
    """Play and print; 1 where a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m tools.strength", description=__doc__)
    parser.add_argument("what", choices=tuple(GOALS))
    parser.add_argument("--variant", choices=[variant.slug for variant in games.variants()], action="append")
    parser.add_argument("--level", choices=LEVELS[1:], action="append")
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    if asked.matches < 1:
        parser.error(f"--matches {asked.matches}: expected 1 or more")
    missed = 0
    for slug, names, one, other in _pairs(asked.what, asked.variant, asked.level or list(LEVELS)):
        score = Score(0, 0)
        for score in matches(slug, one, other, asked.matches, asked.seconds, asked.seed):
            print(f"\r{slug:18} {names:22} {score}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        missed += score.share < GOALS[asked.what]
        print(f"{slug:18} {names:22} {score}{'' if score.share >= GOALS[asked.what] else '  MISSED'}", flush=True)
    return int(missed > 0)


def _pairs(what: str, variants: list[str] | None, levels: list[str]) -> list[tuple[str, str, Chooser, Chooser]]:
    prover = Provers()
    if what == "before":
        slugs = variants or list(WITH_PLAYERS_OF_BEFORE)
        return [(slug, "best : best before", level("best", prover), best_of_before) for slug in slugs]
    return [
        (slug, f"{higher} : {lower}", level(higher, prover), level(lower, prover))
        for slug in variants or [variant.slug for variant in games.variants()]
        for lower, higher in pairwise(LEVELS)
        if higher in levels
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
