from __future__ import annotations

import time

import pytest

import games
from arena.play import thinking
from arena.play.thinking import Thought, builtin_on_seat, choose, title


def test_a_seed_repeats_a_choice_and_it_is_legal() -> None:
    position = games.variant("connect-four-7x6").start().play("4")
    thoughts = [Thought("connect-four-7x6", str(position), "club", 5, time.monotonic(), 1.0, True) for _ in range(2)]
    first, again = map(choose, thoughts)
    assert first == again and first in position.legal_moves()


def test_who_has_waited_for_long_still_answers() -> None:
    position = str(games.variant("expanding-nim").start())
    assert choose(Thought("expanding-nim", position, "random", 5, time.monotonic() - 3600, 1.0))


@pytest.mark.long
def test_a_busy_machine_takes_nothing_from_a_level_with_a_time_of_its_own() -> None:
    position = str(games.variant("santorini-6x6").start())
    club, best = (
        thinking._after_time(Thought("santorini-6x6", position, level, 5, time.monotonic() - 4, 4.0))
        for level in ("club", "best")
    )
    time.sleep(1.0)  # the processor does something else
    assert (club(), best()) == (False, True)


def test_nobody_is_waited_for_longer_than_twice_the_budget() -> None:
    position = str(games.variant("santorini-6x6").start())
    expert = thinking._after_time(Thought("santorini-6x6", position, "expert", 5, time.monotonic() - 3600, 0.1))
    time.sleep(0.05)
    assert expert()


def test_a_level_has_a_title_and_a_seat() -> None:
    assert builtin_on_seat("random").name == f"{title('random')} (built in)"
    assert (builtin_on_seat("random").kind, builtin_on_seat("random").level) == ("builtin", "random")
