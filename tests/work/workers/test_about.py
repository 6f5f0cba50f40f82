"""What a worker says of itself."""

from __future__ import annotations

import json

from arena.work.machine_class import own_class
from arena.work.workers import about


def test_names_are_never_given_twice_and_fit() -> None:
    names = {about.new_name() for _ in range(20)}
    assert len(names) == 20 and max(map(len, names)) <= 64


def test_it_says_how_fast_it_is_and_all_of_it_is_json() -> None:
    said = about.About("blade", own_class(), 2, about.speed(), "r", "1", 3, ("analyse",)).to_data()
    assert said["speed"] > 0 and json.loads(json.dumps(said)) == said
