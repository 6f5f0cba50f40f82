"""Whom a guest may be joined with; tests/admin/test_player_actions.py asks on the page."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from arena.admin import joining
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Entry, JoinedGuest, Match, Player, Tournament
from tests.kit.history import match as played
from tests.web.test_joined import joined_guest, on_seat

join = sync_to_async(joining.join)


async def test_who_plays_or_has_met_is_joined_with_nobody(host: Host) -> None:
    live, guest, _, person, mira = await joined_guest(host)
    again = await Match.objects.aget(pk=live.id)
    await Match.objects.aupdate(ended=None, termination=None, winner=None, reason="")
    with pytest.raises(Refusal, match="A match of theirs is not over"):
        await join(guest, person)
    await again.asave()
    cup = await Tournament.objects.acreate(slug="cup", name="Cup", variant="connect-four-7x6", format="swiss")
    await Entry.objects.acreate(tournament=cup, seed=1, name=guest.name, kind="person", player=guest)
    with pytest.raises(Refusal, match="take part in an unfinished event"):
        await join(guest, person)
    await cup.adelete()
    with pytest.raises(Refusal, match="is not a person with an account"):
        await join(guest, await on_seat(live, 1))
    with pytest.raises(Refusal, match="It is not a guest"):
        await join(person, person)
    met = await Player.objects.acreate(kind="guest", name="Met Before", slug="met-before")
    await played(host, guest, met)
    await join(guest, person)
    with pytest.raises(Refusal, match=f"It is already joined with {person}"):
        await join(await Player.objects.aget(pk=guest.pk), person)
    with pytest.raises(Refusal, match="played each other"):
        await join(met, person)
    assert await JoinedGuest.objects.acount() == 1
