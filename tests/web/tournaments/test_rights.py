"""Who runs a tournament and whose entries are whose."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User
from django.test import AsyncRequestFactory

from arena.host import Host
from arena.models import Audit, Entry, Tournament
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec
from arena.web.guests import Visitor
from arena.web.tournaments.rights import Rights, rights_of
from tests.kit.browsing import Person, flowing, text
from tests.kit.history import a_bot, person
from tests.kit.tournaments import a_sheet, a_spec
from tests.web.test_who_may import known


async def asked(user: User | None) -> Rights:
    request = AsyncRequestFactory().get("/t/spring-cup/")
    vars(request)["visitor"] = Visitor(account=user.pk if user else None)

    async def auser() -> User | None:
        return user

    vars(request)["auser"] = auser
    return await rights_of(request, await a_sheet("spring-cup"))


async def test_organisers_and_staff_who_may_change_tournaments_run_it(transactional_db: None) -> None:
    mira, noa, helper = [await User.objects.acreate_user(name) for name in ("mira", "noa", "helper")]
    helper.is_staff = True
    await helper.asave()
    root = await User.objects.acreate_superuser("root")
    await sync_to_async(actions.create)(a_spec(2), mira)
    assert [(await asked(user)).organises for user in (None, mira, noa, helper, root)] == [
        *(False, True, False, False, True)
    ]
    await helper.user_permissions.aadd(await Permission.objects.aget(codename="change_tournament"))
    assert (await asked(await User.objects.aget(pk=helper.pk))).organises


async def test_ones_own_entries_are_oneself_and_ones_bots(transactional_db: None) -> None:
    mira, noa = [await User.objects.acreate_user(name) for name in ("mira", "noa")]
    bot, player = await a_bot(owner=mira), await person("Mira", user=mira)
    entries = (
        EntrySpec("gravity-9", "bot", player=bot.pk, protocol="droidcon"),
        EntrySpec("Mira", "person", player=player.pk, agrees=True),
    )
    await sync_to_async(actions.create)(a_spec(2, entries=entries))
    assert len((await asked(mira)).entries) == 2 and not (await asked(noa)).entries


# -- whose bot plays where ---------------------------------------------------------------------------------------------


async def helping(name: str) -> Person:
    """Staff who may change tournaments."""
    person = await known(name, is_staff=True)
    user = await User.objects.aget(username=name)
    await user.user_permissions.aadd(await Permission.objects.aget(codename="change_tournament"))
    return person


# By whom the bot is open to, and who runs the event: whether they may enter it.
CALLED = {
    "nobody": {"noa": False, "helper": False, "root": False, "mira": True},
    "staff": {"noa": False, "helper": True, "root": True, "mira": True},
    "everyone": {"noa": True, "helper": True, "root": True, "mira": True},
}


@pytest.mark.parametrize("open_to", CALLED)
async def test_a_bot_plays_where_its_owner_lets_it(host: Host, open_to: str) -> None:
    people = {"mira": await known("mira"), "noa": await known("noa"), "helper": await helping("helper")}
    people["root"] = await known("root", is_staff=True, is_superuser=True)
    bot = await a_bot(owner=await User.objects.aget(username="mira"), open_to=open_to)
    for name, may in CALLED[open_to].items():
        runs, who = people[name], f"bot:{bot.pk}"
        user = await User.objects.aget(username=name)
        await sync_to_async(actions.create)(a_spec(2, name=f"cup {name}"), user, None, "waiting")
        assert ("gravity-9" in text(await runs.get(f"/t/cup-{name}/enter/"))) == may, name
        assert (await runs.post(f"/t/cup-{name}/enter/", who=who)).status_code == (302 if may else 422), name
        assert ("gravity-9" in text(await runs.get("/t/new/?variant=connect-four-7x6"))) == may, name
        new = {"variant": "connect-four-7x6", "name": f"new {name}", "act": "open", "entry": ["builtin:club", who]}
        assert (await runs.post("/t/new/", **new)).status_code == (302 if may else 422), name
        called = {entry.called_by async for entry in Entry.objects.filter(player=bot.pk, called_by=name)}
        assert called == ({name} if may else set()), name


async def test_its_owner_sees_who_called_it_leaves_and_is_not_brought_back(host: Host) -> None:
    mira, noa = await known("mira"), await known("noa")
    owner = await User.objects.aget(username="mira")
    bot = await a_bot(owner=owner, open_to="everyone")
    cup = await sync_to_async(actions.create)(a_spec(2), await User.objects.aget(username="noa"), None, "waiting")
    await noa.post("/t/spring-cup/enter/", who=f"bot:{bot.pk}")
    await sync_to_async(actions.start)(cup)
    page = flowing(await mira.get("/bots/gravity-9/"))
    assert "entered by noa" in page and "/t/spring-cup/withdraw/" in page
    assert "entered by noa" not in flowing(await noa.get("/bots/gravity-9/"))
    await mira.post("/bots/gravity-9/edit/", wire="owner", open_to="nobody")
    entry = await Entry.objects.aget(player=bot.pk)
    left = await mira.post("/t/spring-cup/withdraw/", entry=str(entry.pk))
    assert left.status_code == 302 and "entered by noa" not in flowing(await mira.get("/bots/gravity-9/"))
    back = await noa.post("/t/spring-cup/withdraw/", entry=str(entry.pk), act="undo")
    assert back.status_code == 403 and "its owner can enter it" in flowing(back)
    await entry.arefresh_from_db()
    assert entry.withdrawn is not None


async def test_an_event_offers_guests_and_players_what_its_state_allows_and_nothing_hidden(host: Host) -> None:
    mira = await known("mira")
    bot = await a_bot(owner=await User.objects.aget(username="mira"))
    cup = await sync_to_async(actions.create)(a_spec(2), None, None, "waiting")
    await mira.post("/t/spring-cup/enter/", who=f"bot:{bot.pk}")

    async def offered(person: Person) -> list[bool]:
        page = flowing(await person.get("/t/spring-cup/"))
        return [words in page for words in ("/t/spring-cup/enter/", "/t/spring-cup/withdraw/", "Your bots here")]

    assert [await offered(person) for person in (Person(), mira)] == [[True, False, False], [True, True, True]]
    await sync_to_async(actions.start)(cup)
    assert [await offered(person) for person in (Person(), mira)] == [[False] * 3, [False, True, True]]
    await Tournament.objects.filter(pk=cup.pk).aupdate(state=Tournament.State.FINISHED)
    assert [await offered(person) for person in (Person(), mira)] == [[False] * 3] * 2


async def test_events_change_ratings_when_staff_let_them(host: Host) -> None:
    noa, helper = await known("noa"), await helping("helper")
    said = {"variant": "connect-four-7x6", "act": "draft", "entry": ["builtin:club", "builtin:expert"], "rated": "on"}
    for runs, name, rated in ((noa, "friendly", False), (helper, "counted", True)):
        assert (await runs.post("/t/new/", name=name, **said)).status_code == 302
        assert (await Tournament.objects.aget(slug=name)).settings["rated"] is rated
    assert "friendly until staff let them count" in text(await noa.get("/t/friendly/"))
    refused = await noa.post("/t/friendly/do/rate/")
    assert refused.status_code == 403 and "Only staff let an event change ratings" in text(refused)
    assert "Let them count" in text(await helper.get("/t/friendly/"))
    assert (await helper.post("/t/friendly/do/rate/")).status_code == 302
    settings = (await Tournament.objects.aget(slug="friendly")).settings
    assert settings["rated"] is True and "until staff" not in text(await noa.get("/t/friendly/"))
    assert (await helper.post("/t/counted/do/rate/")).status_code == 409
    assert await Audit.objects.filter(actor="helper", act="tournament allow rating").aexists()
