"""A match as a function of the engine: JSON in, JSON out."""

from __future__ import annotations

import importlib
import json

import pytest

from arena.match.returned import why_not
from arena.play.driver import Log
from arena.play.run import FUNCTION, played
from arena.play.setups import setup_of
from arena.play.spec import BuiltinSeat, Spec

SPEC = Spec("expanding-nim", (BuiltinSeat("random"), BuiltinSeat("random")), 2, seed=3)


def test_the_engine_finds_it_and_it_answers_with_logs() -> None:
    module, _, name = FUNCTION.partition(":")
    assert getattr(importlib.import_module(module), name) is played
    answer = json.loads(json.dumps(played(json.loads(json.dumps({"spec": SPEC.to_data()})))))
    logs = [Log.from_data(data) for data in answer["logs"]]
    assert [why_not(log.events, setup_of(SPEC, round)) for round, log in enumerate(logs, 1)] == ["", ""]


def test_what_cannot_be_played_says_so() -> None:
    with pytest.raises(KeyError):
        played({"spec": SPEC._replace(variant="chess").to_data()})
