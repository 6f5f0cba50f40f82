"""What programs do through the API: rooms, entries, and events of their own; never more than their pages let them."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User

from arena.host import Host
from arena.models import Entry, Match, Room, Tournament
from arena.tournaments import actions
from tests.kit.browsing import Person, match_of
from tests.kit.history import a_bot
from tests.kit.tournaments import a_spec
from tests.web.api.test_api import read
from tests.web.api.writing import ROOM, a_token, sent

CUP = "/api/v1/tournaments/winter-cup"


async def a_cup(organiser: str = "mira-k", entries: int = 3, **values: Any) -> Tournament:
    user, _ = await User.objects.aget_or_create(username=organiser)
    cup = await sync_to_async(actions.create)(a_spec(entries, name="Winter cup", **values), user)
    await sync_to_async(actions.open_for_entries)(cup)
    return cup


async def state() -> str:
    return (await Tournament.objects.aget()).state


# -- rooms -------------------------------------------------------------------------------------------------------------


async def test_a_room_is_opened_and_whoever_has_its_link_plays(host: Host) -> None:
    wish = {**ROOM, "clock": "45s", "rounds": 2, "private": True, "offers": "off"}
    status, said = await sent("/api/v1/rooms/", wish, await a_token("play"))
    assert (status, said["clock"], said["rounds"], said["private"], said["match"]) == (201, "45s", 2, True, None)
    assert said["link"].endswith(said["page"]) and said["link"].startswith("http")
    match = match_of(await Person().post(f"{said['page']}sit/"))
    assert (await read(said["api"]))["match"] == match
    assert (await Person().get("/api/v1/rooms/NOPE/")).status_code == 404


async def test_two_built_in_players_begin_at_once(host: Host) -> None:
    wish = {"variant": "connect-four-7x6", "first": "builtin:random", "second": "builtin:random", "clock": "5s"}
    status, said = await sent("/api/v1/rooms/", wish, await a_token("play"))
    assert status == 201 and await Match.objects.filter(pk=said["match"]).aexists()


async def test_a_bot_is_challenged_by_its_slug(host: Host) -> None:
    await a_bot("gravity-9")
    status, said = await sent("/api/v1/rooms/", {**ROOM, "second": "bot:gravity-9"}, await a_token("play"))
    assert status == 201, said
    assert said["clock"] == "move:30s"
    assert await (await Room.objects.aget()).places.filter(side=1, player__slug="gravity-9").aexists()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"variant": "chess"}, "variant: Received the game 'chess'"),
    ({"second": "bot:nobody"}, "There is no bot 'nobody'."),
    ({"second": "me"}, "second: You can sit on one side only."),
    ({"second": "12"}, "second: Received '12', expected one of the list."),
    ({"clock": "soon"}, "clock: Received the clock 'soon'"),
    ({"second": "builtin:club", "rated": True}, "rated: Both sides need an account or a registered bot."),
    ({"second": "socket:gamestate"}, "second: "),
]


async def test_what_no_page_would_open_is_refused(host: Host) -> None:
    token = await a_token("play")
    for wish, words in REFUSED:
        status, said = await sent("/api/v1/rooms/", {**ROOM, **wish}, token)
        assert status == 422 and words in said["error"]["sentence"], said
    assert not await Room.objects.aexists()


# -- events ------------------------------------------------------------------------------------------------------------


async def test_one_s_own_bot_is_entered_and_withdrawn(host: Host) -> None:
    await a_cup("organiser", clock="5s")
    token = await a_token("events")
    await a_bot("gravity-9", owner=await User.objects.aget(username="mira-k"))
    status, said = await sent(f"{CUP}/enter/", {"who": "bot:gravity-9"}, token)
    assert (status, said["name"]) == (201, "gravity-9"), said
    assert (await sent(f"{CUP}/enter/", {"who": "bot:gravity-9"}, token))[0] == 409
    assert (await sent(f"{CUP}/withdraw/", {"entry": said["seed"] + 0.5}, token))[0] == 422
    status, _ = await sent(f"{CUP}/withdraw/", {"entry": float(said["seed"])}, token)  # 4.0 is an integer of JSON
    assert status == 200 and not await Entry.objects.filter(name="gravity-9", withdrawn=None).aexists()


async def test_who_does_not_meet_the_conditions_hears_what_the_page_says(host: Host) -> None:
    await a_cup("organiser", clock="5s")
    cup = await Tournament.objects.aget()
    asks = {"checked": True, "rating_from": 1200, "rating_to": 0}
    await Tournament.objects.aupdate(settings={**cup.settings, "conditions": asks})
    token = await a_token("events")
    await a_bot("gravity-9", owner=await User.objects.aget(username="mira-k"))
    status, said = await sent(f"{CUP}/enter/", {"who": "bot:gravity-9"}, token)
    assert (status, said["error"]["code"]) == (409, "not_met")
    assert "check_bot --record gravity-9" in said["error"]["sentence"]
    assert "at least 1200 is needed, and there is none yet." in said["error"]["sentence"]
    assert (await read("/api/tournaments/winter-cup/"))["settings"]["conditions"] == asks


async def test_a_person_enters(host: Host) -> None:
    await a_cup("organiser", clock="5s")
    token = await a_token("events")
    status, said = await sent(f"{CUP}/enter/", {"who": "me", "agrees": True}, token)
    entry = await Entry.objects.aget(seed=said["seed"])
    assert status == 201 and (entry.kind, entry.agrees) == ("person", True)


async def test_others_are_the_organiser_s_and_only_with_that_scope(host: Host) -> None:
    await a_cup(clock="5s")
    for path, body in (("enter/", {"who": "builtin:club"}), ("withdraw/", {"entry": 1})):
        assert (await sent(f"{CUP}/{path}", body, await a_token("events", "bob")))[0] in (403, 422)
        assert (await sent(f"{CUP}/{path}", body, await a_token("events")))[0] in (403, 422)
        assert (await sent(f"{CUP}/{path}", body, await a_token("events organise")))[0] in (200, 201)


async def test_an_event_is_started_paused_and_decided(host: Host) -> None:
    await a_cup(entries=12)  # enough that not all have begun before it is paused
    token = await a_token("organise")
    for name, expected in (("start", "running"), ("pause", "paused")):
        status, said = await sent(f"{CUP}/do/{name}/", {}, token)
        assert (status, said["state"]) == (200, expected)
    status, said = await sent(f"{CUP}/do/start/", {}, token)
    assert (status, said["error"]["code"]) == (409, "already_started")
    pairings = (await read("/api/tournaments/winter-cup/"))["pairings"]
    place = {name: next(each for each in pairings if not each["matches"])[name] for name in ("round", "number", "leg")}
    status, said = await sent(f"{CUP}/award/", {**place, "to": "a", "reason": "the other one left"}, token)
    assert status == 200, said
    assert (await sent(f"{CUP}/award/", {**place, "to": "b", "reason": ""}, token))[1]["error"]["code"] == (
        "reason_required"
    )
    assert (await sent(f"{CUP}/again/", {**place, "reason": "a mistake"}, token))[0] == 200
    assert (await sent(f"{CUP}/award/", {**place, "round": 99, "to": "a", "reason": "x"}, token))[0] == 422
    assert (await sent(f"{CUP}/do/explode/", {}, token))[0] == 404


async def test_an_event_of_somebody_else_is_theirs(host: Host) -> None:
    await a_cup("organiser")
    token = await a_token("organise")
    for path, body in (
        ("do/start/", {}),
        ("award/", {"round": 1, "number": 1, "to": "a", "reason": "x"}),
        ("again/", {"round": 1, "number": 1, "reason": "x"}),
        ("pairs/", {"act": "apart", "first": 1, "second": 2, "reason": "x"}),
    ):
        assert (await sent(f"{CUP}/{path}", body, token))[1]["error"]["code"] == "not_yours"
    assert await state() == "waiting"
    mira = await User.objects.aget(username="mira-k")
    mira.is_staff = True
    await mira.asave()
    await mira.user_permissions.aadd(await Permission.objects.aget(codename="change_tournament"))
    assert (await sent(f"{CUP}/do/start/", {}, token))[0] == 200


async def test_a_draft_is_not_there_for_others_and_its_organiser_deletes_it(host: Host) -> None:
    cup = await a_cup()
    await Tournament.objects.aupdate(state="draft")
    assert (await sent(f"{CUP}/do/start/", {}, await a_token("organise", "bob")))[0] == 404
    status, said = await sent(f"{CUP}/do/delete/", {}, await a_token("organise"))
    assert (status, said["state"]) == (200, "deleted") and not await Tournament.objects.filter(pk=cup.pk).aexists()


async def test_who_is_kept_apart_and_who_is_paired_is_set_by_seeds(host: Host) -> None:
    await a_cup(entries=4)
    await Tournament.objects.aupdate(format="swiss")
    token = await a_token("organise")
    said = {"first": 3, "second": 1, "reason": "as last year"}
    assert (await sent(f"{CUP}/pairs/", {**said, "act": "pair", "round": 1}, token))[0] == 200
    assert (await sent(f"{CUP}/pairs/", {**said, "first": 2, "second": 4, "act": "apart"}, token))[0] == 200
    kept = (await Tournament.objects.aget()).settings
    assert [len(kept["next_pairs"]), len(kept["apart"])] == [1, 1]
    assert (await sent(f"{CUP}/pairs/", {**said, "act": "pair"}, token))[1]["error"]["code"] == "no_such_pair"
    assert (await sent(f"{CUP}/pairs/", {**said, "act": "marry"}, token))[0] == 422
    assert (await sent(f"{CUP}/pairs/", {**said, "second": 9, "act": "pair"}, token))[0] == 422
