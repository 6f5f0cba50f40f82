"""The page on which an organiser sets pairings."""

from __future__ import annotations

import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model

from arena.host import Host
from arena.models import Entry, Tournament
from arena.tournaments import actions
from arena.tournaments.words import stuck
from tests.kit.browsing import Person, flowing, text
from tests.kit.tournaments import a_sheet, a_spec

pytestmark = pytest.mark.django_db(transaction=True)
User: Any = get_user_model()
PAGE = "/t/spring-cup/pairs/"


async def an_organiser(**values: Any) -> Person:
    root = Person()
    await root.client.aforce_login(await User.objects.acreate_superuser("root"))
    await sync_to_async(actions.create)(a_spec(6, **{"format": "swiss", "rounds": 3} | values), None, None, "waiting")
    return root


async def said(act: str, first: str, second: str, reason: str = "same club") -> dict[str, Any]:
    numbers = {entry.name: entry.pk async for entry in Entry.objects.all()}
    return {"act": act, "first": numbers.get(first, 0), "second": numbers.get(second, 0), "reason": reason}


async def test_pairs_are_set_listed_taken_back_and_shown_to_everybody(host: Host) -> None:
    root = await an_organiser()
    assert "Pair them in round 1" in flowing(await root.get(PAGE))
    assert (await root.post(PAGE, **await said("pair", "p6", "p5"))).status_code == 302
    assert (await root.post(PAGE, **await said("apart", "p1", "p2"))).status_code == 302
    page = flowing(await root.get(PAGE))
    assert "Set for round 1" in page and "p6 – p5" in page and "Kept apart" in page and "p1 – p2" in page
    await root.post(PAGE, **await said("together", "p1", "p2"))
    assert "Kept apart" not in flowing(await root.get(PAGE))
    await root.post("/t/spring-cup/do/start/")
    page = text(await Person().get("/t/spring-cup/"))
    assert page.count("paired by hand") == 1 and len((await a_sheet("spring-cup")).lines) == 3


async def test_what_cannot_be_set_is_said_with_what_was_typed() -> None:
    root = await an_organiser()
    answer = await root.post(PAGE, **await said("pair", "p6", "p6", "for fun"))
    assert answer.status_code == 422
    assert "Choose two different players." in flowing(answer) and 'value="for fun"' in flowing(answer)
    assert len(re.findall(" selected ?>p6<", flowing(answer))) == 2
    for wrong in (await said("pair", "p6", "nobody"), await said("marry", "p6", "p5")):
        answer = await root.post(PAGE, **wrong)
        assert answer.status_code == 422 and "Received" in flowing(answer)


async def test_a_page_of_the_round_before_sets_nothing_for_another(host: Host) -> None:
    root = await an_organiser()
    assert 'name="round" value="1"' in flowing(await root.get(PAGE))
    await root.post("/t/spring-cup/do/start/")
    answer = await root.post(PAGE, **await said("pair", "p6", "p5"), round="1")
    assert answer.status_code == 422 and "The next round is 2, not 1. Nothing was done." in flowing(answer)
    assert 'name="round" value="2"' in flowing(answer)


async def test_a_round_robin_says_that_it_has_none() -> None:
    root = await an_organiser(format="round-robin", rounds=0)
    page = flowing(await root.get(PAGE))
    assert "Who meets whom is settled here from the start" in page and "<select" not in page
    assert (await root.post(PAGE, **await said("apart", "p1", "p2"))).status_code == 422


async def test_a_paused_event_says_why(host: Host) -> None:
    await an_organiser()
    await Tournament.objects.aupdate(state="paused", why=str(stuck(1, "apart")))
    assert "Round 1 cannot be paired without two who are kept apart." in flowing(await Person().get("/t/spring-cup/"))
