"""Rooms: looking seats nobody, two who sit down play, and a series goes on with swapped seats."""

from __future__ import annotations

import asyncio
import html
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from arena.bots.seats import room_maker
from arena.host import Host
from arena.match.state import SeatSetup
from arena.models import Place, Player, Room
from arena.rooms import lobby
from arena.rooms.room import LiveRoom
from arena.web.guests import Visitor
from arena.web.room import form as room_form
from arena.web.room.state import may_close
from tests.kit.browsing import HTMX, Person, far_away, flowing, match_of, text, two_people
from tests.kit.until import until
from tests.web.bots.test_wizard import connected, waiting_at
from tests.web.room.test_form import a_bot


async def create(person: Person, **fields: str) -> str:
    form = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", **fields}
    answer = await person.post("/r/new/", **form)
    assert answer.status_code == 302, text(answer)
    return str(answer["Location"])


def room_at(host: Host, address: str) -> LiveRoom:
    return host.lobby.rooms[address.split("/")[2].upper()]


async def test_whoever_makes_a_room_sits_in_it_and_has_a_link(host: Host) -> None:
    person = Person()
    address = await create(person, rounds="4", clock="5s")
    page = html.unescape(text(await person.get(address)))
    assert f"http://testserver{address}" in page
    assert "Waiting for your friend" in page and "Sit down" not in page
    assert "4 rounds" in page and "5 s a move" in page


async def test_looking_at_a_room_seats_nobody_and_makes_no_session(host: Host) -> None:
    address = await create(Person())
    guest = Person()
    page = html.unescape(text(await guest.get(address)))
    assert "wants to play Connect Four" in page and "Sit down and play" in page
    assert sum(side is not None for side in room_at(host, address).sides) == 1
    assert "sessionid" not in guest.client.cookies and await Player.objects.acount() == 1


async def test_sitting_down_begins_the_match_and_takes_both_there(host: Host) -> None:
    first, second = Person(), Person()
    address = await create(first)
    match = match_of(await second.post(f"{address}sit/"))
    waiting = await first.get(f"{address}state/", **HTMX)
    assert waiting["HX-Redirect"] == f"/m/{match}/"
    assert (await first.get(f"{address}state/"))["Location"] == f"/m/{match}/"


async def test_who_asks_how_a_room_stands_is_there(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lobby, room_maker):
        monkeypatch.setattr(module, "ON_THE_WAY_S", 0.0)
    person = Person()
    address = await create(person)
    assert room_at(host, address).is_absent(0)
    await person.get(f"{address}state/", **HTMX)
    assert not room_at(host, address).is_absent(0)


async def test_of_who_asks_how_a_room_stands_nobody_is_told_who_would_ask_again(host: Host) -> None:
    person, stranger = Person(), Person()
    address = await create(person)
    told: list[LiveRoom] = []
    room = room_at(host, address)
    for each in (person, stranger):
        await each.get(address)
    room.followers.add(lambda: told.append(room))
    for each in (person, stranger, person):
        assert (await each.get(f"{address}state/", **HTMX)).status_code == 200
    assert told == []


async def test_a_room_is_found_in_any_case(host: Host) -> None:
    address = await create(Person())
    assert (await Person().get(address.upper().replace("/R/", "/r/"))).status_code == 200


async def test_sitting_twice_is_sitting_once(host: Host) -> None:
    person = Person()
    address = await create(person)
    answer = await person.post(f"{address}sit/")
    assert answer["Location"] == address
    assert sum(side is not None for side in room_at(host, address).sides) == 1


async def test_a_third_person_is_led_back_to_the_room_which_says_that_the_match_runs(host: Host) -> None:
    first, second, third = Person(), Person(), Person()
    address = await create(first)
    await second.post(f"{address}sit/")
    answer = await third.post(f"{address}sit/")
    assert answer["Location"] == address
    page = text(await third.get(address))
    assert "A match is running" in page and "Watch" in page and "Sit down" not in page


async def test_two_who_sit_down_at_once_are_one_match(host: Host) -> None:
    address = await create(Person())
    people = [Person() for _ in range(3)]
    answers = await asyncio.gather(*[person.post(f"{address}sit/") for person in people])
    (live,) = host.hub.running()
    assert sorted(answer["Location"] for answer in answers) == [f"/m/{live.id}/", address, address]


async def test_a_seat_can_be_given_back_before_the_match(host: Host) -> None:
    person = Person()
    address = await create(person)
    await person.post(f"{address}leave/")
    assert room_at(host, address).sides.are_free
    page = text(await person.get(address))
    assert "Kept for" in page and "Nobody sits here yet." in page and "Sit down" in page


