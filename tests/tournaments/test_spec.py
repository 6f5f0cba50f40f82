"""What an organiser wants is checked, and every mistake has its place."""

from __future__ import annotations

from typing import Any

import pytest

from arena.tournaments.spec import Conditions, EntrySpec, Problem, expected_matches, suggestion, swiss_rounds
from tests.kit.tournaments import a_spec, builtins

FIAR = EntrySpec("gravity", "command", "", "fiar", ("python3", "bot.py"))


def problems(**values: Any) -> list[Problem]:
    return a_spec(**values).problems()


def test_what_can_be_played_has_no_problem() -> None:
    assert problems() == []
    assert problems(format="swiss", rounds=3, clock="1m+1s", tie_breaks=("buchholz",), opening_plies=4) == []


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("name", " ", "expected 1 to 64 characters"),
        ("variant", "conect-four-7x6", "did you mean connect-four-7x6?"),
        ("format", "round robin", "did you mean round-robin?"),
        ("format", "league", "expected one of round-robin, gauntlet, swiss, knockout"),
        ("legs", 0, "expected a number from 1 to 100"),
        ("concurrency", 65, "expected a number from 1 to 64"),
        ("pace_ms", -1, "expected a number from 0 to 60000"),
        ("opening_plies", 3, "expected an even number"),
        ("rounds", 5, "only a Swiss event has a number of rounds"),
        ("clock", "soon", "expected 5s"),
        ("tie_breaks", ("buchhols",), "did you mean buchholz?"),
        ("tie_breaks", ("wins", "failures", "wins"), "wins appears twice"),
        ("machines", " c5", "expected the class of a worker, such as c5"),
        ("settings", {"stones": 5}, "has no setting 'stones'"),
    ],
)
def test_a_wrong_value_is_named(key: str, value: Any, says: str) -> None:
    found = problems(**{key: value})
    assert [problem.key for problem in found] == [key]
    assert says in found[0].sentence


@pytest.mark.parametrize(
    ("conditions", "key", "says"),
    [
        (Conditions(rating_from=-1), "rating_from", "expected a number from 0 to 4000"),
        (Conditions(rating_to=4001), "rating_to", "expected a number from 0 to 4000"),
        (Conditions(rating_from=1500, rating_to=1400), "rating_to", "no rating is from 1500 to 1400"),
    ],
)
def test_conditions_that_nobody_can_meet_are_named(conditions: Conditions, key: str, says: str) -> None:
    found = problems(conditions=conditions)
    assert [problem.key for problem in found] == [key]
    assert says in found[0].sentence


@pytest.mark.parametrize(
    ("entry", "key", "says"),
    [
        (EntrySpec("x", "builtin", "clubb"), "level", "did you mean club?"),
        (EntrySpec("x", "robot"), "kind", "did you mean bot?"),
        (EntrySpec("x", "bot"), "player", "there is no bot with this name"),
        (EntrySpec("x", "command", "", "nyu-nim", ("bot",)), "protocol", "x plays expanding-nim, not connect-four-7x6"),
        (EntrySpec("x", "bot", "", "native", player=1, variant="expanding-nim"), "protocol", "not connect-four-7x6"),
        (EntrySpec("P1", "builtin", "club"), "name", "appears twice"),
        (EntrySpec("", "builtin", "club"), "name", "expected 1 to 64"),
    ],
)
def test_a_wrong_entry_is_named(entry: EntrySpec, key: str, says: str) -> None:
    found = problems(entries=(*builtins(2), entry))
    assert [(problem.key, problem.entry) for problem in found] == [(key, 2)]
    assert says in found[0].sentence


def test_an_event_that_the_host_plays_names_no_class_of_machines() -> None:
    for played_here in ({"pace_ms": 700}, {"adjudicate": 4}):
        assert [each.key for each in problems(machines="c5", **played_here)] == ["machines"]


def test_a_player_takes_part_once() -> None:
    bots = (EntrySpec("a", "person", player=3), EntrySpec("b", "person", player=3))
    assert [problem.entry for problem in problems(entries=bots)] == [0, 1]


def test_two_are_needed_and_a_schedule_has_an_end() -> None:
    assert "expected 2 to 200" in problems(count=1)[0].sentence
    assert "5000 at most" in problems(count=200, legs=100)[0].sentence


def test_a_bot_without_a_clock_could_hang_for_ever() -> None:
    assert "a bot that hangs" in problems(entries=(*builtins(2), FIAR), clock="none")[0].sentence
    assert problems(clock="none") == []


def test_a_protocol_that_tells_moves_only_has_no_openings() -> None:
    droid = EntrySpec("droid", "command", "", "droidcon", ("bot",))
    found = problems(entries=(*builtins(2), droid), opening_plies=4)
    assert "no openings with it" in found[0].sentence
    assert problems(entries=(*builtins(2), FIAR), opening_plies=4) == []


@pytest.mark.parametrize(
    ("format", "matches"), [("round-robin", 56), ("gauntlet", 14), ("knockout", 14), ("swiss", 32)]
)
def test_the_number_of_matches_is_known_before(format: str, matches: int) -> None:
    assert expected_matches(format, 8, 2, 0) == matches


def test_a_swiss_event_has_no_more_rounds_than_opponents() -> None:
    assert [swiss_rounds(8, 0), swiss_rounds(8, 20), swiss_rounds(5, 20), swiss_rounds(2, 0)] == [4, 7, 5, 1]


def test_settings_are_complete_and_json() -> None:
    kept = a_spec(variant="expanding-nim", tie_breaks=("wins",)).to_settings()
    assert kept["variant"] == {"stones": 100, "resets": 4}
    assert (kept["tie_breaks"], kept["legs"], kept["seed"]) == (["wins"], 1, 7)


def test_without_a_near_word_all_are_named() -> None:
    assert suggestion("zzz", ["a", "b"]) == "expected one of a, b"
