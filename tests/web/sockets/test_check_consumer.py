"""The websocket of the page of a check tells whoever manages the bot that something has changed."""

from __future__ import annotations

import pytest

from arena.host import Host
from tests.kit.browsing import Person
from tests.kit.until import until
from tests.web.bots.test_checks import PAGE, an_owner, result, stand_in
from tests.web.people.test_accounts import account
from tests.web.sockets.test_consumers import opened

pytestmark = pytest.mark.django_db(transaction=True)


async def test_its_owner_hears_of_each_step_and_of_the_end(host: Host) -> None:
    mira, bot = await an_owner()
    checks = stand_in(host, f"print({result('first_answer')!r})")
    async with opened(mira, f"/ws{PAGE}") as socket:
        await socket.until('id="nudge" data-changes="0"')
        await mira.post(PAGE)
        begun = checks.of(bot.pk)
        assert begun is not None
        await until(lambda: begun.over)
        await socket.until('data-changes="4"')
    await until(lambda: not checks.followers)


async def test_it_is_for_nobody_else(host: Host) -> None:
    await an_owner()
    for visitor in (Person(), await account("Bob")):
        async with opened(visitor, f"/ws{PAGE}") as socket:
            assert await socket.code() == 4404
