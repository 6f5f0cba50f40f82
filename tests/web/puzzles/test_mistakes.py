"""One's own mistakes: whose they are, what counts as right, and when they come back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from arena.host import Host
from arena.models import Analysis, Match, Mistake, Player
from arena.web.puzzles.mistakes import INTERVALS, learn
from tests.kit.browsing import Person, flowing
from tests.kit.puzzles import a_match

pytestmark = pytest.mark.django_db(transaction=True)

# In tests/kit/puzzles.py the moves 4 to 10 change the result now and then; each player made some of them.


async def the_mistakes(host: Host) -> tuple[Person, Person, list[Mistake]]:
    """Both players, and the mistakes of the first one."""
    live, first, second = await a_match(host)
    player = live.state.setup.seats[0].player
    return first, second, [each async for each in Mistake.objects.filter(player=player).order_by("ply")]


async def test_each_has_their_own_and_nobody_sees_those_of_others(host: Host) -> None:
    first, second, mine = await the_mistakes(host)
    assert mine and all(each.ply % 2 for each in mine), "the first player made the odd moves"
    assert f"{len(mine)} " in flowing(await first.get("/mistakes/"))
    address = mine[0].get_absolute_url()
    assert (await first.get(address)).status_code == 200
    for somebody in (second, Person()):
        assert (await somebody.get(address)).status_code == 404
        assert (await somebody.post(address, move="4")).status_code == 404
    assert "There is nothing to learn yet" in flowing(await Person().get("/mistakes/"))


async def test_any_move_that_keeps_the_result_is_right_and_comes_back_tomorrow(host: Host) -> None:
    first, _, mine = await the_mistakes(host)
    address, before = mine[0].get_absolute_url(), timezone.now()
    page = flowing(await first.get(address))
    assert "You played column" in page and 'class="worths' not in page
    answer = await first.post(address, act="answer")
    shown = flowing(await first.get(answer["Location"]))
    assert "The answer" in shown
    found = await Mistake.objects.aget(pk=mine[0].pk)
    assert found.step == 0 and found.due is not None and found.due > before + timedelta(hours=23)
    await Mistake.objects.filter(pk=found.pk).aupdate(due=before)
    right = answer["Location"].partition("tried=")[2].partition("&")[0]
    answer = await first.post(address, move=right)
    assert "Right" in flowing(await first.get(answer["Location"]))
    assert (await Mistake.objects.aget(pk=found.pk)).step == 1
    assert (await first.post(address, act="hint")).status_code == 422


@pytest.mark.django_db
def test_what_is_right_comes_back_later_and_later_until_it_is_learnt() -> None:
    now = datetime(2026, 1, 31, tzinfo=UTC)
    player = Player.objects.create(kind="guest", name="ada", slug="ada")
    match = Match.objects.create(id="m", variant="connect-four-7x6", opened=now)
    number = Mistake.objects.create(player=player, match=match, ply=3, due=now).pk

    def days(right: bool) -> int | None:
        found = Mistake.objects.get(pk=number)
        assert found.due is not None
        at = found.due
        learn(number, right, at - timedelta(seconds=1))
        assert Mistake.objects.get(pk=number).due == at, "before it is due it is practice"
        learn(number, right, at)
        due = Mistake.objects.get(pk=number).due
        return None if due is None else (due - at).days

    assert [days(right) for right in (True, True, False, True, True, True, True, True, True)] == [
        *INTERVALS[:2],
        1,
        *INTERVALS,
        None,
    ]
    learn(number, True, now + timedelta(days=999))
    assert Mistake.objects.get(pk=number).due is None


async def test_without_its_analysis_there_is_nothing_to_ask(host: Host) -> None:
    first, _, mine = await the_mistakes(host)
    await sync_to_async(Analysis.objects.update)(values=b"no zlib")
    assert (await first.get(mine[0].get_absolute_url())).status_code == 404
    await Analysis.objects.all().adelete()
    assert (await first.get(mine[0].get_absolute_url())).status_code == 404
