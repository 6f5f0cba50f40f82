"""Bots that speak `native` find their seats by a variant, by an opponent or by a room."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from arena.bots.seats import unseated
from arena.host import Host
from arena.models import Match
from tests.bots.conftest import Opens
from tests.kit.clients import Wire
from tests.kit.registered import register
from tests.kit.until import until


async def said(bot: Wire, wanted: str) -> dict[str, Any]:
    """The next message of this type; others before it are passed over."""
    while True:
        message: dict[str, Any] = json.loads(await bot.line())
        if message["type"] == wanted:
            return message


async def say(bot: Wire, **message: Any) -> None:
    await bot.send(json.dumps(message))


async def hello(bot: Wire, name: str) -> None:
    await say(bot, type="hello", name=name, version=1)
    assert (await said(bot, "welcome"))["you"] == name


async def play_on(*bots: Wire) -> list[dict[str, Any]]:
    """Both play the first legal move until both have heard the end."""
    ends: list[dict[str, Any]] = []
    while len(ends) < len(bots):
        for bot in bots:
            message = json.loads(await bot.line())
            while message["type"] not in ("turn", "end"):
                message = json.loads(await bot.line())
            if message["type"] == "turn":
                await say(bot, type="move", ply=message["ply"], move=message["legal"][0])
            else:
                ends.append(message)
    return ends


async def test_two_that_queue_for_a_variant_meet(host: Host, opened: Opens) -> None:
    port = await opened("native")
    async with Wire.to(port) as one, Wire.to(port) as two:
        await hello(one, "ada")
        await say(one, type="queue", variant="expanding-nim")
        await hello(two, "bob")
        await say(two, type="queue", variant="expanding-nim")
        seats = [await said(one, "seat"), await said(two, "seat")]
        assert [seat["opponent"] for seat in seats] == ["bob", "ada"]
        assert seats[0]["match"] == seats[1]["match"]
        assert (await said(one, "start"))["settings"] == {"stones": 100, "resets": 4}
        ends = await play_on(one, two)
    assert ends[0]["winner"] == ends[1]["winner"]
    assert ends[0]["termination"] == "normal"


async def test_each_refusal_names_what_it_refuses_though_more_came_in_the_same_segment(
    host: Host, opened: Opens
) -> None:
    port = await opened("native")
    async with Wire.to(port) as bot:
        await hello(bot, "ada")
        wishes = {"queue": ("variant", "chess"), "join": ("room", "otter"), "challenge": ("player", "bob")}
        await bot.send(*(json.dumps({"type": type, key: value}) for type, (key, value) in wishes.items()))
        refused = [await said(bot, "refused") for _ in wishes]
    assert [(each["code"], each["received"]) for each in refused] == [
        *(("busy", "otter"), ("busy", "bob"), ("unknown_variant", "chess"))
    ]


async def test_who_waits_can_be_challenged_by_name(host: Host, opened: Opens) -> None:
    port = await opened("native")
    async with Wire.to(port) as one, Wire.to(port) as two:
        await hello(one, "ada")
        await say(one, type="queue", variant="santorini-5x5")
        while not host.lobby.open_rooms():
            await host.lobby.find("nothing")
        await hello(two, "bob")
        await say(two, type="challenge", player="ADA")
        assert (await said(two, "start"))["variant"] == "santorini-5x5"


async def test_a_room_is_joined_by_its_code(host: Host, opened: Opens) -> None:
    port = await opened("native")
    await host.lobby.open("otter-42", {"variant": "connect-four-8x8", "clock": "none", "rounds": 1})
    async with Wire.to(port) as one, Wire.to(port) as two:
        for bot, name in ((one, "ada"), (two, "bob")):
            await hello(bot, name)
            await say(bot, type="join", room="OTTER-42")
        assert (await said(two, "start"))["variant"] == "connect-four-8x8"


@pytest.mark.parametrize(
    ("wish", "code", "words"),
    [
        ({"type": "queue", "variant": "chess"}, "unknown_variant", "connect-four-7x6"),
        ({"type": "challenge", "player": "nobody"}, "not_waiting", "nobody is not waiting"),
        ({"type": "join", "room": "empty"}, "no_such_room", "There is no room empty"),
    ],
)
async def test_what_cannot_be_found_is_said(
    host: Host, opened: Opens, wish: dict[str, str], code: str, words: str
) -> None:
    port = await opened("native")
    async with Wire.to(port) as bot:
        await hello(bot, "ada")
        await say(bot, **wish)
        refused = await said(bot, "refused")
        assert refused["code"] == code
        assert words in refused["hint"]


async def test_whoever_says_hello_and_asks_for_no_seat_is_sent_away_in_words(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = await opened("native")
    async with Wire.to(port) as waiting, Wire.to(port) as silent:
        await hello(waiting, "bob")
        await say(waiting, type="queue", variant="expanding-nim")
        await until(lambda: bool(host.lobby.open_rooms()))
        monkeypatch.setattr(unseated, "WISH_S", 0.05)
        await hello(silent, "ada")
        refused = await said(silent, "refused")
        assert refused["code"] == "no_wish" and "Received no wish for a seat within 0.05 s." in refused["hint"]
        assert await silent.rest() == []
        await until(lambda: not host.doors["native"]._unseated.total)
        assert host.lobby.open_rooms() and len(host.doors["native"]._sessions) == 1


async def test_a_wish_that_is_refused_begins_the_time_for_one_again(host: Host, opened: Opens) -> None:
    port = await opened("native")
    async with Wire.to(port) as bot:
        await hello(bot, "ada")
        (first,) = host.doors["native"]._unseated._deadlines.values()
        await say(bot, type="challenge", player="nobody")
        await said(bot, "refused")
        (second,) = host.doors["native"]._unseated._deadlines.values()
        assert first.cancelled() and not second.cancelled()


async def test_a_bot_with_a_seat_is_not_given_another(host: Host, opened: Opens) -> None:
    port = await opened("native")
    async with Wire.to(port) as bot:
        await hello(bot, "ada")
        await say(bot, type="queue", variant="expanding-nim")
        while not host.lobby.open_rooms():
            await host.lobby.find("nothing")
        await say(bot, type="queue", variant="santorini-5x5")
        assert (await said(bot, "refused"))["code"] in ("already_in_channel", "busy")


async def test_a_match_of_two_that_have_proven_who_they_are_is_rated(host: Host, opened: Opens) -> None:
    port = await opened("native")
    owners = [await User.objects.acreate(username=name) for name in ("mira", "jo")]
    tokens = [(await register(name, "native", owner=owner))[1] for name, owner in zip("ab", owners, strict=True)]
    async with Wire.to(port) as one, Wire.to(port) as two:
        for bot, token in zip((one, two), tokens, strict=True):
            await say(bot, type="hello", name="x", token=token)
            await said(bot, "welcome")
        for bot in (one, two):
            await say(bot, type="queue", variant="connect-four-7x6")
        await said(one, "seat")
        assert (await Match.objects.aget()).rated


async def test_one_that_has_proven_nothing_plays_friendly_matches(host: Host, opened: Opens) -> None:
    port = await opened("native")
    _, token = await register("a", "native", owner=await User.objects.acreate(username="mira"))
    async with Wire.to(port) as one, Wire.to(port) as two:
        await say(one, type="hello", name="x", token=token)
        await hello(two, "bob")
        for bot in (one, two):
            await say(bot, type="queue", variant="connect-four-7x6")
        await said(one, "seat")
        assert not (await Match.objects.aget()).rated


async def test_a_flood_is_told_why_before_it_is_cut_off(host: Host, opened: Opens) -> None:
    async with Wire.to(await opened("native")) as bot:
        await hello(bot, "ada")
        await bot.send_bytes(b"\n" * 300)
        refused = await said(bot, "refused")
        assert refused["code"] == "flood" and "more than 200 lines at once" in refused["hint"]
        assert await bot.line() == ""


async def test_a_protocol_without_words_hears_of_its_flood_as_at_the_port_of_a_seat(host: Host, opened: Opens) -> None:
    async with Wire.to(await opened("fiar")) as bot:
        await bot.send_bytes(b"\n" * 300)
        [words] = await bot.rest()
        assert words.startswith("SEAT REFUSED flood: fiar (unverified) sent more than 200 lines at once")
