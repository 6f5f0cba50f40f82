"""The table of a `match`, the warning when it says less than it seems, and what its test says."""

from __future__ import annotations

from arena.management.match_tally import MatchTally
from arena.match.sprt import Hypotheses, Sprt
from arena.play.driver import Log, play
from arena.play.spec import BuiltinSeat, Spec

RANDOM = BuiltinSeat("random")


def _played(rounds: int, **spec: object) -> list[Log]:
    return play(Spec("expanding-nim", (BuiltinSeat("best", "one"), RANDOM), rounds, seed=3)._replace(**spec))  # type: ignore[arg-type]


def _tally(logs: list[Log], sprt: Sprt | None = None) -> MatchTally:
    tally = MatchTally(sprt)
    for log in logs:
        tally.add(log, [seat.name for seat in log.state.setup.seats])
    return tally


def test_without_a_test_there_is_the_table_alone() -> None:
    tally = _tally(_played(2))
    assert [*tally.verdict()] == [] and not tally.is_decided
    head, first, second = tally.table()
    assert head.split() == ["Player", "Points", "Won", "Drawn", "Lost", "Elo"]
    assert first.split()[:5] == ["one", "2", "2", "0", "0"] and second.split()[-8:-4] == ["0", "0", "0", "2"]


def test_matches_that_repeat_themselves_are_said() -> None:
    logs = _played(2)
    *_, warns, advises = _tally(logs * 3).table()
    assert warns == "\nOnly 2 of 6 matches differ, so the intervals are narrower than they should be."
    assert advises == "--openings begins each pair of rounds with another opening."
    assert len([*_tally(logs).table()]) == 3, "two may be alike by chance"
    assert len([*_tally(_played(8)).table()]) == 3, "these differ"


def test_the_test_says_which_hypothesis_holds_and_from_which_results() -> None:
    """Each pair that is won twice says 0.760 / 0.471, the expected scores: of which seven are over 19."""
    tally = _tally(_played(20), Sprt(Hypotheses(-20, 200)))
    assert tally.is_decided
    first, second, third = tally.verdict()
    assert first == "\nSPRT, H0 -20 and H1 200 Elo: LLR 3.34, bounds -2.94 and 2.94"
    assert second == "Pairs by the points of one: 0 × 0, 0 × ½, 0 × 1, 0 × 1½, 7 × 2"
    assert third == "H1 accepted: 200 Elo points explain these results more than 19 times as well as -20."


def test_too_few_matches_decide_nothing() -> None:
    tally = _tally(_played(2), Sprt(Hypotheses(0, 10)))
    assert not tally.is_decided and [*tally.verdict()][-1] == "No decision: more rounds may bring one."
