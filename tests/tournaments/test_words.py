"""What is said of a tournament."""

from __future__ import annotations

import pytest
from django.utils import translation

from arena.match.commands import Refusal
from arena.models import Entry, Match, Pairing, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.spec import Problem
from arena.tournaments.words import in_a_sentence, sentences, table, tie_break_order, winner_of
from arena.web.words import spoken
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import results, rule

pytestmark = pytest.mark.django_db


def ended(count: int, *texts: str, **values: object) -> str:
    tournament = begun(a_spec(count, **values))
    results(*texts)
    actions.go_on(tournament)
    return winner_of(sheet("spring-cup"))


def test_before_the_end_nobody_has_won() -> None:
    begun(a_spec(2))
    assert winner_of(sheet("spring-cup")) == ""


def test_the_winner() -> None:
    assert ended(3, "1-0", "0-1", "1/2-1/2") == "p2 wins with 2 of 2 points"


def test_two_winners() -> None:
    assert ended(2, "1/2-1/2") == "p1 and p2 share first place with ½ of 1 points"


def test_nobody_wins_a_gauntlet_by_having_had_more_matches() -> None:
    assert ended(4, "1-0", "1-0", "1/2-1/2", format="gauntlet") == "p1 scored 1½ of 3 points in the gauntlet"


def test_of_a_gauntlet_whose_one_is_gone_that_is_said() -> None:
    begun(a_spec(4, format="gauntlet"))
    tournament = Tournament.objects.get()
    leaving.withdraw(tournament, Entry.objects.get(name="p1"))
    actions.go_on(tournament)
    assert winner_of(sheet("spring-cup")) == "p1 withdrew"


def test_the_winner_of_a_knockout() -> None:
    assert ended(2, "0-1", format="knockout") == "p2 wins the final against p1, 1 to 0"


def test_the_order_of_the_table() -> None:
    begun(a_spec(2, tie_breaks=("direct", "sonneborn-berger")))
    assert tie_break_order(sheet("spring-cup")) == "Order: points, then direct encounter, then Sonneborn-Berger."


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Spring cup is under way, not paused."), ("de", "Spring cup ist im Gang, nicht pausiert.")],
)
def test_who_presses_too_late_reads_a_whole_sentence(language: str, words: str) -> None:
    """In German it read "ist läuft, nicht pausiert"."""
    event = begun(a_spec(2))
    with pytest.raises(Refusal) as refused:
        actions.resume(event)
    with translation.override(language):
        assert spoken(refused.value.sentence) == words


def test_names_keep_their_capital_in_a_sentence() -> None:
    titles = ("Direct encounter", "Sonneborn-Berger", "Buchholz cut 1", "Swiss", "Round robin")
    said = ["direct encounter", "Sonneborn-Berger", "Buchholz cut 1", "Swiss", "round robin"]
    assert [in_a_sentence(title) for title in titles] == said


def test_the_table_as_text() -> None:
    ended(3, "1-0", "0-1", "1/2-1/2")
    lines = table(sheet("spring-cup")).splitlines()
    assert lines[0].split()[:8] == ["Rank", "Name", "Points", "Played", "Won", "Drawn", "Lost", "Elo"]
    assert lines[1].split()[:7] == ["1", "p2", "2", "2", "2", "0", "0"]
    assert lines[1].split()[-3] == "*"
    assert len({line.find("*") for line in lines[1:]}) == 3


def test_who_wins_everything_has_finite_numbers() -> None:
    ended(2, *["1-0", "0-1"] * 4, legs=8)
    best, worst = table(sheet("spring-cup")).splitlines()[1:3]
    assert best.split()[:14] == ["1", "p1", "8", "8", "8", "0", "0", "+382", "(+67", "to", "+696)", "1", "99.4%", "0"]
    assert worst.split()[:14] == ["2", "p2", "0", "8", "0", "0", "8", "-382", "(-696", "to", "-67)", "2", "0.6%", "0"]


def test_who_cannot_be_told_apart_by_strength_are_tied_by_elo() -> None:
    ended(2, "1-0", "0-1", "1/2-1/2", "1/2-1/2", legs=4)
    best, worst = table(sheet("spring-cup")).splitlines()[1:3]
    assert best.split()[7:12] == ["+120", "(-100", "to", "+292)", "1-2"]
    assert worst.split()[11] == "1-2"


def test_a_forfeit_says_nothing_about_strength() -> None:
    begun(a_spec(2))
    actions.award(Pairing.objects.get(), "a", "it never came")
    assert table(sheet("spring-cup")).splitlines()[1].split()[:10] == [
        "1",
        "p1",
        "1",
        "1",
        "1",
        "0",
        "0",
        "-",
        "-",
        "-",
    ]


def test_a_bye_is_among_the_points_that_could_be_made() -> None:
    """Three rounds of three: everybody has one bye, worth an encounter."""
    tournament = begun(a_spec(3, format="swiss", rounds=3))
    for text in ("1-0", "1-0", "1-0"):
        results(text)
        actions.go_on(tournament)
    said = winner_of(sheet("spring-cup"))
    assert said.endswith("of 3 points"), said


def test_a_final_by_forfeit_and_one_that_nobody_wins() -> None:
    tournament = begun(a_spec(2, format="knockout"))
    actions.award(Pairing.objects.get(), "b", "it never came")
    actions.go_on(tournament)
    assert winner_of(sheet("spring-cup")) == "p2 wins the final by forfeit of p1"
    tournament = begun(a_spec(2, format="knockout"))
    actions.award(Pairing.objects.get(tournament=tournament), "both", "neither came")
    actions.go_on(tournament)
    found = sheet("spring-cup-2")
    assert winner_of(found) == "Nobody wins: both have forfeited the final"
    assert [line.rank for line in found.standings] == [2, 2]


def test_a_final_that_a_ruling_has_left_without_a_winner_is_to_be_played_again() -> None:
    assert ended(2, "1-0", format="knockout") == "p1 wins the final against p2, 1 to 0"
    rule(Match.objects.get(), "void")
    assert winner_of(sheet("spring-cup")).startswith("The final has no winner: play one of its matches again")
    actions.rerun(Pairing.objects.get(), "it was void")
    results("0-1")
    actions.go_on(sheet("spring-cup").tournament)
    assert winner_of(sheet("spring-cup")) == "p2 wins the final against p1, 1 to 0"


def test_the_third_place_is_named() -> None:
    tournament = begun(a_spec(4, format="knockout", third_place=True))
    for texts in (("1-0", "1-0"), ("1/2-1/2", "0-1"), ("1-0", "0-1")):
        results(*texts)
        actions.go_on(tournament)
    assert winner_of(sheet("spring-cup")) == "p2 wins the final against p1, 2½ to ½; p3 is third"


def test_problems_in_a_sentence() -> None:
    problems = [Problem("legs", "0: expected more"), Problem("name", "none")]
    assert sentences(problems) == "legs: 0: expected more; name: none."
