"""What was played is found right, and what somebody has changed in a log is found."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

import games
from arena.match.commands import Adjudicate, Command, Flag, Pause, Play, Resign, Resume, Rule, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import evolve
from arena.match.judge import judge
from arena.match.state import LogEvent, Setup, first_state
from tests.kit.appending import NOW, SETUP, the_appends


def the_log(*commands: Command, setup: Setup = SETUP) -> list[LogEvent]:
    return [event for events in the_appends(commands, setup) for event in events]


def whole() -> list[LogEvent]:
    return [event for events in the_appends() for event in events]


def random_log(slug: str, seed: int) -> list[LogEvent]:
    """A match of random moves to its end, with a clock."""
    rng = random.Random(seed)
    setup = Setup(slug, SETUP.seats, games.variant(slug).complete({}), clock="5m+1s")
    log = list(open_match(setup, NOW))
    state = first_state(setup)
    command: Command = Start()
    while state.phase != "ended":
        for event in decide(state, command, NOW + timedelta(seconds=len(log)), rng.randrange(5_000)):
            state = evolve(state, event)
            log.append(event)
        if state.to_move is not None:
            command = Play(state.to_move, state.position.ply + 1, rng.choice(state.position.legal_moves()), "session")
    return log


@pytest.mark.parametrize("slug", [variant.slug for variant in games.variants()])
def test_a_played_match_is_right(slug: str) -> None:
    assert [judge(random_log(slug, seed)) for seed in range(3)] == ["", "", ""]


def test_pauses_and_rulings_are_right() -> None:
    assert judge(whole()) == ""
    after: list[Command] = [
        Start(),
        Play(0, 1, "4"),
        Resign(1),
        Rule("draw", None, "why", "a"),
        Rule("void", None, "why", "a"),
    ]
    assert judge(the_log(*after)) == ""


def test_time_given_back_is_reckoned_with() -> None:
    log = the_log(Start(), Play(0, 1, "4", given_back_ms=400), Pause("why", given_back_ms=100), Resume("a"), Resign(1))
    assert judge(log) == "" and log[2].left0_ms == 60_900
    without = [*log[:2], log[2]._replace(data={}), *log[3:]]
    assert judge(without).startswith("event 3: the rules say")


def test_a_log_from_before_with_time_given_back_by_an_event_of_its_own_is_right() -> None:
    log = the_log(Start(), Play(0, 1, "4"))
    given = LogEvent(4, NOW, "refunded", seat=1, left0_ms=60_500, left1_ms=60_300, data={"ms": 300, "reason": "stall"})
    assert judge([*log, given]) == ""
    assert "given back" in judge([*log, given._replace(left1_ms=1)])
    assert "no clock" in judge([*the_log(Start(), setup=SETUP._replace(clock="none")), given._replace(seq=3)])


def test_a_match_that_still_runs_is_right() -> None:
    log = whole()
    assert [judge(log[:length]) for length in range(1, len(log) - 1)] == [""] * (len(log) - 2)


def test_a_match_with_an_opening_is_right_and_another_opening_is_not() -> None:
    setup = SETUP._replace(opening="4 4 3")
    log = the_log(Start(), Play(1, 4, "3"), Pause("why"), Resume(), Resign(0), setup=setup)
    assert judge(log) == ""
    assert judge([log[0], log[1]._replace(move="5"), *log[2:]]).startswith("event 1: the setup says")


def test_a_setup_from_before_it_had_all_its_fields_is_right() -> None:
    log = whole()
    old = {name: value for name, value in log[0].data.items() if name not in ("opening", "pairing")}
    assert judge([log[0]._replace(data=old), *log[1:]]) == ""


@pytest.mark.parametrize(
    ("number", "changed", "said"),
    [
        (0, {"kind": "started"}, "begins with opened"),
        (1, {"seq": 3}, "number 2 is missing"),
        (2, {"move": "9"}, "event 3: "),
        (2, {"seat": 1}, "other side's turn"),
        (2, {"ply": 2}, "move 1 is next"),
        (2, {"left0_ms": 60_000}, "the rules say"),
        (2, {"elapsed_ms": 70_000}, "timeout"),
        (3, {"kind": "resumed"}, "resumed cannot follow"),
        (-1, {"data": {"winner": 1, "termination": "normal", "reason": "four in a row"}}, "the rules say"),
        (-1, {"data": {"winner": 0, "termination": "normal", "reason": "a good talk"}}, "the rules say"),
        (-2, {"move": "1"}, "without a move that ends the match"),
    ],
)
def test_what_was_changed_is_found(number: int, changed: dict[str, Any], said: str) -> None:
    log = whole()
    log[number] = log[number]._replace(**changed)
    assert said in judge(log)


def test_any_event_that_is_gone_or_there_twice_is_found() -> None:
    log = whole()
    for number in range(len(log) - 1):
        assert judge(log[:number] + log[number + 1 :]), log[number]
        assert judge(log[: number + 1] + log[number:]), log[number]


def test_an_ending_that_cannot_be_is_found() -> None:
    log = the_log(Start(), Play(0, 1, "4"), Resign(1))
    ending = log[-1]
    for termination, said in (("normal", "without a move"), ("timeout", "a timeout after"), ("quarrel", "quarrel")):
        data = {**ending.data, "termination": termination}
        assert said in judge([*log[:-1], ending._replace(data=data)])
    assert "ended at ply 7" in judge([*log[:-1], ending._replace(ply=7)])


@pytest.mark.parametrize("winner", [0, None, True, 1.0, "1", [1], {}])
def test_a_winner_that_no_rule_gives_is_found(winner: object) -> None:
    *log, resigned = the_log(Start(), Play(0, 1, "4"), Resign(0))
    data = {**resigned.data, "winner": winner}
    words = f"event {len(log) + 1}: the rules say that 1 wins by resign of seat 0, the log says {winner!r}"
    assert judge([*log, resigned._replace(data=data)]) == words


@pytest.mark.parametrize(("verdict", "winner"), [("win", None), ("draw", 0), ("void", 1), ("lost", 0), (None, None)])
def test_a_ruling_that_nobody_can_make_is_found(verdict: object, winner: object) -> None:
    *log, ruled = the_log(Start(), Play(0, 1, "4"), Resign(0), Rule("win", 0, "why", "a"))
    wrong = ruled._replace(data={**ruled.data, "verdict": verdict, "winner": winner})
    assert judge([*log, wrong]) == f"event {len(log) + 1}: a ruling of {verdict!r} with {winner!r} as the winner"


def test_a_setup_with_values_of_other_types_is_found() -> None:
    first, *rest = whole()
    assert judge([first._replace(data={**first.data, "opening": 3}), *rest]).startswith("event 1: ")


def test_a_lost_flag_and_a_decision_are_right() -> None:
    assert judge(the_log(Start(), Adjudicate(1, "a power cut", "staff"))) == ""
    log = the_log(Start())
    running = evolve(first_state(SETUP), log[1])
    assert judge([*log, *decide(running, Flag(2), NOW, 60_001)]) == ""


def test_nothing_is_no_log() -> None:
    assert "nothing" in judge([])
