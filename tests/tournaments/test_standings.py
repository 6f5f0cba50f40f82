"""The table: ranks by points, then by the tie-breaks in their order."""

from __future__ import annotations

from arena.tournaments.standings import crosstable, failures, standings
from arena.tournaments.tiebreaks import PairingResult
from tests.tournaments.published import CANDIDATES_2014, candidates_2014

NAMES = list(CANDIDATES_2014)


def test_the_candidates_tournament_2014_ends_as_it_did() -> None:
    """Rules of the event: direct encounter, wins, Sonneborn-Berger."""
    table = standings(range(8), candidates_2014(), ("direct", "wins", "sonneborn-berger"))
    assert [NAMES[line.entry] for line in table] == NAMES
    assert [line.rank for line in table] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (table[0].won, table[0].drawn, table[0].lost, table[0].played) == (3, 11, 0, 14)


def test_who_cannot_be_told_apart_shares_a_rank() -> None:
    results = [PairingResult(1, 1, 2, 0.5, 0.5), PairingResult(2, 3, 1, 0.0, 1.0), PairingResult(3, 2, 3, 1.0, 0.0)]
    assert [(line.rank, line.entry) for line in standings([1, 2, 3], results, ("direct", "wins"))] == [
        (1, 1),
        (1, 2),
        (3, 3),
    ]


def test_every_tie_break_is_shown_for_everyone() -> None:
    table = standings(range(8), candidates_2014(), ("wins", "buchholz"))
    assert all(list(line.values) == ["wins", "buchholz"] for line in table)


def test_before_the_first_match_all_share_the_first_rank() -> None:
    assert [line.rank for line in standings([4, 5], [], ("direct", "failures"))] == [1, 1]


def test_the_crosstable_shows_match_by_match() -> None:
    cells = crosstable(candidates_2014())
    assert cells[0, 3] == (1.5, 0.5, "1½")
    assert cells[3, 0] == (0.5, 1.5, "0½")
    assert (0, 0) not in cells


def test_a_forfeit_shows_as_one() -> None:
    cells = crosstable(
        [PairingResult(1, 1, 2, 1.0, 0.0, played=False), PairingResult(2, 1, None, 1.0, 0.0, played=False)]
    )
    assert cells == {(1, 2): (1, 0, "+"), (2, 1): (0, 1, "-")}


def test_failures_are_counted_by_cause() -> None:
    results = [PairingResult(1, 1, 2, 0.0, 1.0, failed=(1,), cause="timeout")] * 2
    assert failures([1, 2], results) == {1: {"timeout": 2}, 2: {}}
