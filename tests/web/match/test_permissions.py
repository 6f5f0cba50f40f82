"""Who may see a match of a private room, and who may read what its bots said."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils import translation

from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Bot, Player, Room
from arena.web.guests import Visitor
from arena.web.match.permissions import may_see, why_private


async def test_a_private_match_is_for_its_players_and_for_who_has_the_link(host: Host) -> None:
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="expanding-nim")
    ada = await Player.objects.acreate(kind="guest", name="Ada", slug="ada")
    seats = (SeatSetup("Ada", player=ada.pk), SeatSetup("bot", "bot"))
    live = await host.referee.open(Setup("expanding-nim", seats, room=room.pk))
    assert await may_see(live, Visitor(ada.pk, "Ada"))
    assert await may_see(live, Visitor(None, "", ("OTTER-1",)))
    assert not await may_see(live, Visitor(ada.pk + 1, "Bob", ("OTTER-2",)))
    assert not await may_see(live, Visitor())
    assert not await may_see(live, Visitor(staff=True))
    assert await may_see(live, Visitor(staff=True, sees_private=True))
    assert live.room_code == "otter-1"


async def test_a_private_match_is_for_the_owner_of_a_bot_in_it(host: Host) -> None:
    """Whose page lists it."""
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="expanding-nim")
    ada, bob = [await User.objects.acreate(username=name) for name in ("ada", "bob")]
    player = await Player.objects.acreate(kind="bot", name="left", slug="left")
    await Bot.objects.acreate(player=player, variant="expanding-nim", protocol="nyu-nim", family="left", owner=ada)
    seats = (SeatSetup("left", "bot", player=player.pk), SeatSetup("b", "bot"))
    live = await host.referee.open(Setup("expanding-nim", seats, room=room.pk))
    assert await may_see(live, Visitor(account=ada.pk))
    assert not await may_see(live, Visitor(account=bob.pk))
    assert not await may_see(live, Visitor())


async def test_a_bots_seat_without_a_player_is_not_everybody(host: Host) -> None:
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="expanding-nim")
    seats = (SeatSetup("a", "bot"), SeatSetup("b", "bot"))
    live = await host.referee.open(Setup("expanding-nim", seats, room=room.pk))
    assert not await may_see(live, Visitor(None))


async def test_a_match_without_a_room_is_for_everyone(host: Host) -> None:
    live = await host.referee.open(Setup("expanding-nim", (SeatSetup("Ada"), SeatSetup("Bob"))))
    assert live.private is None
    assert await may_see(live, Visitor())
    assert live.private is False


async def test_whoever_opened_a_room_reads_the_bots_without_an_owner_in_it(host: Host) -> None:
    ada = await Player.objects.acreate(kind="guest", name="Ada", slug="ada")
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", variant="expanding-nim", opener=ada)
    seats = (SeatSetup("Ada", player=ada.pk), SeatSetup("a", "bot", protocol="nyu-nim"))
    live = await host.referee.open(Setup("expanding-nim", seats, room=room.pk))
    assert await why_private(live, 1, Visitor(ada.pk, "Ada")) == ""
    private = "The bot log of a is private until the match ends."
    assert await why_private(live, 1, Visitor(ada.pk + 1, "Bob")) == private
    assert await why_private(live, 1, Visitor()) == private
    assert await why_private(live, 1, Visitor(staff=True)) == private
    assert await why_private(live, 1, Visitor(staff=True, sees_private=True)) == ""


async def test_the_mark_of_a_bot_that_has_proven_nothing_is_in_the_language_of_the_rest(host: Host) -> None:
    seats = (SeatSetup("Ada"), SeatSetup("gravity-9 (unverified)", "bot", protocol="nyu-nim"))
    live = await host.referee.open(Setup("expanding-nim", seats))
    with translation.override("de"):
        assert "gravity-9 (unbestätigt)" in await why_private(live, 1, Visitor())
