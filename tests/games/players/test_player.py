"""What every player knows from the rules alone, and that the shortcuts of each game say the same."""

from __future__ import annotations

from itertools import islice

import pytest

import games
from games.players import connect_four, expanding_nim, generic, santorini
from games.players.player import BuiltinPlayer
from tests.kit.positions import played, random_positions, winning_replies, wins_in_one

START = games.variant("connect-four-7x6").start()
OWN = {"connect-four": connect_four.PLAYER, "expanding-nim": expanding_nim.PLAYER, "santorini": santorini.PLAYER}


def test_the_wins_are_the_moves_that_end_it_well() -> None:
    assert generic.PLAYER.wins(played(START, "141414")) == ["1"]
    assert generic.PLAYER.wins(START) == []


def test_the_safest_moves_leave_no_win_in_one() -> None:
    assert generic.PLAYER.safest(played(START, "14141")) == ["1"]


def test_where_every_move_loses_the_safest_still_stops_one_of_two_wins() -> None:
    open_three = played(START, "41516")  # d1, e1 and f1 are theirs: c1 and g1 complete the line
    assert generic.PLAYER.safest(open_three) == ["3", "7"]


@pytest.mark.long
@pytest.mark.parametrize("variant", games.variants(), ids=lambda variant: variant.slug)
def test_the_shortcuts_of_each_game_say_what_the_rules_say(variant: games.Variant) -> None:
    player: BuiltinPlayer[games.Position] = OWN.get(variant.game, generic.PLAYER)  # type: ignore[assignment]
    for position in (position for seed in range(4) for position in islice(random_positions(variant.slug, seed), 60)):
        assert player.wins(position) == wins_in_one(position)
        for move in position.legal_moves()[::7]:
            assert player.replies_that_win(position, move) == min(winning_replies(position, move), most(variant))
            assert player.weight(position, move) > 0


def most(variant: games.Variant) -> int:
    """Taking all with and without a reset counts as one win in Expanding Nim."""
    return 1 if variant.game == "expanding-nim" else 1_000
