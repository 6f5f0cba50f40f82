"""Somebody closes the account: what is private goes, what others played with them stays true and names nobody."""

from __future__ import annotations

import asyncio
from io import StringIO

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.core.management import call_command

from arena.admin import joining
from arena.bots.session import tokens
from arena.core.log_statements import rebuild
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.record import lines, verify
from arena.models import (
    AccessToken,
    Audit,
    Bot,
    ChatLine,
    Entry,
    KeptName,
    Match,
    Player,
    PuzzleStanding,
    Rating,
    Room,
    Seat,
    Tournament,
    Webhook,
)
from arena.ratings import book
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec
from arena.web.joined import with_persons
from arena.web.people import account_closing
from tests.kit.browsing import Person, flowing, match_of, text, two_people
from tests.kit.history import match as played
from tests.kit.rated import a_match, store
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins
from tests.web.people.test_accounts import PASSWORD, account

CLOSE = "/settings/close/"


async def close(browser: Person) -> None:
    answer = await browser.post(CLOSE, password=PASSWORD)
    assert (answer.status_code, answer["Location"]) == (302, "/"), text(answer)


async def player_of(slug: str) -> Player:
    return await Player.objects.select_related("user").aget(slug=slug)


async def mira_and_jonas(host: Host) -> tuple[Person, Person]:
    return await account("Mira K"), await account("Jonas")


