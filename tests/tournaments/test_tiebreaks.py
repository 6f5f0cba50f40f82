"""Tie-breaks against published tables, and the sums that explain them."""

from __future__ import annotations

import pytest

from arena.tournaments.tiebreaks import TIE_BREAKS, Field, PairingResult, Value, field, points
from tests.tournaments.published import CANDIDATES_2014, candidates_2014, hamilton_2018

NAMES = dict(enumerate(CANDIDATES_2014))


@pytest.fixture(scope="module")
def candidates() -> Field:
    return field(list(NAMES), candidates_2014())


@pytest.fixture(scope="module")
def hamilton() -> Field:
    results, published = hamilton_2018()
    return field(list(published), results, swiss=True)


def value(slug: str, of: Field, entry: int, *tied: int) -> Value:
    return TIE_BREAKS[slug].of(of, entry, tied or list(of.points))


def test_points_of_both_events_are_the_published_ones(candidates: Field, hamilton: Field) -> None:
    assert list(candidates.points.values()) == [8.5, 7.5, 7, 7, 7, 6.5, 6.5, 6]
    assert dict(hamilton.points) == hamilton_2018()[1]


def test_sonneborn_berger_of_a_double_round_robin(candidates: Field) -> None:
    found = [value("sonneborn-berger", candidates, entry).number for entry in NAMES]
    assert found == [57.25, 51.75, 49.25, 48, 48.5, 45, 46, 42.25]


def test_wins_and_direct_encounter_of_a_double_round_robin(candidates: Field) -> None:
    assert [value("wins", candidates, entry).number for entry in NAMES] == [3, 3, 3, 3, 2, 3, 3, 2]
    assert [value("direct", candidates, entry, 2, 3, 4).number for entry in (2, 3, 4)] == [2.5, 2, 1.5]
    assert [value("direct", candidates, entry, 5, 6).number for entry in (5, 6)] == [1.5, 0.5]


@pytest.mark.parametrize(
    ("slug", "first", "second"),
    [("direct", 0.5, 0.5), ("buchholz", 22.5, 20.0), ("sonneborn-berger", 19.75, 17.25), ("buchholz-cut-1", 20, 19.5)],
)
def test_tie_breaks_of_a_swiss_event_with_byes(hamilton: Field, slug: str, first: float, second: float) -> None:
    assert [value(slug, hamilton, entry, 1, 2).number for entry in (1, 2)] == [first, second]


def test_the_sum_is_explained(candidates: Field, hamilton: Field) -> None:
    assert value("direct", candidates, 2, 2, 3, 4).explained(NAMES) == "1½ (Mamedyarov) + 1 (Andreikin) = 2½"
    assert value("sonneborn-berger", hamilton, 27).explained({n: f"p{n}" for n in range(1, 28)}) == "1 (unplayed) = 1"
    names = {n: f"p{n}" for n in range(1, 28)}
    assert value("buchholz-cut-1", hamilton, 2).explained(names) == (
        "3 (p16) + 4 (p9) + 5½ (p1) + 3½ (p8) + 3½ (p10) = 19½; the lowest is left out"
    )


def test_the_sum_is_the_number(candidates: Field) -> None:
    for slug in ("wins", "sonneborn-berger", "buchholz"):
        for entry in NAMES:
            found = value(slug, candidates, entry)
            assert found.number == sum(term.factor * term.value for term in found.terms)


def test_the_direct_encounter_needs_that_all_have_met() -> None:
    of = field([1, 2, 3], [PairingResult(1, 1, 2, 1.0, 0.0)])
    assert value("direct", of, 1, 1, 2, 3) == Value(None, note="not all tied players have met")
    assert value("direct", of, 1, 1).explained({}) == "nobody is tied with it"


def test_fewer_failures_are_better() -> None:
    of = field([1, 2], [PairingResult(1, 1, 2, 0.0, 1.0, failed=(1,), cause="crash")])
    breaker = TIE_BREAKS["failures"]
    assert breaker.of(of, 1, [1, 2]).explained({2: "bob"}) == "1 (bob) = 1"
    assert breaker.key(breaker.of(of, 1, [1, 2])) > breaker.key(breaker.of(of, 2, [1, 2]))


def test_a_forfeit_counts_as_played_outside_a_swiss_event() -> None:
    results = [
        PairingResult(1, 1, 2, 1.0, 0.0, played=False, failed=(2,), cause="no_show"),
        PairingResult(2, 2, 3, 1.0, 0.0),
    ]
    assert value("sonneborn-berger", field([1, 2, 3], results), 1).number == 1
    swiss = field([1, 2, 3], results, swiss=True)
    names = {1: "ada", 2: "bob", 3: "cid"}
    assert value("sonneborn-berger", swiss, 1).explained(names) == "1 (unplayed) = 1", (
        "against a dummy with its own point"
    )
    assert swiss.worth[2] == 1.5


def test_numbers_are_written_as_people_do() -> None:
    assert [points(number) for number in (0, 0.5, 7, 7.5, 10.25)] == ["0", "½", "7", "7½", "10.25"]
