"""A bot that fails ten times in a row plays no more, until it has been checked."""

from __future__ import annotations

import asyncio

import pytest
from django.contrib.auth.models import User

from arena.bots.failure import quarantine
from arena.bots.failure.quarantine import IN_A_ROW
from arena.host import Host
from arena.match.commands import Command, Fault, Resign
from arena.match.endings import Termination
from arena.match.state import SeatSetup, Setup
from arena.models import Audit, Bot, Delivery, Player, Webhook


async def a_bot() -> Bot:
    player = await Player.objects.acreate(kind="bot", name="gravity-9", slug="gravity-9")
    fields = {"variant": "connect-four-7x6", "protocol": "droidcon", "family": "gravity-9"}
    return await Bot.objects.acreate(player=player, **fields)


async def play(host: Host, bot: Bot, *endings: Command, verified: bool = True) -> None:
    """Matches on seat 1, each ended so."""
    it = SeatSetup("gravity-9", "bot", bot.pk, "droidcon", verified=verified)
    for ending in endings:
        live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), it)))
        await host.referee.start(live)
        await host.referee.act(live, ending)


async def state_of(bot: Bot) -> tuple[bool, bool, str]:
    await asyncio.sleep(0)  # what follows from an end is called by the loop
    await quarantine.settled()
    bot = await Bot.objects.aget(pk=bot.pk)
    return bot.enabled, bot.quarantined is not None, bot.why_disabled


CRASH = Fault(1, Termination.CRASH, "stopped with exit code 1")
FREE = (True, False, "")
SHUT = (False, True, "quarantine: 10 failures in a row")


async def test_ten_failures_in_a_row_are_enough(host: Host) -> None:
    bot = await a_bot()
    await play(host, bot, *[CRASH] * (IN_A_ROW - 1))
    assert await state_of(bot) == FREE
    await play(host, bot, Fault(1, Termination.ILLEGAL_MOVE, "column 4 is full"))
    assert await state_of(bot) == SHUT
    audit = await Audit.objects.aget()
    assert (audit.actor, audit.act, audit.subject) == ("arena", "quarantine", "gravity-9")


@pytest.mark.parametrize("between", [Resign(1), Resign(0), Fault(0, Termination.LEFT, "left")])
async def test_any_other_ending_is_the_end_of_the_row(host: Host, between: Command) -> None:
    bot = await a_bot()
    await play(host, bot, *[CRASH] * (IN_A_ROW - 1), between, CRASH)
    assert await state_of(bot) == FREE


async def test_who_only_says_that_it_is_this_bot_does_it_no_harm(host: Host) -> None:
    bot = await a_bot()
    await play(host, bot, *[CRASH] * IN_A_ROW, verified=False)
    assert await state_of(bot) == FREE


async def test_what_was_failed_before_the_check_is_forgiven(host: Host) -> None:
    bot = await a_bot()
    await play(host, bot, *[CRASH] * IN_A_ROW)
    assert await state_of(bot) == SHUT
    await quarantine.reenter(await Bot.objects.select_related("player").aget(pk=bot.pk), "root")
    await play(host, bot, CRASH)
    assert await state_of(bot) == FREE
    await play(host, bot, *[CRASH] * (IN_A_ROW - 1))
    assert await state_of(bot) == SHUT


async def test_a_bot_that_is_retired_stays_retired(host: Host) -> None:
    bot = await a_bot()
    await Bot.objects.filter(pk=bot.pk).aupdate(enabled=False, why_disabled="retired by its owner")
    await play(host, bot, *[CRASH] * IN_A_ROW)
    assert await state_of(bot) == (False, False, "retired by its owner")


async def test_its_owner_is_told_with_the_quarantine(host: Host) -> None:
    bot, owner = await a_bot(), await User.objects.acreate(username="mira")
    await Bot.objects.filter(pk=bot.pk).aupdate(owner=owner)
    await Webhook.objects.acreate(user=owner, url="https://example.org/", events="bot.quarantined")
    await play(host, bot, *[CRASH] * (IN_A_ROW + 1))
    assert await state_of(bot) == SHUT
    assert [row async for row in Delivery.objects.values_list("kind", "subject")] == [("bot.quarantined", str(bot.pk))]