async def test_what_is_private_goes_at_once(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    player = await player_of("mira-k")
    assert player.user is not None
    live = await played(host, player, await player_of("jonas"))
    lines_of = {"match_id": live.id, "player": player, "name": "Mira K", "text": "It is me", "among_players": True}
    await ChatLine.objects.acreate(**lines_of)
    await PuzzleStanding.objects.acreate(player=player)
    await mira.post("/settings/tokens/", name="script", scopes=["play"], days="30")
    await mira.post("/settings/webhooks/", url="https://93.184.215.14/", events=["match over"])
    await mira.post("/settings/one/", theme="dark")
    other = Person()
    await other.post("/login/", name="Mira K", password=PASSWORD)
    await close(mira)
    for table in (AccessToken, Webhook, ChatLine, PuzzleStanding):
        assert not await table.objects.aexists(), table
    assert not await User.objects.filter(username="mira-k").aexists()
    await player.arefresh_from_db()
    assert (player.name, player.user_id, player.prefs) == (f"Former player {player.pk}", None, {})
    for browser in (mira, other):
        assert 'action="/logout/"' not in text(await browser.get("/settings/"))
    row = await Audit.objects.aget(act="account closed")
    assert "Mira" not in f"{row.actor} {row.subject} {row.data}"


async def test_pages_name_nobody_and_the_log_stays_as_it_was(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    player = await player_of("mira-k")
    live = await played(host, player, await player_of("jonas"))
    before = list(lines(live.id, live.events))
    await close(mira)
    reader = Person()
    match, former = f"/m/{live.id}/", f"Former player {player.pk}"
    for address in (match, "/@/jonas/", "/matches/", f"/api/matches/{live.id}/"):
        page = text(await reader.get(address))
        assert former in page and "Mira K" not in page and f"/@/{player.slug}" not in page, address
        assert "former-player" not in page, address
    assert (await reader.get("/@/mira-k/")).status_code == 404
    for address in (f"/@/former-player-{player.pk}/", f"/api/players/former-player-{player.pk}/"):
        assert (await reader.get(address)).status_code == 404
    assert "former-player" not in text(await reader.get("/api/players/"))
    assert list(lines(live.id, live.events)) == before and "Mira K" in before[1]
    for name in ("log.json", "log.txt"):
        assert "Mira K" not in text(await reader.get(f"{match}{name}")), name
    record = (await reader.get(f"{match}record.jsonl")).content
    assert b"Mira K" in record and verify(record).head == (await Match.objects.aget(pk=live.id)).head
    assert await sync_to_async(rebuild)(live.id) == {} and (await live_row(live.id)).name == former
    said = StringIO()
    with pytest.raises(SystemExit, match="0"):
        await sync_to_async(call_command)("replay", "--check", stdout=said)


async def test_no_leaderboard_has_a_former_player_and_the_points_of_others_stay(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    other = await player_of("jonas")
    await sync_to_async(store)(a_match(await player_of("mira-k"), other))
    points = (await Rating.objects.aget(player=other)).points
    assert "Mira K" in text(await Person().get("/rank/connect-four-7x6/"))
    await close(mira)
    await sync_to_async(book.recompute)("connect-four-7x6", write=True)
    page = text(await Person().get("/rank/connect-four-7x6/"))
    assert "Former player" not in page and "Jonas" in page
    assert (await Rating.objects.aget()).points == points
    assert await sync_to_async(book.recompute)("connect-four-7x6") == []


async def live_row(match: str) -> Seat:
    return await Seat.objects.aget(match=match, seat=0)


async def test_german_pages_have_a_word_for_it(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    player = await player_of("mira-k")
    live = await played(host, player, await player_of("jonas"))
    await close(mira)
    await jonas.post("/settings/one/", language="de")
    for address in (f"/m/{live.id}/", "/@/jonas/", "/matches/"):
        page = text(await jonas.get(address))
        assert f"Ehemaliger Spieler {player.pk}" in page and "Former player" not in page, address


async def test_running_matches_are_resigned_and_rooms_and_challenges_withdrawn(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    begun = match_of(await mira.post("/play/", variant="connect-four-7x6", move="4"))
    room = (await mira.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1"))["Location"]
    series = (await mira.post("/r/new/", variant="connect-four-7x6", clock="5m", rounds="2"))["Location"]
    other = match_of(await jonas.post(f"{series}sit/"))
    asked = {"variant": "connect-four-7x6", "clock": "none"}
    await mira.post("/@/jonas/challenge/", **asked)
    player = await player_of("mira-k")
    assert host.lobby.challenges.sent(player.pk)
    assert "You resign the 2 matches that you are playing." in flowing(await mira.get(CLOSE))
    await close(mira)
    rows = Match.objects.filter(pk__in=(begun, other)).values_list("termination", flat=True)
    assert [each async for each in rows] == ["resign", "resign"]
    assert not host.lobby.challenges.sent(player.pk) and not host.lobby.open_rooms()
    assert not await Room.objects.filter(opener=player, closed=None).aexists()
    assert "Nobody can sit down in this room any more" in text(await jonas.post(f"{room}sit/"))
    assert not any(each.playing for each in host.lobby.rooms.values())


async def test_a_room_that_waits_for_somebody_who_has_gone_is_closed(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    await jonas.post("/@/mira-k/challenge/", variant="connect-four-7x6", clock="none")
    assert len(host.lobby.rooms) == 1
    await close(mira)
    assert not host.lobby.rooms
    (answer,) = host.lobby.challenges.answers((await player_of("jonas")).pk)
    assert answer.said == "declined"


async def test_bots_and_entries_leave_first_and_the_event_stays_true(host: Host) -> None:
    mira, _ = await mira_and_jonas(host)
    player = await player_of("mira-k")
    bot, _ = await register("mirabot", "native", owner=player.user)
    entries = (
        EntrySpec("Mira K", "person", player=player.pk, agrees=True),
        EntrySpec("mirabot", "bot", player=bot.pk),
        *builtins(2),
    )
    cup = await a_begun(a_spec(entries=entries))
    await Tournament.objects.filter(pk=cup.pk).aupdate(organiser=player.user)
    page = flowing(await mira.get(CLOSE))
    assert "You and your bots are withdrawn from Spring cup." in page and "for good: mirabot." in page
    assert "only staff can run them: Spring cup." in page
    await close(mira)
    names = {each.name: each.withdrawn async for each in Entry.objects.filter(tournament=cup)}
    former = f"Former player {player.pk}"
    assert names[former] is not None and names["mirabot"] is not None and names["p1"] is None
    sheet = await a_sheet(cup.slug)
    reasons = {line.reason for line in sheet.lines if line.status == "forfeited"}
    assert reasons and not any("Mira" in reason for reason in reasons)
    await bot.arefresh_from_db()
    assert (bot.owner_id, bot.enabled, bot.token_sha256) == (None, False, None)
    assert sheet.tournament.organiser is None and sheet.tournament.state == "running"
    page = text(await Person().get(f"/t/{cup.slug}/"))
    assert former in page and "Mira" not in page.replace("mirabot", "")


async def test_nobody_takes_the_name_nor_one_that_says_that_somebody_has_gone(host: Host) -> None:
    mira, jonas = await mira_and_jonas(host)
    await close(mira)
    taken = "That name is taken."
    for name, why in (("Mira K", taken), ("mira  k", taken), ("Former player 7", "closed")):
        answer = await Person().post("/signup/", name=name, password=PASSWORD)
        assert answer.status_code == 422 and why in text(answer), name
    answer = await jonas.post("/settings/name/", name="MIRA K")
    assert answer.status_code == 422
    assert [each.slug async for each in KeptName.objects.all()] == ["mira-k"]


async def test_two_presses_at_once_close_it_once(host: Host) -> None:
    mira = await account("Mira K")
    answers = await asyncio.gather(*(mira.post(CLOSE, password=PASSWORD) for _ in range(3)))
    assert {(each.status_code, each["Location"]) for each in answers} == {(302, "/")}
    assert await Audit.objects.filter(act="account closed").acount() == 1


async def test_a_match_that_nobody_here_can_end_keeps_the_account(host: Host) -> None:
    """As on a process that is not the host."""
    mira = await account("Mira K")
    await mira.post("/play/", variant="connect-four-7x6", move="4")
    player = await player_of("mira-k")
    with pytest.raises(Refusal, match="is not over"):
        await account_closing.close(None, player, lambda: None)
    assert await User.objects.filter(username="mira-k").aexists()


async def test_the_guests_that_they_were_are_named_no_more(host: Host) -> None:
    live, guest, _ = await two_people(host)
    await guest.post(f"/m/{live.id}/resign/")
    number = live.state.setup.seats[0].player
    mira = await account("Mira K")
    player = await player_of("mira-k")
    await sync_to_async(joining.join)(await Player.objects.aget(pk=number or 0), player)
    await close(mira)
    shown = await with_persons(live)
    assert shown is not None and shown.state.setup.seats[0].name == f"Former player {player.pk}"
    assert shown.state.reason == f"Former player {player.pk} resigned"
    assert (await Seat.objects.aget(match=live.id, seat=0)).name == f"Former player {player.pk}"


async def test_a_guest_is_forgotten_in_the_same_way(host: Host) -> None:
    live, guest, other = await two_people(host)
    number = live.state.setup.seats[0].player
    page = flowing(await guest.get(CLOSE))
    assert "Forget me" in page and 'type="password"' not in page
    name = live.state.setup.seats[0].name
    assert f"Type {name} to confirm." in page and (await guest.post(CLOSE)).status_code == 422
    answer = await guest.post(CLOSE, name=name)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert live.over and (await Player.objects.aget(pk=number or 0)).name == f"Former player {number}"
    assert "is a guest" not in text(await guest.get("/settings/"))
    assert not await KeptName.objects.aexists()


async def test_the_bots_of_a_former_owner_come_back_to_nobody(host: Host) -> None:
    mira = await account("Mira K")
    bot, token = await register("mirabot", "native", owner=(await player_of("mira-k")).user)
    await close(mira)
    with pytest.raises(Refusal):
        await tokens.find(token)
    assert (await Bot.objects.aget(pk=bot.pk)).why_disabled == account_closing.OWNER_GONE


async def test_an_entry_before_the_start_is_taken_off_the_list(host: Host) -> None:
    mira = await account("Mira K")
    entry = EntrySpec("Mira K", "person", player=(await player_of("mira-k")).pk)
    cup = await sync_to_async(actions.create)(a_spec(entries=(entry, *builtins(2))))
    await close(mira)
    assert [each.name async for each in cup.entries.order_by("seed")] == ["p1", "p2"]
