"""The page on which an owner has the server check a bot."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model

from arena.bots.conformance import passes
from arena.bots.failure.diagnosis import card
from arena.bots.seats.checking import Checks
from arena.host import Host
from arena.models import Audit, Bot, Player
from arena.protocols.hints import Evidence
from tests.kit.browsing import Person, far_away, flowing
from tests.kit.history import a_bot
from tests.kit.ports import free_port
from tests.kit.until import until
from tests.web.people.test_accounts import account

pytestmark = pytest.mark.django_db(transaction=True)
User: Any = get_user_model()
PAGE = "/bots/gravity-9/check/"


def result(step: str, failed: str = "") -> str:
    said = card(failed, Evidence("fiar", "normal", "")).to_data() if failed else None
    return json.dumps({"step": step, "ok": not failed, "note": "answers 1", "seconds": 1, "card": said, "wire": []})


def stand_in(host: Host, code: str) -> Checks:
    """Checks that run this instead of the command; the pages know only what it prints."""
    host.seat_ports.pool._numbers = [free_port()]
    host.seat_ports.pool.host = "127.0.0.1"
    host.seat_ports.checks = Checks(host.seat_ports.pool, (sys.executable, "-c", code))
    return host.seat_ports.checks


async def an_owner() -> tuple[Person, Bot]:
    mira = await account("Mira K")
    return mira, await a_bot(owner=await User.objects.aget(), token_sha256="a" * 64)


async def test_only_its_owner_has_it_checked(host: Host) -> None:
    await an_owner()
    for visitor in (Person(), await account("Bob")):
        assert (await visitor.get(PAGE)).status_code == (await visitor.post(PAGE)).status_code == 404
    assert not await Audit.objects.filter(act="bot check begun").aexists()


async def test_the_owner_begins_it_and_reads_that_the_bot_has_passed(host: Host) -> None:
    mira, bot = await an_owner()
    checks = stand_in(host, f"print({result('first_answer')!r})")
    assert "Begin the check" in flowing(await mira.get(PAGE))
    assert (await mira.post(PAGE)).headers["Location"] == PAGE
    begun = checks.of(bot.pk)
    assert begun is not None and (await Audit.objects.alatest("pk")).act == "bot check begun"
    await until(lambda: begun.over)
    page = flowing(await mira.get(PAGE))
    assert "The check ended at " in page and "Check it again" in page
    assert "answers the first question with a legal move (answers 1)" in page


async def test_that_it_has_passed_is_said_while_it_is_as_it_was(host: Host) -> None:
    """The page of the bot says the same."""
    mira, bot = await an_owner()
    checks = stand_in(host, f"print({result('first_answer')!r})")
    await mira.post(PAGE)
    begun = checks.of(bot.pk)
    assert begun is not None
    await until(lambda: begun.over)
    assert await sync_to_async(passes.store)(bot, passes.seen_of(bot), 1, "check_bot")
    assert "It has passed all steps, and that is stored." in flowing(await mira.get(PAGE))
    await Bot.objects.aupdate(token_sha256="b" * 64)
    page = flowing(await mira.get(PAGE))
    assert "and that is stored" not in page
    assert "It passed all steps, but has changed since, and that does not count any more." in page
    host.seat_ports.checks = Checks(host.seat_ports.pool)
    await Bot.objects.aupdate(token_sha256="a" * 64)
    assert "As it is now, it passed the check of its protocol on 20" in flowing(await mira.get(PAGE))


async def test_a_running_check_says_how_to_come(host: Host) -> None:
    mira, bot = await an_owner()
    checks = stand_in(host, f"import time; print({result('first_answer')!r}, flush=True); time.sleep(600)")
    await mira.post(PAGE)
    begun = checks.of(bot.pk)
    assert begun is not None
    await until(lambda: begun.steps)
    page = flowing(await mira.get(PAGE))
    assert f"</span> {begun.port}" in page and "The check is running, step 2 of " in page
    assert (await mira.post(PAGE)).headers["Location"] == PAGE, "it is that check"
    assert await Audit.objects.filter(act="bot check begun").acount() == 1
    await checks.close()


async def test_whoever_waits_reads_when_it_begins(host: Host) -> None:
    mira, _ = await an_owner()
    checks = stand_in(host, "import time; time.sleep(600)")
    checks.begin(Bot(player=Player(pk=0, name="ada", slug="ada"), token_sha256="b" * 64), 0)
    await mira.post(PAGE)
    page = flowing(await mira.get(PAGE))
    assert "It waits for its turn: 1 bot is before it." in page and "It begins within 5 minutes." in page
    assert "Begin the check" not in page
    await checks.close()


async def test_a_step_that_failed_is_shown_with_its_card(host: Host) -> None:
    mira, bot = await an_owner()
    checks = stand_in(host, f"print({result('first_answer', 'answered_twice')!r}); raise SystemExit(1)")
    await mira.post(PAGE)
    begun = checks.of(bot.pk)
    assert begun is not None
    await until(lambda: begun.over)
    page = flowing(await mira.get(PAGE))
    assert "More than one answer" in page and "It has passed 0 of" in page and "Nothing was stored." in page


async def test_one_that_does_not_play_is_not_checked(host: Host) -> None:
    mira, _ = await an_owner()
    await Bot.objects.aupdate(enabled=False)
    answer = await mira.post(PAGE)
    assert answer.status_code == 409 and "gravity-9 does not play at present." in flowing(answer)


async def test_nobody_has_so_many_checked_that_no_turn_is_left_for_others(host: Host) -> None:
    mira, stranger = (await an_owner())[0], far_away()
    stranger.client.cookies = mira.client.cookies
    checks = stand_in(host, "pass")
    for _ in range(6):
        assert (await stranger.post(PAGE)).status_code == 302
        await until(lambda: not checks._tasks)
    assert (await stranger.post(PAGE)).status_code == 429
