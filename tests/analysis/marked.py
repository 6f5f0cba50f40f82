"""What a mark claims, checked against the values word by word, and not as `arena.analysis.marks` finds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.analysis.marks import Judged, Mark, Story, Worth
from games.players.search import WIN


def value_of(score: int, ply: int) -> Worth:
    """A value of `games.players.search` of a move made at `ply`."""
    return Worth((score > 0) - (score < 0), WIN - abs(score) - ply if score else None)


def false_claims(mark: Mark, choice: Judged) -> Iterator[str]:
    """What of a mark is not so, if the proved values are true. Yields nothing for an honest one."""
    values: Mapping[str, Worth] = choice.values
    played, others = values[choice.played], [move for move in values if move != choice.played]
    results = {move: value.result for move, value in values.items()}
    if mark.seat != choice.seat or not choice.own:
        yield "it is about somebody else"
    if not mark.better or values[mark.better[0]] != mark.value:
        yield "the move that it names does not lead there"
    match mark.kind:
        case "threw_away_win":
            if played.result > 0 or any(results[move] != 1 for move in mark.better):
                yield "no win was thrown away"
            ends = [value.plies for value in values.values() if value.result == 1 and value.plies is not None]
            if mark.value.plies is not None and mark.value.plies != min(ends):
                yield "there is a quicker win"
        case "missed_draw":
            if played.result >= 0 or any(results[move] != 0 for move in mark.better) or 1 in results.values():
                yield "no draw was missed"
            if len(values) < choice.legal:
                yield "a win might have been missed"
        case "only_move":
            if len(others) != choice.legal - 1 or len(others) < 2:
                yield "there may be another one"
            if any(results[move] >= played.result for move in others):
                yield "another one is as good"
            if played == Worth(1, 1) or all(values[move] == Worth(-1, 2) for move in others):
                yield "it completes or stops a line, which anybody sees"


def false_story(told: Story, choices: Sequence[Judged]) -> Iterator[str]:
    """What of the whole is not so."""
    for mark in told.marks:
        yield from false_claims(mark, choices[mark.ply - 1])
    results = [standing.result for standing in told.standings]
    if told.decided is not None:
        since = told.decided.since
        if any(result != told.decided.result for result in results[since:]):
            yield "the result changed after it was decided"
        if since and (
            results[since - 1] == told.decided.result or (results[since - 1] is None) != told.decided.at_latest
        ):
            yield "it was decided before"
    for seat, (kept, counted) in enumerate(told.mattered):
        lost = [mark for mark in told.marks if mark.seat == seat and mark.kind != "only_move"]
        if counted - kept != len(lost):
            yield "a mark and the count differ"
