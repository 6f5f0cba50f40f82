"""`/api/`: what is public and nothing else, in pages that miss nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.urls import resolve

from arena.host import Host
from arena.match.record import verify
from arena.models import Room, Tournament
from arena.tournaments import actions
from tests.kit.browsing import Person, text, two_people
from tests.kit.history import WON, a_bot, match, person
from tests.kit.tournaments import a_spec
from tests.web.api.conforming import conforms
from tests.web.tournaments.test_tournaments import a_paused


async def read(path: str, who: Person | None = None) -> dict[str, Any]:
    answer = await (who or Person()).get(path)
    assert answer.status_code == 200, f"{answer.status_code} {path}: {text(answer)}"
    return conforming(path, dict(json.loads(text(answer))))


def conforming(path: str, said: dict[str, Any]) -> dict[str, Any]:
    """The answer, which is what the document of the API says of this address, to the last key."""
    shape = getattr(resolve(path.partition("?")[0]).func, "shape", None)
    if shape is not None and path.startswith("/api/"):
        conforms(shape, said)
    return said


async def test_the_index_leads_to_lists_that_are_there(host: Host) -> None:
    found = await read("/api/")
    for name in ("matches", "players", "bots", "tournaments"):
        assert await read(found[name]) == {name: [], "next": None}
        assert await read(found[name].replace("/api/", "/api/v1/")) == {name: [], "next": None}
    assert "connect-four-7x6" in found["variants"] and "droidcon" in found["protocols"]


async def test_matches_come_newest_first_and_page_by_page(host: Host) -> None:
    mira = await person()
    ids = [(await match(host, mira)).id for _ in range(5)]
    address, seen = "/api/matches/?limit=2&player=mira-k&state=ended", []
    while address:
        found = await read(address)
        seen += [each["id"] for each in found["matches"]]
        address = found["next"]
    assert seen == ids[::-1]


async def test_a_match_of_the_list_says_how_it_ended_and_leads_to_its_log(host: Host) -> None:
    bot = await a_bot()
    live = await match(host, await person(), await sync_to_async(lambda: bot.player)(), moves=WON)
    (line,) = (await read("/api/matches/?variant=connect-four-7x6"))["matches"]
    assert line["seats"] == [
        {"name": "Mira K", "player": "mira-k", "kind": "human", "protocol": None},
        {"name": "gravity-9", "player": "gravity-9", "kind": "bot", "protocol": "droidcon"},
    ]
    assert (line["id"], line["plies"], line["result"], line["termination"]) == (live.id, 7, "1-0", "normal")
    log = await read(line["api"])
    assert [each["move"] for each in log["moves"]] == list(WON) and log["page"] == line["page"]
    await host.referee.rule(live, "void", None, "seats were mixed up", "root")
    (line,) = (await read("/api/matches/"))["matches"]
    assert (line["ruling"]["verdict"], line["ruling"]["reason"], line["winner"]) == ("void", "seats were mixed up", 0)


async def test_matches_of_a_time_and_of_an_event(host: Host) -> None:
    live = await match(host, await person())
    opened = live.events[0].at
    for query, ids in (
        (f"since={opened - timedelta(seconds=1):%Y-%m-%dT%H:%M:%SZ}", [live.id]),
        (f"since={opened + timedelta(seconds=2):%Y-%m-%dT%H:%M:%S}", []),
        (f"until={opened - timedelta(seconds=1):%Y-%m-%dT%H:%M:%S%%2B00:00}", []),
        (f"since=2026-01-01&until={opened + timedelta(days=1):%Y-%m-%d}", [live.id]),
    ):
        assert [each["id"] for each in (await read(f"/api/matches/?{query}"))["matches"]] == ids, query
    await a_paused(3, "1-0", name="Winter cup")
    (line,) = (await read("/api/matches/?event=winter-cup"))["matches"]
    assert line["event"] == "winter-cup" and line["id"] != live.id
    await sync_to_async(actions.create)(a_spec(2, name="Secret draft"))
    assert (await Person().get("/api/matches/?event=secret-draft")).status_code == 404


async def test_states_are_told_apart(host: Host) -> None:
    running, _, _ = await two_people(host)
    ended = await match(host, await person())
    for state, ids in (("running", [running.id]), ("ended", [ended.id]), ("open", [])):
        assert [each["id"] for each in (await read(f"/api/matches/?state={state}"))["matches"]] == ids


async def test_a_private_match_is_in_no_list_and_its_log_is_for_its_players(host: Host) -> None:
    live, first, _ = await two_people(host, private="on")
    assert await Room.objects.filter(private=True).acount() == 1
    assert (await read("/api/matches/"))["matches"] == []
    assert (await Person().get(f"/api/matches/{live.id}/")).status_code == 404
    assert (await read(f"/api/matches/{live.id}/", first))["id"] == live.id


async def test_bots_say_what_everybody_may_know(host: Host) -> None:
    await a_bot("alpha", token_sha256="5" * 64, command=["secret"], port=4999)
    await a_bot("beta", protocol="native")
    await a_bot("gone", enabled=False)
    found = await read("/api/bots/?limit=1")
    assert [each["slug"] for each in found["bots"]] == ["alpha"]
    assert [each["slug"] for each in (await read(found["next"]))["bots"]] == ["beta"]
    assert [each["slug"] for each in (await read("/api/bots/?protocol=native"))["bots"]] == ["beta"]
    alpha = await read("/api/bots/alpha/")
    assert alpha["online"] is False and alpha["rating"] is None
    assert not {"5" * 64, "secret", "4999"} & set(json.dumps(alpha).replace('"', " ").split())
    assert (await read("/api/bots/gone/"))["enabled"] is False
    assert (await read(alpha["matches"]))["matches"] == []


async def test_the_rating_of_a_bot_is_that_of_the_variant_it_plays(host: Host) -> None:
    bot = await a_bot()
    await match(host, await person(), await sync_to_async(lambda: bot.player)(), moves=WON, rated=True)
    rating = (await read("/api/bots/gravity-9/"))["rating"]
    assert (rating["matches"], rating["won"], rating["lost"], rating["provisional"]) == (1, 0, 1, True)


async def test_a_tournament_with_its_table_and_without_moves(host: Host) -> None:
    await a_paused(3, "1-0", name="Winter cup")
    await sync_to_async(actions.create)(a_spec(2, name="Secret draft"))
    (line,) = (await read("/api/tournaments/"))["tournaments"]
    assert (line["slug"], line["state"], line["type"]) == ("winter-cup", "paused", "round-robin")
    found = await read(line["api"])
    assert len(found["standings"]) == len(found["entries"]) == 3 and len(found["pairings"]) == 3
    (played,) = [each for pairing in found["pairings"] for each in pairing["matches"]]
    assert played["result"] == "1-0" and "moves" not in played
    assert (await read(found["all"]))["standings"] == found["standings"]
    assert (await Person().get("/api/tournaments/secret-draft/")).status_code == 404
    assert (await read("/api/tournaments/?state=finished"))["tournaments"] == []
    newest = await Tournament.objects.aget(slug="winter-cup")
    assert (await read(f"/api/tournaments/?before={newest.pk}"))["tournaments"] == []


async def test_offers_and_a_record_that_has_them(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    await second.play(live, "4")
    await second.post(f"/m/{live.id}/offer/", offer="takeback", ply="2")
    await first.post(f"/m/{live.id}/offer/", accept=str(live.state.seq))
    await first.post(f"/m/{live.id}/offer/", offer="draw", ply="1")
    await second.post(f"/m/{live.id}/offer/", accept=str(live.state.seq))
    log = await read(f"/api/v1/matches/{live.id}/")
    assert [(each["what"], each["answer"]) for each in log["offers"]] == [
        ("takeback", "accepted"),
        ("draw", "accepted"),
    ]
    assert [each["move"] for each in log["offers"][0]["moves"]] == ["4"] and len(log["moves"]) == 1
    assert verify(text(await Person().get(f"/m/{live.id}/record.jsonl")).encode()).head == log["head"]
