"""A tournament set up on one page."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.utils import timezone

from arena.host import Host
from arena.models import Bot, Entry, Machine, Tournament
from arena.tournaments import actions
from arena.web.tournaments import entrants
from arena.work.machine_class import own_class
from tests.kit.browsing import Person, flowing, text, untied
from tests.kit.history import a_bot
from tests.kit.tournaments import a_spec, finished
from tests.web.test_who_may import known

TWO = ["builtin:beginner", "builtin:club"]


async def says(person: Person, **fields: Any) -> tuple[int, str]:
    answer = await person.post("/t/new/", **{"variant": "connect-four-7x6", **fields})
    return answer.status_code, unescape(flowing(answer))


async def test_only_who_is_logged_in_makes_one(host: Host) -> None:
    for answer in (await Person().get("/t/new/"), await Person().post("/t/new/", act="start", entry=TWO)):
        assert answer["Location"] == "/login/?next=/t/new/"


async def test_it_is_made_and_begins_and_its_organiser_is_who_made_it(host: Host) -> None:
    mira = await known("mira")
    answer = await mira.post("/t/new/", variant="connect-four-7x6", name="May cup", act="start", entry=TWO)
    assert answer["Location"] == "/t/may-cup/"
    sheet = await finished("may-cup")
    assert sheet.progress.total == 2 and sheet.tournament.organiser == await User.objects.aget()
    assert sheet.tie_breaks == ["direct", "wins", "sonneborn-berger", "failures"]


async def test_looking_makes_nothing_and_lists_who_plays_this_game(host: Host) -> None:
    mira, bot = await known("mira"), await a_bot(open_to="everyone")
    status, page = await says(mira, look="1", entry=[*TWO, f"bot:{bot.pk}"], act="start")
    assert status == 200 and "3 pairings, 6 rounds" in page and "not connected, never seen" in page
    page = (await says(mira, look="1", variant="expanding-nim"))[1]
    assert "gravity-9" not in page and 'once their owners have <a href="/bots/new/">added them</a>' in page
    assert not await Tournament.objects.aexists()


async def test_of_more_bots_than_are_listed_any_is_found_by_its_name_and_ticked(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrants, "MOST_ENTRIES", 2)
    mira = await known("mira")
    for name in ("ada", "bella", "cleo-3"):
        bot = await a_bot(name, open_to="everyone")
    page = (await says(mira, look="1"))[1]
    assert 'name="find" value=""' in page and "cleo-3" not in page
    page = (await says(mira, look="1", find="CLEO", entry=TWO))[1]
    assert f'value="bot:{bot.pk}"> <span class="away">cleo-3' in page and "bella" not in page
    assert 'name="find" value="CLEO"' in page and 'value="builtin:club" checked' in page
    answer = await mira.post("/t/new/", variant="connect-four-7x6", act="open", entry=[f"bot:{bot.pk}", *TWO])
    assert answer.status_code == 302 and await Entry.objects.filter(player=bot.pk).aexists()
    await Bot.objects.exclude(pk=bot.pk).adelete()
    assert 'name="find"' not in (await says(mira, look="1"))[1], "all are listed"


async def test_an_own_bot_in_quarantine_is_said_to_be_there(host: Host) -> None:
    """In all places where its owner could choose it: it would seem to be lost."""
    mira = await known("mira")
    user = await User.objects.aget()
    await a_bot("gravity-9", owner=user, enabled=False, quarantined=timezone.now())
    await a_bot("other-9", enabled=False, quarantined=timezone.now())
    said = '<a href="/bots/gravity-9/">gravity-9</a> is in quarantine: its page says how that ends.'
    await sync_to_async(actions.open_for_entries)(await sync_to_async(actions.create)(a_spec(), user))
    for page in ((await says(mira, look="1"))[1], unescape(flowing(await mira.get("/t/spring-cup/enter/")))):
        assert said in page and "other-9" not in page
    assert "quarantine" not in (await says(mira, look="1", variant="expanding-nim"))[1]
    assert "gravity-9: It is in quarantine" in flowing(await mira.get("/r/new/?variant=connect-four-7x6"))
    assert "gravity-9" not in flowing(await Person().get("/r/new/?variant=connect-four-7x6"))


async def test_each_kind_of_event_says_who_meets_whom(host: Host) -> None:
    mira = await known("mira")
    for kind, said in (
        ("round-robin", "Everyone meets everyone."),
        ("gauntlet", "Seed 1 meets everyone else"),
        ("swiss", "nobody meets the same opponent twice"),
        ("knockout", "Losers are out."),
    ):
        assert said in (await says(mira, look="1", format=kind))[1]


async def test_what_is_wrong_is_said_and_nothing_is_made(host: Host) -> None:
    mira = await known("mira")
    for fields, said in (
        ({"act": "start"}, "0 are ticked: a tournament needs two to start."),
        ({"act": "start", "entry": TWO, "legs": "3"}, "Received '3' for matches per pairing"),
        ({"act": "open", "entry": TWO, "starts": "2001-01-01T10:00"}, "has passed: expected a time in the future"),
        ({"act": "start", "entry": [*TWO, "bot:99"]}, "bot:99 cannot play this game"),
        (
            {"act": "start", "entry": TWO, "format": "swiss", "rounds": "x", "name": "*", "tie_breaks": "x"},
            "Received 'x'",
        ),
        ({"act": "play", "entry": TWO}, "Received 'play', expected one of start, gather, open, draft."),
    ):
        status, page = await says(mira, **fields)
        assert status == 422 and said in page and untied(page) == set()
    assert not await Tournament.objects.aexists()


async def test_the_class_of_machines_is_chosen_where_workers_have_others(host: Host) -> None:
    mira = await known("mira")
    assert 'name="machines"' not in (await says(mira, look="1"))[1], "nobody else is there"
    await Machine.objects.acreate(name="blade", machine_class="c5", slots=1, speed=1, sandbox=0, seen=timezone.now())
    page = (await says(mira, look="1", machines="c5"))[1]
    assert '<option value="c5" selected>c5</option>' in page and f"{own_class()}, as this server" in page
    status, page = await says(mira, act="draft", entry=TWO, machines="c9")
    assert status == 422 and f"No machine of the class 'c9' is known, expected one of c5, {own_class()}." in page
    assert (await says(mira, act="draft", entry=TWO, machines="c5"))[0] == 302
    assert (await Tournament.objects.aget()).settings["machines"] == "c5"


async def test_fields_that_are_not_in_the_form_change_nothing(host: Host) -> None:
    mira = await known("mira")
    more = {"organiser": "1", "state": "finished", "version": "9", "slug": "mine", "settings": "{}"}
    assert (await says(mira, name="Cup", act="draft", entry=TWO, **more))[0] == 302
    made = await Tournament.objects.aget()
    assert (made.slug, made.state, made.version) == ("cup", "draft", 1)


async def test_it_waits_until_all_are_here_who_were_ticked(host: Host) -> None:
    mira, bot = await known("mira"), await a_bot(open_to="everyone")
    await says(mira, name="Cup", act="gather", entry=["builtin:beginner", f"bot:{bot.pk}"])
    assert "1 of 2 are connected. Starts when everyone is here." in text(await mira.get("/t/cup/"))
    assert "starts when everyone is here" in text(await mira.get("/t/"))


async def test_it_opens_for_entries_with_oneself_in_it(host: Host) -> None:
    mira = await known("mira")
    answer = await says(mira, name="Cup", act="open", entry=[*TWO, "me"], starts="2099-01-01T10:00")
    assert answer[0] == 302
    made = await Tournament.objects.aget()
    assert (
        made.state == "waiting" and made.starts is not None and made.starts.isoformat() == "2099-01-01T10:00:00+00:00"
    )
    assert [entry.agrees async for entry in Entry.objects.filter(kind="person")] == [True]


async def test_conditions_are_set_and_hold_for_whom_the_organiser_ticks(host: Host) -> None:
    mira, bot = await known("mira"), await a_bot(open_to="everyone")
    asks = {"checked": "on", "rating_from": "1200", "rating_to": "1800", "clock": "10s"}
    status, page = await says(mira, act="open", entry=TWO, **{**asks, "rating_to": "900"})
    assert status == 422 and "no rating is from 1200 to 900" in page
    assert "open>" in page.partition("Let players enter first")[0].rpartition("<details")[2], (
        "what was pressed is there"
    )
    for typed in ("4001", "-1", "many", "1e3"):
        status, page = await says(mira, act="open", entry=TWO, **{**asks, "rating_from": typed})
        assert status == 422 and "expected a number from 0 to 4000" in page
    status, page = await says(mira, act="open", entry=[*TWO, f"bot:{bot.pk}"], **asks)
    assert status == 422 and "gravity-9 cannot enter" in page and 'value="1200"' in page
    assert not await Tournament.objects.aexists()
    assert (await says(mira, act="open", entry=TWO, **asks))[0] == 302
    made = await Tournament.objects.aget()
    assert made.settings["conditions"] == {"checked": True, "rating_from": 1200, "rating_to": 1800}


async def test_a_refused_form_keeps_everything_that_was_typed(host: Host) -> None:
    """Also what could not be read."""
    mira = await known("mira")
    typed = {"rounds": "abc", "name": "Spring cup", "rating_from": "1200", "rating_to": "high", "seed-me": "7"}
    seeds = {f"seed-{TWO[0]}": "0", f"seed-{TWO[1]}": "2"}
    status, page = await says(mira, act="open", format="swiss", entry=TWO, **typed, **seeds)
    assert status == 422
    for name, value in {**typed, **seeds}.items():
        (field,) = re.findall(rf'<input[^>]* name="{re.escape(name)}"[^>]*>', page)
        assert f'value="{value}"' in field, name
