"""A guest who was a person: everything that reads about people follows it, and nothing that is proven changes."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import sync_to_async

from arena.admin import joining
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.record import lines
from arena.models import Mistake, Player, Room, Seat
from arena.web.guests import audience_of
from tests.kit.browsing import Person, text, two_people
from tests.web.people.test_accounts import account

join, part = sync_to_async(joining.join), sync_to_async(joining.part)


async def on_seat(live: LiveMatch, seat: int) -> Player:
    number = live.state.setup.seats[seat].player
    assert number is not None
    return await Player.objects.aget(pk=number)


async def joined_guest(host: Host, **fields: Any) -> tuple[LiveMatch, Player, Person, Player, Person]:
    """A match of two guests that is over; the first of them and their browser; somebody with an account and theirs."""
    live, first, _ = await two_people(host, **fields)
    await first.post(f"/m/{live.id}/resign/")
    guest = await on_seat(live, 0)
    mira = await account("Mira")
    return live, guest, first, await Player.objects.aget(slug="mira"), mira


async def said(browser: Person, address: str) -> Any:
    return json.loads(text(await browser.get(address)))


async def test_what_a_guest_played_is_the_persons_until_that_is_undone(host: Host) -> None:
    live, guest, _, person, mira = await joined_guest(host)
    before = list(lines(live.id, live.events))
    await join(guest, person)
    for address in ("/@/mira/", "/matches/?player=Mira", "/api/matches/?player=mira", f"/matches/?player={guest.name}"):
        assert live.id in text(await mira.get(address)), address
    (line,) = (await said(mira, f"/api/matches/?player={guest.slug}"))["matches"]
    assert (line["seats"][0]["player"], line["seats"][0]["name"]) == ("mira", guest.name), "the log goes on naming them"
    assert (await mira.get(f"/@/{guest.slug}/"))["Location"] == "/@/mira/"
    assert (await said(mira, f"/api/players/{guest.slug}/"))["slug"] == "mira"
    assert guest.slug not in [each["slug"] for each in (await said(mira, "/api/players/"))["players"]]
    assert list(lines(live.id, live.events)) == before
    assert (await Seat.objects.aget(match=live.id, seat=0)).player_id == guest.pk
    await part(guest)
    assert live.id not in text(await mira.get("/@/mira/")) and (await mira.get(f"/@/{guest.slug}/")).status_code == 200


async def test_the_person_reads_it_as_its_player_and_the_others_profile_names_them(host: Host) -> None:
    """Also what is private, with the logs of bots in a room that the guest had opened, and mistakes to learn from."""
    live, guest, _, person, mira = await joined_guest(host, private="on")
    other = await on_seat(live, 1)
    page = f"/m/{live.id}/"
    assert (await mira.get(page)).status_code == 404
    mistake = await Mistake.objects.acreate(player=guest, match_id=live.id, ply=1)
    await join(guest, person)
    assert (await mira.get(page)).status_code == 200
    assert audience_of(live, person.pk) == "0" and audience_of(live, guest.pk) == ""
    assert mistake.get_absolute_url() in text(await mira.get("/mistakes/"))
    await Room.objects.aupdate(private=False)
    assert 'href="/@/mira/"' in text(await Person().get(f"/@/{other.slug}/"))
    await part(guest)
    await Room.objects.aupdate(private=True)
    assert (await mira.get(page)).status_code == 404 and audience_of(live, person.pk) == ""


async def test_a_browser_that_still_is_the_guest_begins_as_another(host: Host) -> None:
    live, guest, browser, person, mira = await joined_guest(host)
    await join(guest, person)
    await browser.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    newest = await Player.objects.order_by("pk").alast()
    assert newest is not None and newest.kind == "guest" and newest.pk > person.pk
    await browser.post(f"/@/{guest.slug}/challenge/", variant="connect-four-7x6", clock="none")
    room = await Room.objects.order_by("pk").alast()
    assert room is not None and await room.places.filter(player=person).aexists(), "who asks the guest asks the person"