async def test_the_next_round_swaps_seats_and_the_page_says_the_score(host: Host) -> None:
    first, second = Person(), Person()
    address = await create(first, rounds="2")
    live = host.hub.get(match_of(await second.post(f"{address}sit/")))
    assert live is not None
    await first.post(f"/m/{live.id}/resign/")
    room = room_at(host, address)
    await until(lambda: room.round == 2)
    page = html.unescape(text(await first.get(f"/m/{live.id}/")))
    names = [seat.name for seat in live.state.setup.seats]
    assert "Round 2 of 2" in page
    await until(lambda: room.live is not live)
    following = room.live
    assert following is not None
    assert [seat.name for seat in following.state.setup.seats] == names[::-1]
    assert f'href="/m/{following.id}/"' in text(await first.get(f"/m/{live.id}/"))


async def test_a_name_that_was_kept_between_two_rounds_is_that_of_the_next_one(host: Host) -> None:
    guest, friend = Person(), Person()
    address = await create(guest, rounds="2")
    live = host.hub.get(match_of(await friend.post(f"{address}sit/")))
    assert live is not None
    assert (await guest.post("/signup/", name="Mira K", password="correct horse battery")).status_code == 302
    await guest.post(f"/m/{live.id}/resign/")
    room = room_at(host, address)
    await until(lambda: room.live is not live)
    following = room.live
    assert following is not None
    (before, _), (other, after) = live.state.setup.seats, following.state.setup.seats
    assert (after.name, after.verified, after.player) == ("Mira K", True, before.player)
    assert before.name != "Mira K" and not before.verified
    assert other == live.state.setup.seats[1], "nothing has changed for the friend"


async def test_a_room_lists_its_matches(host: Host) -> None:
    first, second = Person(), Person()
    address = await create(first)
    match = match_of(await second.post(f"{address}sit/"))
    await first.post(f"/m/{match}/resign/")
    page = text(await Person().get(address))
    assert f'href="/m/{match}/"' in page and "0\u20111" in page


async def test_a_room_shows_a_bot_how_to_come_in(host: Host) -> None:
    await host.open_doors("127.0.0.1", {"droidcon": 0}, [])
    address = await create(Person())
    page = text(await Person().get(address))
    assert f"JOIN {address.split('/')[2]}" in page and str(host.doors["droidcon"].port) in page
    other = await create(Person(), variant="expanding-nim")
    assert "JOIN" not in text(await Person().get(other))


async def test_an_unknown_room_is_404_in_words(host: Host) -> None:
    for answer in (await Person().get("/r/nosuch/"), await Person().post("/r/nosuch/sit/")):
        assert answer.status_code == 404 and "There is no such room" in text(answer)
    assert await Player.objects.acount() == 0


@pytest.mark.parametrize(
    "wrong", [{"variant": "chess"}, {"clock": "1 hour"}, {"rounds": "1000"}, {"rounds": "x"}, {"rounds": ""}]
)
async def test_a_room_that_cannot_be_is_refused_in_words_beside_the_form(host: Host, wrong: dict[str, str]) -> None:
    form = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", **wrong}
    answer = await Person().post("/r/new/", **form)
    assert answer.status_code == 422
    assert "xpected" in text(answer) and "<form" in text(answer)
    assert await Room.objects.acount() == 0 and await Player.objects.acount() == 0


async def test_a_private_room_has_a_secret_in_its_code_and_is_nowhere_listed(host: Host) -> None:
    person = Person()
    address = await create(person, private="on")
    animal, _, tail = address.split("/")[2].partition("-")
    assert re.fullmatch(r"[a-z0-9]{12}", tail)
    assert (await Person().get(f"/r/{animal}/")).status_code == 404
    assert (await Person().get(f"/r/{animal}-{'a' * 12}/")).status_code == 404
    friend = Person()
    assert "Sit down and play" in text(await friend.get(address))
    assert tail not in text(await Person().get("/")) + text(await Person().get("/watch/"))
    match = match_of(await friend.post(f"{address}sit/"))
    assert (await friend.get(f"/m/{match}/")).status_code == 200
    assert (await Person().get(f"/m/{match}/")).status_code == 404


async def test_a_link_copied_from_a_private_match_opens_it_for_whoever_is_given_it(host: Host) -> None:
    live, first, _ = await two_people(host, private="on")
    await first.post(f"/m/{live.id}/resign/")
    shared = set(re.findall(r'data-copy="(/[rm]/[^"]*)"', text(await first.get(f"/m/{live.id}/"))))
    assert shared == {f"/r/{live.room_code}/?match={live.id}"}
    stranger = Person()
    assert (await stranger.get(f"/m/{live.id}/")).status_code == 404
    assert (await stranger.get(f"{shared.pop()}&ply=0"))["Location"] == f"/m/{live.id}/?ply=0"
    assert (await stranger.get(f"/m/{live.id}/")).status_code == 200
    for odd in ("/evil.example", "..", "%0d%0aa"):
        assert (await stranger.get(f"/r/{live.room_code}/?match={odd}")).status_code == 200


