"""What a match is: a setup that can be written and read, and a first state that says who may do what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.state import SeatSetup, Setup, SetupData, first_state

names = st.text(max_size=12)
seat_setups = st.builds(
    SeatSetup,
    name=names,
    kind=st.sampled_from(["human", "bot", "builtin"]),
    player=st.none() | st.integers(1, 2**31),
    protocol=names,
    level=names,
    verified=st.booleans(),
    holder=names,
    on_illegal=st.sampled_from(["refuse", "lose"]),
    startup_ms=st.integers(0, 60_000),
    owner=st.none() | st.integers(1, 2**31),
)
setups = st.builds(
    Setup,
    variant=names,
    seats=st.tuples(seat_setups, seat_setups),
    settings=st.dictionaries(names, st.none() | st.integers(0, 1_000)),
    clock=names,
    rated=st.booleans(),
    room=st.none() | st.integers(1, 2**31),
    series=st.integers(1, 99),
    round=st.integers(1, 99),
    rounds=st.integers(1, 99),
    pace_ms=st.integers(0, 5_000),
)


def a_setup(**more: Any) -> Setup:
    seats = (SeatSetup("Ada", startup_ms=more.pop("startup_ms", 0)), SeatSetup("Bob"))
    return Setup(**{"variant": "connect-four-7x6", "seats": seats, **more})


@given(setups)
def test_a_setup_survives_the_log(setup: Setup) -> None:
    data = setup.to_data()
    assert json.loads(json.dumps(data)) == data, "what is read back is equal to what was written"
    assert Setup.from_data(json.loads(json.dumps(data))) == setup
    assert {**SetupData(setup)} == data == SetupData(setup) and len(SetupData(setup)) == len(data)


def test_writing_a_setup_takes_a_copy() -> None:
    setup = a_setup(variant="expanding-nim", settings={"stones": 7})
    setup.to_data()["settings"]["stones"] = 8
    assert setup.settings == {"stones": 7}


@pytest.mark.parametrize(("clock", "left"), [("none", None), ("5s", 5_000), ("2m", 120_000), ("1m+1s", 60_000)])
def test_both_sides_begin_with_the_whole_clock(clock: str, left: int | None) -> None:
    state = first_state(a_setup(clock=clock))
    assert state.left_ms == (left, left)
    assert (state.seq, state.phase, state.position.ply) == (1, "opened", 0)


def test_settings_reach_the_position() -> None:
    few = first_state(a_setup(variant="expanding-nim", settings={"stones": 2, "resets": 0}))
    assert few.position.legal_moves() == ("1", "2")


def test_an_unknown_variant_is_named_with_those_there_are() -> None:
    with pytest.raises(KeyError, match="halma.*connect-four-7x6"):
        first_state(a_setup(variant="halma"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"clock": "5 minutes"}, "clock '5 minutes'"),
        ({"settings": {"stones": 4}}, "no setting 'stones'"),
        ({"variant": "expanding-nim", "settings": {"stones": 0}}, "stones=0"),
        ({"variant": "expanding-nim", "settings": {"stones": "many"}}, "stones='many'"),
    ],
)
def test_a_setup_that_cannot_be_played_says_why(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        first_state(a_setup(**wrong))


def test_nobody_is_to_move_until_it_runs() -> None:
    state = first_state(a_setup(clock="5s"))
    assert state.to_move is None and state.allowed_ms is None
    running = state._replace(phase="running")
    assert running.to_move == 0 and running.allowed_ms == 5_000


def test_only_the_first_turn_of_a_seat_has_its_start_up_grace() -> None:
    state = first_state(a_setup(clock="5s", startup_ms=700))._replace(phase="running")
    second = state._replace(position=state.position.play("4"))
    third = state._replace(position=second.position.play("4"))
    assert [turn.allowed_ms for turn in (state, second, third)] == [5_700, 5_000, 5_000]


ALICE = SeatSetup("alice", player=1, verified=True, owner=7)
GRAVITY = SeatSetup("gravity", "bot", player=2, protocol="droidcon", verified=True, owner=8)


@pytest.mark.parametrize("bot", [GRAVITY, GRAVITY._replace(name="test")])
def test_accounts_and_proven_bots_can_play_a_rated_match(bot: SeatSetup) -> None:
    assert a_setup(seats=(ALICE, bot)).why_friendly == "" and a_setup(seats=(ALICE, bot)).is_listed


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (SeatSetup("Teal Heron", player=3), "Teal Heron is not proven"),
        (SeatSetup("gravity", "bot", verified=True), "gravity is not proven"),
        (SeatSetup("Club", "builtin", player=4, verified=True), "built-in"),
        (SeatSetup("alice", player=1, verified=True), "the same person"),
        (SeatSetup("her bot", "bot", player=6, verified=True, owner=7), "the same person"),
    ],
)
def test_a_match_that_cannot_be_rated_says_why(other: SeatSetup, said: str) -> None:
    assert said in a_setup(seats=(ALICE, other)).why_friendly
    assert said in a_setup(seats=(other, ALICE)).why_friendly


def test_two_without_an_owner_are_not_the_same() -> None:
    first, second = SeatSetup("a", "bot", player=1, verified=True), SeatSetup("b", "bot", player=2, verified=True)
    assert a_setup(seats=(first, second)).why_friendly == ""
