"""A room is closed by staff: who waits is told, its link leads nowhere, and a match in it is not lost by that."""

from __future__ import annotations

from django.contrib.auth.models import User

from arena.host import Host
from arena.models import Audit, Room
from tests.kit.browsing import HTMX, Person, flowing, two_people

LIST = "/admin/arena/room/"


async def _root() -> Person:
    staff = Person()
    user, _ = await User.objects.aget_or_create(username="root", defaults={"is_staff": True, "is_superuser": True})
    await staff.client.aforce_login(user)
    return staff


async def _close(room: Room) -> str:
    """The page that answers, or that it leads to."""
    staff = await _root()
    said = {"action": "close", "_selected_action": str(room.pk), "confirmed": "yes", "reason": "spam", "back": "1"}
    answer = await staff.post(LIST, **said)
    return flowing(await staff.get(answer["Location"]) if answer.status_code == 302 else answer)


async def test_a_room_in_which_somebody_waits_is_closed(host: Host) -> None:
    person = Person()
    made = await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    room = await Room.objects.aget()
    assert room.code in host.lobby.rooms
    page = await _close(room)
    assert "it is closed" in page and "spam" in page and 'value="close"' not in page
    assert room.code not in host.lobby.rooms
    await room.arefresh_from_db()
    assert room.closed is not None and (await Audit.objects.aget()).act == "room closed"
    assert " played" not in page.partition("Settings</h2>")[2].partition("</section>")[0], "nothing was played in it"
    assert "Staff have closed this room: “spam”." in flowing(await person.get(made["Location"]))
    assert (await person.get(f"{made['Location']}state/", **HTMX)).headers["HX-Refresh"] == "true"


async def test_the_record_does_not_hold_the_key_of_a_private_room(host: Host) -> None:
    """More of the staff read the audit than may open such a room."""
    person = Person()
    await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1", private="on")
    room = await Room.objects.aget()
    page = await _close(room)
    assert room.private and "it is closed" in page and "spam" in page
    assert "“spam”" in flowing(await person.get(room.get_absolute_url()))
    assert (await Audit.objects.aget()).subject == f"private room {room.pk}"


async def test_a_room_with_a_match_stays(host: Host) -> None:
    live, _, _ = await two_people(host)
    room = await Room.objects.aget()
    page = await _close(room)
    assert "A match runs in it" in page and not live.over and room.code in host.lobby.rooms
    assert "spam</textarea>" in page, "what was typed is not lost"
    assert live.id in flowing(await (await _root()).get(f"{LIST}{room.pk}/change/"))
