"""A whole match analysed: the proved values of all moves of all its positions, as JSON in and out.

In: `{"variant", "settings", "moves"}`. Out: `{"kernel", "values", "puzzles"}`, where `values` has an entry for each
position with a move to make: one for each legal move, in the order of the rules. An entry is `n` for a win after n
plies, `-n` for a loss, 0 for a draw, `"w"` or `"l"` where only the result is proved, null where nothing is proved.
`puzzles` has `[ply, key]` for each position that is one, `mistakes` has `[ply, seat]` for each move that changed the
result for the worse. `"opening"` in the spec is the number of first moves that no player chose.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import games
from arena.analysis import puzzles
from arena.analysis.marks import Judged, Story, Worth, mark_of, story
from arena.analysis.proofs import SOLVED, Proofs, kernel_version
from games.game import Position
from games.players.prover import NOTHING, Bounds
from games.players.search import WIN, OutOfTime

Entry = int | str | None

EXACT_S = 10.0  # for a position that is proved at last, whatever it takes: far longer than it does with the kernel
SEARCHED_S = 0.25
ALWAYS_SOLVED = ("connect-four-7x6", "expanding-nim")


def is_solvable(variant: str) -> bool:
    """Whether anything can be proved about matches of this variant."""
    try:
        return games.variant(variant).game in SOLVED
    except KeyError:
        return False


def analyse(spec: Mapping[str, Any], limit: Callable[[], OutOfTime] | None = None) -> dict[str, Any]:
    """The values of a match, from the end to the start, so that earlier positions benefit from later ones. Raises
    KeyError for an unknown variant, ValueError for moves that the rules refuse.
    """
    positions, limit = played(spec), limit or patience_of(spec["variant"])
    values: list[list[Entry]] = []
    later: dict[str, Bounds] | None = None
    for n in range(len(positions) - 1, -1, -1):
        position = positions[n]
        if position.to_move is None:
            continue
        found = proofs().bounds(position, limit)
        if found is None:
            raise ValueError(f"there is no solver for {spec['variant']}")
        if later is not None:
            move = spec["moves"][n]
            found[move] = _narrowed(found[move], later)
        values.append([entry_of(found[move], position.ply) for move in position.legal_moves()])
        later = found
    known = choices(positions, spec["moves"], values[::-1], spec.get("opening", 0))
    found_puzzles = [list(each) for each in puzzles.found(spec["variant"], positions, known)]
    marks = filter(None, (mark_of(choice, ply) for ply, choice in enumerate(known, 1)))
    mistakes = [[mark.ply, mark.seat] for mark in marks if mark.kind != "only_move"]
    return {"kernel": kernel_version(), "values": values[::-1], "puzzles": found_puzzles, "mistakes": mistakes}


def values_at(position: Position) -> list[Entry]:
    """The values of the moves of one position, in the order of the rules; all unknown where there is no solver."""
    found = proofs().bounds(position, lambda: after(SEARCHED_S)) or {}
    return [entry_of(found.get(move, NOTHING), position.ply) for move in position.legal_moves()]


def entries_of(choice: Judged, legal: Sequence[str]) -> list[Entry]:
    """The values of a position as `analyse` gives them: the inverse of `choices`."""
    return [_entry_of_worth(choice.values.get(move)) for move in legal]


def played(spec: Mapping[str, Any]) -> list[Position]:
    """All positions of a match, from the first. Raises ValueError for a move that the rules refuse."""
    positions = [games.variant(spec["variant"]).start(**spec["settings"])]
    for move in spec["moves"]:
        positions.append(positions[-1].play(move))
    return positions


def told(positions: Sequence[Position], moves: Sequence[str], values: Sequence[Sequence[Entry]], opening: int) -> Story:
    """The story of a match from the result of `analyse`. `opening` counts the first moves that no player chose."""
    last = positions[-1].outcome()
    final = None if last is None else {0: 1, 1: -1, None: 0}[last.winner]
    return story(choices(positions, moves, values, opening), final)


def choices(
    positions: Sequence[Position], moves: Sequence[str], values: Sequence[Sequence[Entry]], opening: int = 0
) -> list[Judged]:
    """The positions with a move to make, with the values of their moves. Raises ValueError if these do not fit."""
    to_move = [position for position in positions if position.to_move is not None]
    if len(to_move) != len(values):
        raise ValueError(f"{len(values)} positions have values, expected {len(to_move)}")
    found = []
    for position, entries in zip(to_move, values, strict=True):
        made = moves[position.ply] if position.ply < len(moves) else ""
        found.append(judged(position, entries, made)._replace(own=position.ply >= opening))
    return found


def judged(position: Position, entries: Sequence[Entry], played: str = "") -> Judged:
    """A position with the values of its moves. Raises ValueError if they are not its values."""
    legal = position.legal_moves()
    known = {move: _value(entry) for move, entry in zip(legal, entries, strict=True) if entry is not None}
    return Judged(position.to_move or 0, played, len(legal), known)


def _narrowed(bounds: Bounds, later: Mapping[str, Bounds]) -> Bounds:
    """What is known of the position after a move holds for the move as well."""
    best_low, best_high = max(each.low for each in later.values()), max(each.high for each in later.values())
    return Bounds(max(bounds.low, -best_high), min(bounds.high, -best_low))


def entry_of(bounds: Bounds, ply: int) -> Entry:
    if bounds == NOTHING or bounds.result is None:
        return None
    if bounds.result == 0:
        return 0
    if not bounds.exact:
        return "w" if bounds.result > 0 else "l"
    plies = WIN - abs(bounds.low) - ply
    return plies if bounds.result > 0 else -plies


def _entry_of_worth(value: Worth | None) -> Entry:
    if value is None or value.result == 0:
        return None if value is None else 0
    if value.plies is None:
        return "w" if value.result > 0 else "l"
    return value.result * value.plies


def _value(entry: Entry) -> Worth:
    match entry:
        case "w":
            return Worth(1)
        case "l":
            return Worth(-1)
        case int():
            return Worth((entry > 0) - (entry < 0), abs(entry) or None)
        case _:
            raise ValueError(f"{entry!r} is no value")


def patience_of(variant: str) -> Callable[[], OutOfTime]:
    """Returns a function that says when a position of this variant has been analysed for long enough."""
    patience = EXACT_S if variant in ALWAYS_SOLVED else SEARCHED_S
    return lambda: after(patience)


def after(seconds: float) -> OutOfTime:
    """Measures processor time of this thread, because the machine may be busy with more important work."""
    until = time.thread_time() + seconds
    return lambda: time.thread_time() > until


@cache
def proofs() -> Proofs:
    """Shared by all matches of this process: the book is opened once, and anything missing is logged once."""
    return Proofs()
