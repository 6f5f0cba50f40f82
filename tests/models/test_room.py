from __future__ import annotations

import pytest
from django.db import IntegrityError

from arena.models import Place, Player, Room

pytestmark = pytest.mark.django_db


def test_a_code_is_found_in_any_case(room: Room) -> None:
    assert Room.objects.get(code="oTTer-42") == room


def test_a_code_is_shown_as_it_was_typed(room: Room) -> None:
    assert (room.code, str(room), room.get_absolute_url()) == ("OTTER-42", "Otter-42", "/r/Otter-42/")


def test_two_rooms_cannot_have_one_code(room: Room) -> None:
    with pytest.raises(IntegrityError):
        Room.objects.create(code="OTTER-42", shown_code="OTTER-42", variant="connect-four-7x6")


def test_a_room_needs_a_code() -> None:
    with pytest.raises(IntegrityError):
        Room.objects.create(code="", shown_code="", variant="connect-four-7x6")


@pytest.mark.parametrize("second", [{"side": 0}, {"side": 2}, {"side": 1, "port": 4300}])
def test_a_side_and_a_port_are_promised_once(room: Room, second: dict[str, int]) -> None:
    Place.objects.create(room=room, side=0, kind="socket", protocol="droidcon", port=4300)
    with pytest.raises(IntegrityError):
        Place.objects.create(room=room, kind="socket", protocol="droidcon", **second)


def test_a_room_outlives_who_opened_it(room: Room) -> None:
    room.opener = Player.objects.create(kind="guest", name="Teal Heron", slug="teal-heron")
    room.save(update_fields=["opener"])
    room.opener.delete()
    room.refresh_from_db()
    assert room.opener is None and room.finished == 0
