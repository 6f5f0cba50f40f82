from __future__ import annotations

from arena.rooms.plan import Plan
from tests.rooms.sitters import CONNECT_FOUR, Sitter

PLAN = Plan(CONNECT_FOUR, clock="5s", rounds=4, rated=True, room=7, series=2, pairing=3, opening="4")


def test_the_match_of_a_round_is_what_was_planned_with_the_seats_swapped_every_round() -> None:
    sides = Sitter("Ada"), Sitter("Bob")
    first, second = PLAN.setup(1, sides), PLAN.setup(2, sides)
    assert [[seat.name for seat in setup.seats] for setup in (first, second)] == [["Ada", "Bob"], ["Bob", "Ada"]]
    assert (second.variant, second.clock, second.round, second.rounds) == (CONNECT_FOUR, "5s", 2, 4)
    assert (second.room, second.series, second.pairing, second.opening, second.rated) == (7, 2, 3, "4", True)
