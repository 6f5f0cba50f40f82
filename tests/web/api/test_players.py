"""`/api/players/`: who has played here, and how they stand."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext

from arena.host import Host
from arena.match.ladder import SETTLED
from arena.models import Room
from tests.kit.browsing import Person
from tests.kit.history import VARIANT, WON, a_bot, match, person
from tests.web.api.test_api import read


async def test_everybody_is_listed_once_page_by_page(host: Host) -> None:
    for name in ("Mira K", "Ünal", "ada"):
        await person(name)
    await a_bot("gravity-9")
    address, seen = "/api/players/?limit=3", []
    while address:
        found = await read(address)
        seen += [each["slug"] for each in found["players"]]
        address = found["next"]
    assert seen == ["ada", "gravity-9", "mira-k", "ünal"]
    assert [each["slug"] for each in (await read("/api/players/?kind=bot"))["players"]] == ["gravity-9"]
    assert (await read("/api/players/?kind=guest"))["players"] == []


async def test_one_says_how_they_stand_and_which_bots_are_theirs(host: Host) -> None:
    owner = await User.objects.acreate_user("mira-k", "mira@example.org", "a long enough secret")
    mira = await person(user=owner)
    bot = await a_bot(owner=owner)
    rival = await person("Bob")
    await match(host, mira, rival, moves=WON, rated=True)
    found = await read("/api/players/MIRA-K/")
    (rating,) = found.pop("ratings")
    assert (rating["variant"], rating["matches"], rating["won"]) == ("connect-four-7x6", 1, 1)
    assert rating["points"] > 1500 and rating["provisional"] is True
    assert found == {
        "slug": "mira-k",
        "name": "Mira K",
        "kind": "person",
        "api": "/api/players/mira-k/",
        "page": "/@/mira-k/",
        "bots": ["gravity-9"],
        "matches": "/api/matches/?player=mira-k",
        "history": "/api/players/mira-k/history/",
    }
    assert [each["seats"][1]["name"] for each in (await read(found["matches"]))["matches"]] == ["Bob"]
    of_a_bot = await read(f"/api/players/{(await sync_to_async(lambda: bot.player)()).slug}/")
    assert (of_a_bot["kind"], of_a_bot["bots"], of_a_bot["page"]) == ("bot", [], "/bots/gravity-9/")
    assert [each["slug"] for each in (await read("/api/players/?variant=connect-four-7x6"))["players"]] == [
        "bob",
        "mira-k",
    ]
    assert (await read("/api/players/?variant=expanding-nim"))["players"] == []


async def test_nothing_is_said_that_is_private(host: Host) -> None:
    await person(user=await User.objects.acreate_user("mira-login", "mira@example.org", "a long enough secret"))
    for path in ("/api/players/", "/api/players/mira-k/"):
        said = json.dumps(await read(path))
        assert "example.org" not in said and "mira-login" not in said and "pbkdf2" not in said


async def test_who_is_not_there_is_said_in_words(host: Host) -> None:
    answer = await Person().get("/api/players/nobody/")
    assert answer.status_code == 404
    assert json.loads(answer.content)["error"]["sentence"] == "There is no player 'nobody'."
    answer = await Person().get("/api/players/?kind=builtin")
    assert answer.status_code == 400
    assert "expected one of person, guest, bot" in json.loads(answer.content)["error"]["sentence"]


async def test_a_page_takes_as_many_queries_with_fifty_as_with_one(host: Host) -> None:
    async def asked() -> int:
        captured = CaptureQueriesContext(connection)
        await sync_to_async(captured.__enter__)()
        assert (await AsyncClient().get("/api/players/")).status_code == 200
        await sync_to_async(captured.__exit__)(None, None, None)
        queries = await sync_to_async(lambda: [query["sql"] for query in captured])()
        return sum('"arena_player"' in query or '"arena_rating"' in query for query in queries)

    await person()
    few = await asked()
    for number in range(49):
        await person(f"p{number}")
    assert few == await asked() == 2


async def test_leaderboards_and_what_each_match_did_to_a_rating(host: Host) -> None:
    mira, rival = await person(), await person("Bob")
    for _ in range(SETTLED):
        await match(host, mira, rival, moves=WON, rated=True)
    tables = (await read("/api/leaderboards/"))["leaderboards"]
    found = await read(tables["connect-four-7x6"] + "?limit=1")
    (best,) = found["players"]
    assert (best["place"], best["slug"], best["won"]) == (1, "mira-k", SETTLED)
    assert (await read(tables["expanding-nim"]))["players"] == []
    steps: list[dict[str, Any]] = []
    address = "/api/players/mira-k/history/?limit=3&variant=connect-four-7x6"
    while address:
        page = await read(address)
        steps += page["history"]
        address = page["next"]
    assert len(steps) == SETTLED and {step["result"] for step in steps} == {"won"}
    assert [step["before"] for step in steps[:-1]] == [step["points"] for step in steps[1:]]
    assert steps[0]["points"] == best["points"] and steps[-1]["before"] == 1500


async def test_what_a_match_of_a_private_room_did_to_a_rating_is_not_listed(host: Host) -> None:
    """Its number in two histories would tell who has met whom, when, and who won."""
    mira, rival = await person(), await person("Bob")
    for private in (True, False):
        room = await Room.objects.acreate(code=f"ROOM-{private}", variant=VARIANT, clock="none", private=private)
        live = await match(host, mira, rival, moves=WON, rated=True, room=room.pk)
    for player in ("mira-k", "bob"):
        (step,) = (await read(f"/api/players/{player}/history/"))["history"]
        assert step["match"] == live.id
