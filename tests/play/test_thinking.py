from __future__ import annotations

import time

import games
from arena.play.thinking import Thought, builtin_on_seat, choose, title


def test_a_seed_repeats_a_choice_and_it_is_legal() -> None:
    position = games.variant("connect-four-7x6").start().play("4")
    thoughts = [Thought("connect-four-7x6", str(position), "club", 5, time.monotonic(), 1.0, True) for _ in range(2)]
    first, again = map(choose, thoughts)
    assert first == again and first in position.legal_moves()


def test_who_has_waited_for_long_still_answers() -> None:
    position = str(games.variant("expanding-nim").start())
    assert choose(Thought("expanding-nim", position, "random", 5, time.monotonic() - 3600, 1.0))


def test_a_level_has_a_title_and_a_seat() -> None:
    assert builtin_on_seat("random").name == f"{title('random')} (built in)"
    assert (builtin_on_seat("random").kind, builtin_on_seat("random").level) == ("builtin", "random")
