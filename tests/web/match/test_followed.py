"""What the host says of a match beside its log: the same after the bus, and true as time goes by."""

from __future__ import annotations

import json
import time

import pytest

from arena.web.match.followed import HostSays
from arena.web.match.scene import Beside, Series

SAID = HostSays(
    seq=7,
    left_ms=(5000, 9000),
    runs=0,
    here=(True, False),
    back_ms=(None, 30_000),
    watching=3,
    lag_ms=(300, 0),
    beside={"": Beside(Series(("w", "l"), False, 2, 500, 1), wants="Ada", room="otter-1"), "0": Beside()},
    follows=("next", 2),
    rounds=({"round": 1, "address": "/m/x/", "words": "1–0", "current": True},),
    featured=True,
    at=0.0,
)


def test_it_is_the_same_behind_the_bus() -> None:
    heard = HostSays.from_json(json.loads(json.dumps(SAID.to_json())))
    series = heard.beside[""].series
    assert series is not None and series._replace(rounds=("w", "l")) == SAID.beside[""].series
    assert heard.beside["0"] == SAID.beside["0"]._replace(
        notes=heard.beside["0"].notes, ratings=heard.beside["0"].ratings, replies=heard.beside["0"].replies
    )
    assert heard._replace(beside={}, at=0.0) == SAID._replace(beside={})


def test_the_clock_that_runs_goes_on_and_the_other_stands() -> None:
    said = SAID._replace(at=100.0)
    assert said.left_now(101.5) == (3500, 9000) and said.left_now(200.0) == (0, 9000)
    assert said.back_now(110.0) == (None, 20_000)
    assert said._replace(runs=None).left_now(150.0) == (5000, 9000)
    assert said._replace(at=time.monotonic()).now().left_ms[1] == 9000


@pytest.mark.parametrize("unsaid", [name for name in HostSays._fields if name not in ("seq", "at")])
def test_a_host_of_an_earlier_release_says_less(unsaid: str) -> None:
    said = json.loads(json.dumps(SAID.to_json()))
    del said[unsaid]
    heard = HostSays.from_json(said)
    assert heard.seq == 7 and set(heard.beside) == {"", "0", "1"}
    if unsaid == "beside":
        assert all(each == Beside() for each in heard.beside.values())
    else:
        assert getattr(heard, unsaid) == HostSays._field_defaults[unsaid]


def test_a_host_of_a_later_release_says_more() -> None:
    said = json.loads(json.dumps(SAID.to_json()))
    said["beside"][""]["series"] |= {"best_of": 5}
    said["beside"]["0"] = {"wants": "Ada", "mood": "good"}
    said["beside"]["referee"] = {}
    heard = HostSays.from_json({**said, "weather": "fine"})
    known = HostSays.from_json(json.loads(json.dumps(SAID.to_json())))
    assert heard.beside == {**known.beside, "0": Beside(wants="Ada")}
    assert heard._replace(beside={}, at=0.0) == known._replace(beside={}, at=0.0)
