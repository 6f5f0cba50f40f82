"""Our scripts for browsers, run by node: what they know of rules, players and values is asked as JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import games
from arena.analysis.kernel import MODULE
from games import Position

JS = Path(__file__).parents[2] / "static/js"
PROBE = Path(__file__).with_name("script_probe.mjs")
_S = 60


class Walk(NamedTuple):
    """A random match: its moves, and all its positions."""

    variant: str
    settings: dict[str, Any]
    moves: list[str]
    positions: list[Position]

    def job(self, act: str, ply: int | None = None, **more: Any) -> dict[str, Any]:
        return {"act": act, "variant": self.variant, "settings": self.settings, "moves": self.moves[:ply], **more}


def ask(jobs: Sequence[dict[str, Any]]) -> list[Any]:
    """The answers of one process to these jobs."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / "js"
        shutil.copytree(JS, there)
        (there / "package.json").write_text('{"type": "module"}')
        shutil.copy(PROBE, there)
        run = subprocess.run(
            ["node", str(there / PROBE.name), str(MODULE)],
            input=json.dumps(jobs),
            capture_output=True,
            text=True,
            timeout=_S,
        )
    assert run.returncode == 0, run.stderr
    answers: list[Any] = json.loads(run.stdout)
    return answers


def walks(variant: str, count: int, seed: int = 1) -> list[Walk]:
    """Random matches to their ends, the same for the same seed; of Nim with other settings each time."""
    rng, found = Random(f"{variant} {seed}"), []
    for _ in range(count):
        settings: dict[str, Any] = {}
        if variant == "expanding-nim":
            settings = {"stones": rng.randint(1, 160), "resets": rng.choice([None, *range(10)])}
        positions, moves = [games.variant(variant).start(**settings)], list[str]()
        while positions[-1].to_move is not None:
            moves.append(rng.choice(positions[-1].legal_moves()))
            positions.append(positions[-1].play(moves[-1]))
        found.append(Walk(variant, settings, moves, positions))
    return found


def rule_differences(variant: str, count: int, seed: int = 1) -> list[str]:
    """Where the rules in the browser differ from `games/` on these matches."""
    wrong = ["", "0", "99", "x", "a1", "3r", "b2-c1", "b2-c1+d2", "-1", "1 "]
    played = walks(variant, count, seed)
    answers = ask([walk.job("walk", wrong=wrong) for walk in played])
    found = []
    for walk, answer in zip(played, answers, strict=True):
        expected = [_seen(position) for position in walk.positions]
        found += [f"{a} in the browser, {b} here" for a, b in zip(answer["all"], expected, strict=True) if a != b]
        found += [f"{move!r} was played in {walk.positions[-1]}" for move in answer["refused"] if move is not None]
    return found


def _seen(position: Position) -> list[Any]:
    outcome = position.outcome()
    winner = outcome.winner if outcome else None
    return [str(position), position.ply, position.to_move, winner, list(position.legal_moves())]
