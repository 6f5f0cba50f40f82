from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import connection

from arena.bots.session import tokens
from arena.bots.session.tokens import Identity
from arena.match.commands import Refusal
from arena.models import Bot, Place, Player, Room
from tests.kit.deadline import DEADLINE_S
from tests.kit.registered import register
from tests.kit.storage import locked
from tests.kit.until import until

pytestmark = pytest.mark.django_db(transaction=True)


class Connected:
    """A connection that was opened with a token."""

    def __init__(self) -> None:
        self.sent_away: list[str] = []

    def send_away(self, code: str, sentence: str) -> None:
        self.sent_away.append(code)


async def refused(token: str) -> str:
    with pytest.raises(Refusal) as why:
        await tokens.find(token)
    return why.value.code


def test_a_token_is_long_and_never_the_same() -> None:
    made = {tokens.new_token() for _ in range(100)}
    assert len(made) == 100 and all(tokens.TOKEN.fullmatch(token) for token in made)


async def test_a_bot_is_found_by_its_token_of_which_only_the_hash_is_kept() -> None:
    bot, token = await register("gravity-9", "fiar")
    assert await tokens.find(token) == Identity(bot.pk, "gravity-9", "fiar", None, tokens.sha256_of(token))
    stored = await Bot.objects.aget(pk=bot.pk)
    assert stored.token_sha256 == tokens.sha256_of(token) and token not in str(vars(stored))


async def test_a_new_token_ends_the_old_one_and_what_was_connected_with_it() -> None:
    bot, old = await register("gravity-9", "fiar")
    one, other = Connected(), Connected()
    tokens.came(bot.pk, one)
    tokens.came(bot.pk + 1, other)
    new = await tokens.rotate(bot)
    assert await refused(old) == "unknown_token" and isinstance(await tokens.find(new), Identity)
    assert (one.sent_away, other.sent_away) == (["token_replaced"], [])
    tokens.went(bot.pk, one)
    tokens.went(bot.pk + 1, other)
    assert tokens.connections_of(bot.pk) == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
async def test_who_has_left_the_page_has_revoked_the_token_all_the_same() -> None:
    bot, token = await register("gravity-9", "fiar")
    one = Connected()
    tokens.came(bot.pk, one)
    with locked():
        revoking = asyncio.ensure_future(tokens.revoke(bot))
        await asyncio.sleep(0.1)  # it waits for the database, which nobody tells
        revoking.cancel()
        await asyncio.wait([revoking])
        assert revoking.cancelled() and one.sent_away == []
    await until(lambda: one.sent_away)
    tokens.went(bot.pk, one)
    assert (await refused(token), one.sent_away) == ("unknown_token", ["token_revoked"])


async def test_a_token_that_is_looked_up_as_it_is_replaced_is_nobodys() -> None:
    bot, old = await register("gravity-9", "fiar")
    read, go_on = threading.Event(), threading.Event()

    def slowly(execute: Callable[..., Any], *query: Any) -> Any:
        found = execute(*query)
        read.set()
        assert go_on.wait(DEADLINE_S)
        return found

    async def looked_up() -> str:
        async with ThreadSensitiveContext():  # as in a request, whose thread nobody else waits for
            await sync_to_async(lambda: connection.execute_wrappers.append(slowly))()
            try:
                return await refused(old)
            finally:
                await sync_to_async(lambda: connection.close())()

    looking_up = asyncio.ensure_future(looked_up())
    assert await asyncio.to_thread(read.wait, DEADLINE_S)
    await tokens.rotate(bot)
    go_on.set()
    assert await looking_up == "unknown_token"


async def test_a_revoked_token_is_nobodys() -> None:
    bot, token = await register("gravity-9", "fiar")
    one = Connected()
    tokens.came(bot.pk, one)
    await tokens.revoke(bot)
    tokens.went(bot.pk, one)
    assert (await refused(token), one.sent_away) == ("unknown_token", ["token_revoked"])


async def test_a_disabled_bot_is_told_why_until_it_is_enabled() -> None:
    bot, token = await register("gravity-9", "fiar")
    await tokens.disable(bot, "ten failures in a row")
    with pytest.raises(Refusal, match="gravity-9 is disabled: ten failures in a row") as why:
        await tokens.find(token)
    assert why.value.code == "bot_disabled"
    await tokens.enable(bot)
    assert isinstance(await tokens.find(token), Identity)


@pytest.mark.parametrize("token", ["", "?", "arn_", "arn_" + "A" * 26, "arn_" + "a" * 27, "é"])
async def test_what_is_no_token_is_not_even_looked_up(token: str) -> None:
    assert await refused(token) == "unknown_token"


async def test_a_seat_is_found_by_its_token_until_it_expires() -> None:
    room = await Room.objects.acreate(code="a", shown_code="a", variant="connect-four-7x6")
    token, later = tokens.new_token(), datetime.now(UTC) + timedelta(minutes=15)
    place = await Place.objects.acreate(
        room=room, side=1, kind="socket", protocol="fiar", token_sha256=tokens.sha256_of(token), expires=later
    )
    assert await tokens.find(token) == place
    await Place.objects.filter(pk=place.pk).aupdate(expires=datetime.now(UTC))
    assert await refused(token) == "seat_expired"
    assert await Player.objects.acount() == 0
