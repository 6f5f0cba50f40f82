from __future__ import annotations

import pytest

from arena.match.commands import Start
from arena.match.state import Setup
from arena.play.bout import Bout
from arena.play.loop import Loop
from arena.play.thinker import Thinker

pytestmark = pytest.mark.long


def played(seeds: tuple[int, int], level: str = "random") -> Bout:
    loop = Loop()
    first, second = (Thinker(loop, level, seed) for seed in seeds)
    setup = Setup("connect-four-7x6", (first.setup, second.setup))
    bout = Bout(loop, "match", setup, 3600.0, lambda bout, seat: None)
    first.take_seat(bout, 0, lambda termination: True)
    second.take_seat(bout, 1, lambda termination: True)
    bout.post(Start())
    loop.run(lambda: bout.over)
    return bout


def test_two_players_finish_a_match_and_a_seed_repeats_it() -> None:
    first, again, other = played((1, 2)), played((1, 2)), played((3, 4))
    assert first.state.termination == "normal"
    assert [event.move for event in first.events] == [event.move for event in again.events]
    assert [event.move for event in first.events] != [event.move for event in other.events]


def test_who_cannot_think_loses(caplog: pytest.LogCaptureFixture) -> None:
    bout = played((1, 2), "no such level")
    assert (bout.state.termination, bout.state.winner) == ("crash", 1)
    assert "the built-in player failed: unknown level" in bout.state.reason


def test_best_plays_what_is_proved() -> None:
    bout = played((1, 2), "best")
    assert (bout.state.termination, bout.state.winner, bout.state.position.ply) == ("normal", 0, 41)
