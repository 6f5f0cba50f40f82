"""Whether the result of a running match is certain: the proved values of its positions, and the line that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import games
from arena.analysis.matches import ALWAYS_SOLVED, after, is_solvable, patience_of, played, proofs
from games.game import Position
from games.players.prover import Bounds
from games.players.search import OutOfTime

# The most moves for which a proved result may have to hold before it ends a match.
MOST_HELD = 40
# So much of a line is told: who wants more plays on from the match.
LONGEST_LINE = 12
# Processor time for it: while it is looked for, the match goes on.
LINE_S = 1.0


def why_not_adjudicated(variant: str) -> str:
    """Why no match of this variant can be ended by a proof, "" if it can."""
    if is_solvable(variant) or variant not in games.slugs():
        return ""
    return f"nothing can be proved of {games.variant(variant).title}: its matches are played to their end"


def verdicts(job: Mapping[str, Any], limit: Callable[[], OutOfTime] | None = None) -> dict[str, Any]:
    """The proved results of the positions after `job["plies"]` moves of a match.

    In: `{"variant", "settings", "moves", "plies", "known"}`; `known` are the results of the other plies that have to
    agree; optional. Out: `{"results", "line"}`: for each of the plies 1 where the first seat wins, -1 where it loses, 0
    for a draw and None where nothing is proved. They are examined from the last to the first until a result differs
    from the last one; earlier ones are None too, because no count can bridge the gap. `line` has the moves that both
    sides play best after the last ply, where all results agree: as many as are found within `LINE_S`, at most
    `LONGEST_LINE`. Raises as `matches.played`.
    """
    positions, told = played(job), limit or patience_of(job["variant"])
    found: list[int | None] = []
    for ply in reversed(job["plies"]):
        found.append(result_of(positions[ply], told))
        if found[-1] is None or found[-1] != found[0]:
            break
    results = [None] * (len(job["plies"]) - len(found)) + found[::-1]
    held = results[-1] is not None and len({*results, *job.get("known", ())}) == 1
    return {"results": results, "line": _line(job["variant"], positions[job["plies"][-1]]) if held else []}


def result_of(position: Position, limit: Callable[[], OutOfTime]) -> int | None:
    """1, 0 or -1 for the first seat; None if not proved."""
    if (mover := position.to_move) is None:
        outcome = position.outcome()
        return None if outcome is None else {None: 0, 0: 1, 1: -1}[outcome.winner]
    found = proofs().bounds(position, limit)
    result = _best(found).result if found else None
    return result if result is None or mover == 0 else -result


def _best(moves: Mapping[str, Bounds]) -> Bounds:
    """The value of a position for the player to move, from the values of its moves."""
    return Bounds(max(each.low for each in moves.values()), max(each.high for each in moves.values()))


def _line(variant: str, position: Position) -> list[str]:
    """The quickest win against the longest resistance. If a search runs until its time is up, each move gets a share of
    it; otherwise the first would take all.
    """
    told = after(LINE_S)
    limit = (lambda: told) if variant in ALWAYS_SOLVED else (lambda: after(LINE_S / LONGEST_LINE))
    line: list[str] = []
    while position.to_move is not None and len(line) < LONGEST_LINE:
        moves = proofs().bounds(position, limit)
        if told() or not moves or _best(moves).result is None:
            break
        line.append(max(moves, key=lambda move: moves[move].low))
        position = position.play(line[-1])
    return line