async def test_a_hundred_rooms_of_one_address_are_answered_in_words(host: Host) -> None:
    person = far_away()
    fields = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1"}
    answers = [await person.post("/r/new/", **fields) for _ in range(100)]
    made = [answer for answer in answers if answer.status_code == 302]
    assert 60 <= len(made) < 100 and len(host.lobby.rooms) == len(made), "a class may open them in one minute"
    *_, refused = [answer for answer in answers if answer.status_code == 429]
    assert int(refused["Retry-After"]) > 0
    assert re.search(
        r"Your address has opened 60 rooms at once; after that it is one every 5 s. Try again in \d+ s. All who share "
        "one address count together, unless whoever runs this server puts it into ARENA_TRUSTED_NETS.",
        flowing(refused),
    )


async def test_a_get_never_seats_whatever_it_asks_for(host: Host) -> None:
    address = await create(Person())
    for path in ("", "?sit=1", "state/", "sit/", "leave/", "change/1/?who=me", "connect/1/"):
        await Person().get(f"{address}{path}")
    assert sum(side is not None for side in room_at(host, address).sides) == 1


async def test_who_watches_is_taken_to_the_match_that_they_waited_for(host: Host) -> None:
    address = await create(Person())
    watcher = Person()
    assert "You are watching" in text(await watcher.get(f"{address}?watch"))
    match = match_of(await Person().post(f"{address}sit/"))
    taken = await watcher.get(f"{address}state/?waiting&watch", **HTMX)
    assert taken["HX-Redirect"] == f"/m/{match}/"
    assert "HX-Redirect" not in await watcher.get(f"{address}state/", **HTMX)
    reloaded = await watcher.get(f"{address}?watch")
    assert reloaded["Location"] == taken["HX-Redirect"], "whose page loads itself again meanwhile"


async def test_a_match_that_begins_while_a_watcher_asks_takes_them_there_too(host: Host) -> None:
    address = await create(Person())
    asks: list[asyncio.Task[Any]] = []
    sits = asyncio.create_task(Person().post(f"{address}sit/"))
    while not sits.done():
        asks.append(asyncio.create_task(Person().get(f"{address}state/?waiting&watch", **HTMX)))
        await asyncio.sleep(0)
    for answer in await asyncio.gather(*asks):
        assert ("HX-Redirect" in answer) or "A match is running" not in text(answer)
    assert "HX-Redirect" in await Person().get(f"{address}state/?waiting&watch", **HTMX)


async def test_who_opened_a_room_chooses_who_sits_and_nobody_else_does(host: Host) -> None:
    person = Person()
    address = await create(person, clock="5s")
    for stranger in (Person(), Person()):
        answer = await stranger.post(f"{address}change/1/", who="builtin:club")
        assert answer.status_code == 404 and "There is no such room" in text(answer)
    waiting = await person.post(f"{address}change/1/", who="socket:fiar")
    assert waiting["Location"] == f"{address}connect/1/"
    page = text(await Person().get(address))
    assert "Waiting for a bot that speaks Four In A Row" in page and "Change" not in page
    refused = await person.post(f"{address}change/1/", who="socket:gamestate")
    assert refused.status_code == 422 and "It plays Connect Four 8" in text(refused)
    match_of(await person.post(f"{address}change/1/", who="builtin:beginner"))


async def test_a_room_to_which_somebody_comes_in_the_moment_in_which_it_is_closed_stays(host: Host) -> None:
    room = room_at(host, await create(Person()))
    [owner] = room.sides.both
    room.stand(owner)
    asking = asyncio.ensure_future(may_close(host, room, Visitor(owner.setup.player)))
    await asyncio.sleep(0)  # it asks the database, whose answer comes in another turn of the loop
    host.lobby.sit_down(room, SeatSetup("Jonas", "human", player=4711))
    assert not await asking


async def test_a_closed_room_says_so_and_takes_nobody(host: Host) -> None:
    person = Person()
    address = await create(person, clock="5s")
    await person.post(f"{address}leave/")
    code = address.split("/")[2].upper()
    await Room.objects.filter(code=code).aupdate(closed=datetime.now(UTC))
    del host.lobby.rooms[code]
    page = text(await person.get(address))
    assert "This room is closed." in page and "Its matches are below." not in page
    assert not any(words in page for words in ("Sit down", "Free seat", "Copy link"))
    answer = await Person().post(f"{address}sit/")
    assert answer.status_code == 410 and "Nobody can sit down in this room any more" in text(answer)


