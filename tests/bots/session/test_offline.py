"""A bot that stays away is told of once, and only by the process that hosts."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from arena.bots.session import offline, tokens
from arena.bots.session.offline import OfflineWatch
from arena.models import Bot, Delivery, Lease, Player, Webhook
from tests.kit.storage import held
from tests.kit.until import until

pytestmark = pytest.mark.django_db(transaction=True)


class AConnection:
    """What shows a token."""

    def send_away(self, code: str, sentence: str) -> None: ...


@pytest.fixture
async def watch() -> AsyncIterator[OfflineWatch]:
    made = OfflineWatch(await sync_to_async(held)())
    yield made
    await made.close()


@pytest.fixture
async def bot() -> Bot:
    owner = await User.objects.acreate(username="mira")
    await Webhook.objects.acreate(user=owner, url="https://example.org/", events="bot.offline")
    player = await Player.objects.acreate(kind="bot", name="gravity-9", slug="gravity-9")
    fields = {"variant": "connect-four-7x6", "protocol": "droidcon", "family": "gravity-9"}
    return await Bot.objects.acreate(player=player, owner=owner, **fields)


async def told(watch: OfflineWatch) -> list[tuple[str, str]]:
    """What was stored when the watch has done what it had to."""
    await until(lambda: not (watch._away or watch._telling))
    return [row async for row in Delivery.objects.values_list("kind", "subject")]


async def test_a_bot_that_does_not_come_back_is_told_of_once(
    watch: OfflineWatch, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "AWAY_S", 0.01)
    one, two = AConnection(), AConnection()
    tokens.came(bot.pk, one)
    tokens.came(bot.pk, two)
    tokens.went(bot.pk, one)
    assert await told(watch) == [], "it has another connection"
    tokens.went(bot.pk, two)
    tokens.went(bot.pk, two)
    assert await told(watch) == [("bot.offline", str(bot.pk))]


async def test_a_bot_that_comes_back_in_time_was_never_away(watch: OfflineWatch, bot: Bot) -> None:
    one, two = AConnection(), AConnection()
    tokens.came(bot.pk, one)
    tokens.went(bot.pk, one)
    assert watch._away
    tokens.came(bot.pk, two)
    assert await told(watch) == []
    tokens.went(bot.pk, two)
    await watch.close()
    assert await told(watch) == [], "a server that stops blames no bot"


async def test_a_bot_that_was_disabled_is_not_offline(
    watch: OfflineWatch, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "AWAY_S", 0.01)
    await Bot.objects.aupdate(enabled=False)
    one = AConnection()
    tokens.came(bot.pk, one)
    tokens.went(bot.pk, one)
    assert await told(watch) == []


async def test_who_lost_the_lease_tells_nothing(
    watch: OfflineWatch, bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(offline, "AWAY_S", 0.01)
    await Lease.objects.aupdate(epoch=99)
    one = AConnection()
    tokens.came(bot.pk, one)
    tokens.went(bot.pk, one)
    assert await told(watch) == [] and "nobody could be told" in caplog.text
