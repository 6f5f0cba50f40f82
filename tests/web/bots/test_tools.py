"""What an owner does with a bot: tokens, ports, retiring it and bringing it back."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Audit, Bot
from tests.kit.browsing import Person, text
from tests.kit.history import a_bot
from tests.kit.registered import own_ports
from tests.web.markup import words
from tests.web.people.test_accounts import account

TOOLS = ("token", "revoke", "port", "retire", "enable")


async def mine(**fields: Any) -> tuple[Person, Bot]:
    mira = await account("Mira K")
    return mira, await a_bot(owner=await User.objects.aget(), **fields)


async def test_a_new_token_ends_the_old_one(host: Host) -> None:
    mira, bot = await mine()
    old = await tokens.rotate(bot)
    answer = await mira.post("/bots/gravity-9/token/")
    new = re.search(r"arn_[a-z2-7]{26}", text(answer))
    assert answer.status_code == 200 and new is not None and answer["Cache-Control"] == "private, no-store"
    assert (await tokens.find(new[0])).player == bot.pk
    with pytest.raises(Refusal):
        await tokens.find(old)
    assert new[0] not in str([(audit.act, audit.data) async for audit in Audit.objects.all()])


async def test_a_revoked_token_proves_nothing(host: Host) -> None:
    mira, bot = await mine()
    token = await tokens.rotate(bot)
    assert (await mira.post("/bots/gravity-9/revoke/")).status_code == 302
    with pytest.raises(Refusal):
        await tokens.find(token)


async def test_a_port_of_its_own_is_given_and_taken_back(host: Host) -> None:
    mira, bot = await mine()
    [port] = own_ports(1)
    assert f"Port from {settings.ARENA_BOT_PORTS[0]} to {settings.ARENA_BOT_PORTS[-1]}, empty for none" in text(
        await mira.get("/bots/gravity-9/")
    )
    assert (await mira.post("/bots/gravity-9/port/", port=str(port))).status_code == 302
    assert (await Bot.objects.aget()).port == port
    await mira.post("/bots/gravity-9/port/", port="")
    assert (await Bot.objects.aget()).port is None


async def test_a_port_that_is_none_is_refused(host: Host) -> None:
    mira, _ = await mine()
    for port in ("80", "14555", "99999", "x", "-1", "\u0661", "9" * 50):
        answer = await mira.post("/bots/gravity-9/port/", port=port)
        assert answer.status_code in (409, 422) and "expected a number" in text(answer), port
        assert (await Bot.objects.aget()).port is None, port


async def test_an_owner_has_three_ports(host: Host) -> None:
    mira, bot = await mine()
    port, *others = own_ports(4)
    for number, other in enumerate(others):
        await a_bot(f"Sparrow {number}", owner=await User.objects.aget(), port=other)
    answer = await mira.post("/bots/gravity-9/port/", port=str(port))
    assert answer.status_code == 409 and f"You have 3 ports already: Sparrow 0 on {others[0]}, Sparrow 1" in text(
        answer
    )
    await mira.post("/bots/sparrow-1/port/", port="")
    assert (await mira.post("/bots/gravity-9/port/", port=str(port))).status_code == 302
    await bot.arefresh_from_db()
    assert bot.port == port


async def test_the_owner_retires_a_bot_and_brings_it_back(host: Host) -> None:
    mira, bot = await mine()
    await mira.post("/bots/gravity-9/retire/")
    await bot.arefresh_from_db()
    assert (bot.enabled, bot.why_disabled) == (False, "retired by its owner")
    page = words(text(await mira.get("/bots/gravity-9/")))
    assert "Bring it back" in page and "Only staff" not in page
    await mira.post("/bots/gravity-9/enable/")
    await bot.arefresh_from_db()
    assert (bot.enabled, bot.why_disabled) == (True, "")
    assert [audit.act async for audit in Audit.objects.order_by("pk")] == ["bot retired", "bot enabled"]


async def test_what_staff_disabled_and_quarantine_are_not_the_owner_s_to_end(host: Host) -> None:
    mira, _ = await mine(enabled=False, why_disabled="it attacked the sandbox")
    page = words(text(await mira.get("/bots/gravity-9/")))
    assert "Only staff can enable it again." in page and "Bring it back" not in page
    answer = await mira.post("/bots/gravity-9/enable/")
    assert answer.status_code == 403 and "disabled by staff: it attacked the sandbox" in text(answer)
    await Bot.objects.aupdate(why_disabled="quarantine: 10 failures in a row", quarantined=timezone.now())
    answer = await mira.post("/bots/gravity-9/enable/")
    assert answer.status_code == 409 and "when check_bot passes" in text(answer)
    page = words(text(await mira.get("/bots/gravity-9/")))
    assert "Staff can enable it again, or" in page and "Bring it back" not in page
    assert not (await Bot.objects.aget()).enabled


async def test_nobody_else_may(host: Host) -> None:
    await mine()
    other, helper, guest = await account("Bob"), Person(), Person()
    await helper.client.aforce_login(await User.objects.acreate_user("helper", is_staff=True))
    await guest.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    before = await Bot.objects.values().aget()
    for tool, person in product(TOOLS, (Person(), guest, other, helper)):
        assert (await person.post(f"/bots/gravity-9/{tool}/", port="14556")).status_code == 404, tool
        assert (await person.get(f"/bots/gravity-9/{tool}/")).status_code == 405, tool
    assert await Bot.objects.values().aget() == before


async def test_a_form_of_another_site_does_nothing(host: Host) -> None:
    await mine()
    person = Person(enforce_csrf_checks=True)
    await person.client.aforce_login(await User.objects.aget())
    for tool in TOOLS:
        assert (await person.post(f"/bots/gravity-9/{tool}/")).status_code == 403, tool
