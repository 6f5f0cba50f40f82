"""Profiles of people and guests."""

from __future__ import annotations

import html

from django.contrib.auth.models import User

from arena.host import Host
from arena.match.commands import Resign
from arena.models import Player, Room
from tests.kit.browsing import Person, text
from tests.kit.history import a_bot, match, person
from tests.web.markup import words
from tests.web.people.test_accounts import a_guest, account


async def page_of(address: str, visitor: Person | None = None) -> str:
    answer = await (visitor or Person()).get(address)
    assert answer.status_code == 200
    return html.unescape(text(answer))


async def test_a_profile_says_who_how_well_and_against_whom(host: Host) -> None:
    user = await User.objects.acreate_user("mira-k")
    mira, bob = await person(user=user), await person("Bob")
    await match(host, mira, bob)
    await match(host, mira, bob, end=Resign(0))
    await a_bot("otter-net", owner=user)
    page = words(text(await Person().get("/@/mira-k/")))
    assert "Mira K" in page and "2 matches: 1 won, 0 drawn, 1 lost" in page
    assert "against Bob" in page and "otter-net" in page and "Add a bot" not in page


async def test_a_profile_tells_form_streak_and_what_is_played_most(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    for _ in range(3):
        await match(host, mira, bob)
    page = words(text(await Person().get(mira.get_absolute_url())))
    letter = "W" if "W 3" in page else "L"
    assert f"Form {letter * 3}" in page.replace(" ", "", 0).replace(f"{letter} {letter} {letter}", letter * 3)
    assert ("3 wins in a row" if letter == "W" else "3 losses in a row") in page
    assert "Plays most Connect Four" in page.replace("\N{NO-BREAK SPACE}", " ")


async def test_a_rated_match_shows_a_rating(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    for _ in range(3):
        await match(host, mira, bob, rated=True)
    page = await page_of("/@/mira-k/")
    assert "Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6" in page and "7x6" not in words(page)
    assert "rating-graph" in page


async def test_the_address_has_one_spelling(host: Host) -> None:
    await person("Mira K")
    answer = await Person().get("/@/MIRA-K/")
    assert answer.status_code == 302 and (await Person().get(answer["Location"])).status_code == 200


async def test_a_bot_has_its_own_page(host: Host) -> None:
    await a_bot()
    answer = await Person().get("/@/gravity-9/")
    assert (answer.status_code, answer["Location"]) == (302, "/bots/gravity-9/")


async def test_nobody_is_404_in_words(host: Host) -> None:
    for slug in ("nobody", "<script>", "x" * 300, "..", "a b"):
        answer = await Person().get(f"/@/{slug}/")
        assert answer.status_code == 404 and "<script>alert" not in text(answer)


async def test_a_guest_is_told_how_to_keep_the_name_and_others_are_not(host: Host) -> None:
    guest = await a_guest(host)
    player = await Player.objects.aget(kind="guest")
    own = await guest.get("/me/")
    assert own["Location"] == player.get_absolute_url()
    assert "Keep this name" in await page_of(own["Location"], guest)
    page = await page_of(own["Location"])
    assert "guest" in page and "Keep this name" not in page


async def test_who_has_not_played_has_no_profile(host: Host) -> None:
    assert (await Person().get("/me/"))["Location"] == "/"


async def test_an_account_sees_its_own_tools(host: Host) -> None:
    mira = await account("Mira K")
    assert "Add a bot" in await page_of("/@/mira-k/", mira)


async def test_a_match_in_a_private_room_is_not_told_to_others(host: Host) -> None:
    mira = await account("Mira K")
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="connect-four-7x6")
    live = await match(host, await Player.objects.aget(), room=room.pk)
    assert live.id in await page_of("/@/mira-k/", mira)
    page = await page_of("/@/mira-k/")
    assert live.id not in page and "0 matches" in words(page)


async def test_the_filters_of_the_list_are_remembered_by_its_pages(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    for _ in range(27):
        await match(host, mira, bob)
    page = await page_of("/@/mira-k/?result=won&by=resign")
    assert "?result=won&by=resign&before=" in page
    assert "No such match." in await page_of("/@/mira-k/?result=lost")
