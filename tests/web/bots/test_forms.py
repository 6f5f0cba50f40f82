"""Registering a bot, changing it, and its next version."""

from __future__ import annotations

import re

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from arena.bots.session import tokens
from arena.host import Host
from arena.models import Audit, Bot, Player
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec
from arena.web.bots.forms import BotForm, _change
from tests.kit.browsing import Person, flowing, says, text
from tests.kit.history import VARIANT, a_bot
from tests.kit.tournaments import a_begun, a_spec, builtins
from tests.web.people.test_accounts import account

FORM = {"name": "gravity-9", "variant": VARIANT, "protocol": "droidcon", "wire": "after"}
TOKEN = re.compile(r"arn_[a-z2-7]{26}")


async def superuser() -> Person:
    person = Person()
    await person.client.aforce_login(await User.objects.acreate_superuser("root"))
    return person


# -- new ---------------------------------------------------------------------------------------------------------------


async def test_a_bot_is_registered_and_its_token_shown_once(host: Host) -> None:
    mira = await account("Mira K")
    answer = await mira.post("/bots/new/", **FORM)
    token = TOKEN.search(text(answer))
    assert answer.status_code == 200 and token is not None and answer["Cache-Control"] == "private, no-store"
    bot = await Bot.objects.select_related("player", "owner").aget()
    assert (bot.player.kind, bot.player.name, bot.family, bot.version) == ("bot", "gravity-9", "gravity-9", "1")
    assert bot.owner is not None
    assert (bot.owner.username, bot.wire, bot.command) == ("mira-k", "after", None)
    assert bot.token_sha256 == tokens.sha256_of(token[0])
    assert (await tokens.find(token[0])).player == bot.pk
    assert not TOKEN.search(text(await mira.get("/bots/gravity-9/")))


async def test_what_is_wrong_with_a_name_is_said_in_the_language_of_its_owner(host: Host) -> None:
    mira = await account("Mira K")
    await mira.post("/settings/one/", language="de")
    page = text(await mira.post("/bots/new/", **{**FORM, "name": "a <b>"}))
    assert "Der Name eines Bots besteht nur aus a bis z" in page


async def test_who_has_no_account_is_asked_to_log_in(host: Host) -> None:
    for answer in (await Person().get("/bots/new/"), await Person().post("/bots/new/", **FORM)):
        assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/bots/new/")
    assert not await Bot.objects.aexists()


REFUSED = [
    ({"name": "<b>x</b>"}, "not < (U+003C)"),
    ({"name": "grävity"}, "not ä"),
    ({"name": "x" * 300}, "300 characters. Expected 1 to 32"),
    ({"name": "gravity\u202e"}, "not U+202E"),
    ({"name": "new"}, "address of a page"),
    ({"name": ""}, "Name is missing."),
    ({"name": "Mira-K"}, "That name is taken."),
    ({"name": "OTTER-NET"}, "That name is taken."),
    ({"variant": "chess"}, "chess is not one of the available choices"),
    ({"variant": "connect-four-8x8"}, "does not play this game, but Connect Four 7x6"),
    ({"protocol": "telnet"}, "telnet is not one of the available choices"),
    ({"wire": "everyone"}, "not one of the available choices"),
]


async def test_what_cannot_be_registered_is_said_beside_the_field(host: Host) -> None:
    mira = await account("Mira K")
    await a_bot("otter-net")
    for fields, words in REFUSED:
        status, page = await says(mira, "/bots/new/", **{**FORM, **fields})
        assert status == 422 and words in page and await Bot.objects.acount() == 1, fields


async def test_only_the_asked_fields_are_taken(host: Host) -> None:
    mira = await account("Mira K")
    more = {"command": "/bin/sh", "owner": "1", "token_sha256": "0" * 64, "port": "4999", "family": "x", "version": "9"}
    await mira.post("/bots/new/", **FORM, **more)
    bot = await Bot.objects.aget()
    assert (bot.command, bot.port, bot.family, bot.version) == (None, None, "gravity-9", "1")
    assert "Command" not in text(await mira.get("/bots/new/"))


async def test_a_superuser_may_say_a_command_as_a_list_of_words(host: Host) -> None:
    root = await superuser()
    status, page = await says(root, "/bots/new/", **FORM, command="python3 'my bot.py' --fast")
    assert status == 200 and "needs no token" in page and "SEAT" not in page, "its program need not be changed"
    assert (await Bot.objects.aget()).command == ["python3", "my bot.py", "--fast"]
    status, page = await says(root, "/bots/new/", **{**FORM, "name": "other"}, command="python3 'my bot.py")
    assert status == 422 and "cannot be split into words" in page


