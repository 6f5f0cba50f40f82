from __future__ import annotations

from arena.rooms.sides import Sides
from tests.rooms.sitters import Sitter


def test_they_are_free_until_somebody_sits_there() -> None:
    sides, ada, bob = Sides(), Sitter("Ada"), Sitter("Bob")
    assert sides.are_free and sides.free == 0 and sides.of(ada) is None
    sides.reservations[0].take(ada)
    assert (list(sides), sides.free, sides.are_free) == ([ada, None], 1, False)
    sides.reservations[1].take(bob)
    assert sides[1] is bob and sides.of(bob) == 1 and sides.free is None


def test_one_whose_connection_is_gone_is_away_and_still_sits_there() -> None:
    sides, ada = Sides(), Sitter("Ada")
    sides.reservations[0].take(ada)
    sides.reservations[0].lose()
    assert sides.is_away(0) and not sides.is_away(1) and sides.of(ada) == 0


def test_an_open_address_is_offered() -> None:
    sides = Sides()
    assert not sides.are_offered
    sides.reservations[1].offer()
    assert sides.are_offered


def test_who_sits_there_is_dismissed_and_still_known() -> None:
    sides, ada = Sides(), Sitter("Ada")
    sides.reservations[0].take(ada)
    sides.dismiss()
    assert ada.dismissed == 1 and sides.of(ada) == 0
