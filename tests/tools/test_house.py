"""The picture of the house in docs/ is the one that the imports draw."""

from __future__ import annotations

from graphlib import CycleError

import pytest

from tools.house import PICTURE, ROOT, arrows_of, house_of, picture

MOST_ROOMS, MOST_FLOORS = 24, 14


def test_the_picture_is_current_and_the_house_stays_small() -> None:
    house = house_of(arrows_of(ROOT))
    assert PICTURE.read_text(encoding="utf-8") == picture(house), "draw it again: python -m tools.house"
    assert sum(map(len, house.floors)) <= MOST_ROOMS
    assert len(house.floors) <= MOST_FLOORS


def test_a_room_stands_above_what_it_imports_and_a_longer_way_saves_an_arrow() -> None:
    house = house_of({"web": {"core", "games"}, "core": {"games"}, "games": set()})
    assert house.floors == [["games"], ["core"], ["web"]]
    assert house.arrows == {"web": {"core"}, "core": {"games"}, "games": set()}
    assert house.said == 3


def test_a_circle_is_an_error() -> None:
    with pytest.raises(CycleError):
        house_of({"web": {"core"}, "core": {"web"}})