async def test_an_account_has_a_most_of_bots(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.bots.forms.MOST_BOTS", 1)
    mira = await account("Mira K")
    await mira.post("/bots/new/", **FORM)
    status, page = await says(mira, "/bots/new/", **{**FORM, "name": "otter-net"})
    assert status == 422 and "the maximum for one account" in page and await Bot.objects.acount() == 1
    assert await Player.objects.filter(kind="bot").acount() == 1


# -- change ------------------------------------------------------------------------------------------------------------


async def test_the_owner_changes_who_reads_the_wire_and_nothing_else(host: Host) -> None:
    mira = await account("Mira K")
    await a_bot(owner=await User.objects.aget(), command=["python3", "bot.py"])
    more = {"command": "/bin/sh", "name": "other", "protocol": "fiar", "variant": "santorini-5x5"}
    assert (await mira.post("/bots/gravity-9/edit/", wire="public", **more)).status_code == 302
    bot = await Bot.objects.select_related("player").aget()
    assert (bot.wire, bot.command, bot.protocol) == ("public", ["python3", "bot.py"], "droidcon")
    assert bot.player.name == "gravity-9"


async def test_what_a_superuser_changes_meanwhile_stays(host: Host) -> None:
    await account("Mira K")
    owner = await User.objects.aget()
    bot = await a_bot(owner=owner, command=["python3", "bot.py"])
    form = BotForm(owner, {"wire": "public"}, bot=bot, only=("wire", "open_to", "command"))
    assert await sync_to_async(form.is_valid)()
    await Bot.objects.aupdate(command=["python3", "new.py"])
    await sync_to_async(_change)(form, bot, owner)
    assert await Bot.objects.values_list("wire", "command").aget() == ("public", ["python3", "new.py"])
    assert not await Audit.objects.aexists()


async def test_a_superuser_changes_the_command_and_that_is_noted(host: Host) -> None:
    root = await superuser()
    await a_bot(command=["python3", "bot.py"])
    assert "python3 bot.py" in text(await root.get("/bots/gravity-9/edit/"))
    await root.post("/bots/gravity-9/edit/", wire="owner", command="python3 new.py")
    assert (await Bot.objects.aget()).command == ["python3", "new.py"]
    audit = await Audit.objects.aget(act="command of a bot")
    assert audit.data == {"before": ["python3", "bot.py"], "after": ["python3", "new.py"]}


# -- versions ----------------------------------------------------------------------------------------------------------


async def test_a_new_version_is_a_player_of_its_own(host: Host) -> None:
    mira = await account("Mira K")
    old = await a_bot(owner=await User.objects.aget())
    answer = await mira.post("/bots/gravity-9/version/", protocol="droidcon", wire="public", retire="on")
    assert answer.status_code == 200 and TOKEN.search(text(answer))
    new = await Bot.objects.select_related("player").exclude(pk=old.pk).aget()
    assert (new.player.name, new.player.slug, new.family, new.version) == (
        "gravity-9 v2",
        "gravity-9-v2",
        "gravity-9",
        "2",
    )
    await old.arefresh_from_db()
    assert (old.enabled, old.why_disabled) == (False, "retired: gravity-9 v2 has taken its place")


async def test_who_takes_part_in_an_event_is_not_retired_for_a_new_version_unless_asked(host: Host) -> None:
    """Its matches would be lost: the new version is another player."""
    mira = await account("Mira K")
    bot = await a_bot(owner=await User.objects.aget())
    ticked = re.compile(r'name="retire"[^>]* checked')
    words = "gravity-9 takes part in Spring cup, and no other version plays there in its place."
    lost = "Its matches in events wait meanwhile, and are lost by forfeit in the end."
    for is_in in (False, True):
        if is_in:
            entries = (EntrySpec("gravity-9", "bot", "", "fiar", player=bot.pk), *builtins(1))
            await sync_to_async(actions.pause)(await a_begun(a_spec(entries=entries, clock="30s")))
        page = flowing(await mira.get("/bots/gravity-9/version/"))
        assert (bool(ticked.search(page)), words in page) == (not is_in, is_in)
        assert (lost in flowing(await mira.get("/bots/gravity-9/"))) is is_in


async def test_versions_are_counted_on_from_the_highest(host: Host) -> None:
    mira = await account("Mira K")
    owner = await User.objects.aget()
    await a_bot(owner=owner)
    await a_bot("gravity-9 v7", family="gravity-9", version="7", owner=owner)
    await mira.post("/bots/gravity-9/version/", protocol="droidcon", wire="public")
    assert await Bot.objects.filter(version="8", player__name="gravity-9 v8", enabled=True).aexists()
    assert (await Bot.objects.aget(version="1")).enabled


async def test_a_version_whose_name_is_taken_or_too_long_is_refused(host: Host) -> None:
    mira = await account("Mira K")
    owner = await User.objects.aget()
    await a_bot(owner=owner)
    await a_bot("gravity-9 v2")
    status, page = await says(mira, "/bots/gravity-9/version/", protocol="droidcon", wire="public")
    assert status == 422 and "The name gravity-9 v2 is taken." in page
    await a_bot("x" * 32, owner=owner)
    status, page = await says(mira, f"/bots/{'x' * 32}/version/", protocol="droidcon", wire="public")
    assert status == 422 and "35 characters, and 32 is the most that fits" in page


# -- who may -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["edit", "version"])
async def test_the_forms_are_there_for_the_owner_and_superusers_only(host: Host, tool: str) -> None:
    mira = await account("Mira K")
    await a_bot(owner=await User.objects.aget(username="mira-k"))
    other, helper, root = await account("Bob"), Person(), await superuser()
    await helper.client.aforce_login(await User.objects.acreate_user("helper", is_staff=True))
    path = f"/bots/gravity-9/{tool}/"
    for person in (Person(), other, helper):
        assert (await person.get(path)).status_code == 404
        assert (await person.post(path, wire="public", protocol="droidcon")).status_code == 404
    for person in (mira, root):
        assert (await person.get(path)).status_code == 200
    assert (await Bot.objects.aget()).wire == "owner"