async def test_a_room_says_of_its_matches_what_counts_now(host: Host) -> None:
    live, first, second = await two_people(host)
    for ply, move in enumerate("4152637"):
        await (second if ply % 2 else first).play(live, move)
    room = f"/r/{live.room_code}/"
    assert ": 1\u20110, four in a row" in text(await first.get(room))
    await host.referee.rule(live, "win", 1, "the clock was wrong", "grace")
    assert ": 0\u20111, the clock was wrong" in text(await first.get(room))
    await host.referee.rule(live, "void", None, "no clock ran", "grace")
    assert ": not counted, no clock ran" in text(await first.get(room))


async def test_two_built_in_players_begin_at_once(host: Host) -> None:
    fields = {"side0": "builtin:beginner", "side1": "builtin:club", "clock": "none", "rounds": "1"}
    match = match_of(await Person().post("/r/new/", variant="connect-four-7x6", **fields))
    live = host.hub.get(match)
    assert live is not None and [seat.kind for seat in live.state.setup.seats] == ["builtin", "builtin"]


async def test_who_opened_a_private_room_may_watch_what_is_played_there(host: Host) -> None:
    person = Person()
    fields = {"side0": "builtin:beginner", "side1": "builtin:club", "clock": "none", "rounds": "1", "private": "on"}
    match = match_of(await person.post("/r/new/", variant="connect-four-7x6", **fields))
    assert (await person.get(f"/m/{match}/")).status_code == 200
    assert (await Person().get(f"/m/{match}/")).status_code == 404


async def test_everything_that_the_page_shows_is_an_update(host: Host) -> None:
    person = Person()
    address = await create(person, clock="5s")
    code, told = address.split("/")[2].upper(), list[int]()
    host.lobby.updates.follow(code, lambda: told.append(1))
    told_after = []
    for path, fields in (("change/1/", {"who": "socket:fiar"}), ("leave/", {}), ("sit/", {})):
        await person.post(f"{address}{path}", **fields)
        told_after.append(bool(told))
        told.clear()
    waiting = host.seat_ports.port_of(code, 1)
    assert waiting is not None and waiting.port is not None
    _, stranger = await asyncio.open_connection("127.0.0.1", waiting.port)
    await until(lambda: bool(told))
    stranger.close()
    assert told_after == [True] * 3


async def test_the_choices_of_a_seat_begin_with_the_one_that_holds(host: Host) -> None:
    person = Person()
    address = await create(person, clock="5s", side1="socket:fiar")
    page = flowing(await person.get(address.removesuffix("connect/1/")))
    chosen = re.findall(r'<option value="([^"]+)" selected', page)
    assert chosen == ["me", "socket:fiar"]


async def test_of_more_bots_than_are_listed_any_is_found_for_a_seat_by_its_name(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that has the seat stays in the list, whatever is looked for."""
    monkeypatch.setattr(room_form, "MOST_BOTS", 2)
    first, _, last = [await a_bot(name, command=["bot"]) for name in ("ada", "bella", "cleo")]
    person = Person()
    address = await create(person, clock="5s")
    page = flowing(await person.get(address))
    assert 'name="find" value=""' in page and "bella" in page and "cleo" not in page
    page = flowing(await person.get(f"{address}?find=LEO"))
    assert 'name="find" value="LEO"' in page and "bella" not in page
    assert page.count(f'<option value="command:{last.pk}">') == 2, "for each of the seats"
    room = room_at(host, address)
    room.plan = replace(room.plan, places=(None, Place(side=1, kind="command", player_id=last.pk)))
    page = flowing(await person.get(f"{address}?find=ada"))
    assert f'value="command:{last.pk}" selected' in page and f'value="command:{first.pk}"' in page


async def test_after_a_series_a_seat_is_still_kept_for_the_bot_that_had_it(host: Host) -> None:
    """Also once the room is no longer in memory, as after a restart."""
    person = Person()
    address = (await create(person, clock="5s", side1="socket:droidcon")).removesuffix("connect/1/")
    code = address.split("/")[2]
    async with connected(waiting_at(host, f"{address}connect/1/")) as bot:
        bot.write(f"NAME gravity-9\nJOIN {code}\n".encode())
        await until(lambda: bool(host.hub.running()))
        await person.post(f"/m/{host.hub.running()[0].id}/resign/")
        await until(lambda: room_at(host, address).over)
    for _ in range(2):
        seats = re.findall(r"<li.*?</li>", flowing(await Person().get(address)))
        assert ["Free seat" in seat for seat in seats[:2]] == [True, False]
        assert "Waiting for a bot that speaks Droidcon Connect Four" in seats[1]
        host.lobby.rooms.pop(code.upper(), None)
