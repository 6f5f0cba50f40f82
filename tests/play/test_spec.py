from __future__ import annotations

import json
import os

import pytest

from arena.play.spec import BuiltinSeat, CommandSeat, Spec


def test_a_spec_travels_as_json() -> None:
    seats = (BuiltinSeat("club"), CommandSeat("fiar", ("python3", "bot.py")))
    spec = Spec("connect-four-7x6", seats, rounds=4, clock="5s", settings={"a": 1}, seed=3, keep=True, cwd="/tmp")
    assert Spec.from_data(json.loads(json.dumps(spec.to_data()))) == spec
    spec = spec._replace(only=(2, 4), openings=("4 4", "1 2"))
    assert Spec.from_data(json.loads(json.dumps(spec.to_data()))) == spec


def test_each_pair_of_rounds_begins_with_the_next_opening_and_after_the_last_with_the_first() -> None:
    spec = Spec("v", (BuiltinSeat("club"),) * 2, rounds=6, further={"rated": False}, openings=("4 4", "1 2"))
    assert [spec.further_in(round)["opening"] for round in range(1, 7)] == ["4 4", "4 4", "1 2", "1 2", "4 4", "4 4"]
    third = spec.alone(3)
    assert (third.only, third.openings, third.further) == ((3,), (), {"rated": False, "opening": "1 2"})
    assert spec._replace(openings=()).further_in(3) == {"rated": False}


def test_what_is_missing_or_unknown_is_an_error() -> None:
    data = Spec("connect-four-7x6", (BuiltinSeat("club"), BuiltinSeat("club"))).to_data()
    with pytest.raises(TypeError, match="speed"):
        Spec.from_data({**data, "speed": 2})
    with pytest.raises(KeyError, match="seats"):
        Spec.from_data({name: value for name, value in data.items() if name != "seats"})


def test_two_programs_of_one_name_are_told_apart() -> None:
    bot = CommandSeat("fiar", ("python3", "bot.py"))
    assert [Spec("v", (bot, bot)).name(side) for side in (0, 1)] == ["bot-1", "bot-2"]
    assert Spec("v", (bot, BuiltinSeat("club"))).name(0) == "bot"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("java -cp . Gravity", "Gravity"),
        ("java -Xmx1g -classpath build/classes Gravity 4", "Gravity"),
        ("python3 bots/gravity.py -v", "gravity"),
        ("./my-bot", "my-bot"),
        ("guile -s deep.thought.scm", "deep.thought"),
        ("python3.11 -", "python3"),
        ("python3 -c print(input())", "python3"),
        ("timeout -s KILL 60 node bots/gravity.js", "gravity"),
        ("env A=1 nice -n 5 ./gravity", "gravity"),
        ("timeout 60", "timeout"),
        ("env -i bash -c ./deep.sh", "bash"),
        ("./my-bot -c my.conf", "my-bot"),
    ],
)
def test_a_program_is_called_by_its_file(words: str, name: str) -> None:
    assert CommandSeat("fiar", tuple(words.split())).name == name


def test_the_name_of_a_file_in_latin_1_can_be_stored() -> None:
    assert CommandSeat("fiar", (os.fsdecode(b"./sch\xf6n.py"),)).name == "sch\ufffdn"
