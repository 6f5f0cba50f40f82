"""The mistakes of a bot as JSON, in the words of its protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.host import Host
from arena.models import Bot, Match, Mistake
from tests.kit.browsing import Person, text
from tests.kit.history import a_bot
from tests.kit.puzzles import a_match

pytestmark = pytest.mark.django_db(transaction=True)


async def suite(host: Host, slug: str, **fields: str) -> Bot:
    """A bot of this protocol that made the mistakes of the second player of tests/kit/puzzles.py."""
    live, _, _ = await a_match(host, **fields)
    found = await a_bot()
    await Bot.objects.filter(pk=found.pk).aupdate(protocol=slug)
    second = live.state.setup.seats[1].player
    await Mistake.objects.filter(player=second).aupdate(player=found.player_id)
    return found


async def told_at(query: str = "") -> Any:
    return json.loads(text(await Person().get(f"/bots/gravity-9/mistakes.json{query}")))


@pytest.mark.parametrize("slug", ["droidcon", "native", "fiar"])
async def test_each_has_what_the_bot_is_told_and_what_would_be_right(host: Host, slug: str) -> None:
    await suite(host, slug)
    told = await told_at()
    assert (told["bot"], told["protocol"]) == ("gravity-9", slug) and told["mistakes"]
    for mistake in told["mistakes"]:
        assert mistake["played"] not in mistake["keeps"] and mistake["ply"] % 2 == 0
        assert mistake["result"] in ("win", "draw") and mistake["wire"][-1]["sender"] == "arena"
        assert len(mistake["answers"]) == len(mistake["keeps"]) and None not in mistake["answers"]
    last = told["mistakes"][-1]["id"]
    assert (await told_at(f"?before={last}"))["mistakes"] == []


async def test_private_matches_are_left_out_and_so_is_what_cannot_be_read(host: Host) -> None:
    await suite(host, "native", private="on")
    assert (await told_at())["mistakes"] == []
    assert await Mistake.objects.aexists() and await Match.objects.aexists()
    assert (await Person().get("/bots/gravity-9/mistakes.json?before=x")).status_code == 422
    assert (await Person().get("/bots/nobody/mistakes.json")).status_code == 404
