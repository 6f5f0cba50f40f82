from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.utils import timezone

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.ladder import SETTLED
from arena.match.state import SeatSetup, Setup
from arena.models import Player, Rating
from arena.web.match import frames
from arena.web.people import ratings
from arena.web.people.ratings import (
    PointsChange,
    changes_of,
    look_up,
    rating_line,
    rating_notes,
    ratings_of,
    top,
)
from tests.kit.browsing import Person, match_of, text
from tests.kit.rated import FOUR, NIM, a_match, cast, store
from tests.kit.until import until

NOW = timezone.now()


async def a_rated_match(host: Host, *names: str, rated: bool = True) -> tuple[LiveMatch, list[Player]]:
    players = await sync_to_async(cast)(*(names or ("alice", "bob")))
    first, second = [SeatSetup(player.name, player=player.pk, verified=True) for player in players]
    live = await host.referee.open(Setup(FOUR, (first, second), rated=rated))
    await host.referee.start(live)
    return live, players


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (1702, 1710, "1702 → 1710 (+8)"),
        (1702.4, 1690.6, "1702 → 1691 (−11)"),
        (1500.2, 1500.4, "1500 → 1500 (±0)"),
        (-3.0, -12.0, "−3 → −12 (−9)"),
    ],
)
def test_a_change_is_written_with_its_sign(before: float, after: float, said: str) -> None:
    assert str(PointsChange(before, after)) == said


async def test_what_a_match_changed_is_found_by_its_players(host: Host) -> None:
    alice, bob = await sync_to_async(cast)("alice", "bob")
    (append,) = await sync_to_async(store)(a_match(alice, bob))
    changes = await changes_of(append.match)
    assert str(changes[alice.pk]) == "1500 → 1662 (+162)" and str(changes[bob.pk]) == "1500 → 1338 (−162)"
    assert await changes_of("never") == {}


async def test_the_line_under_a_result_comes_once_it_is_known_and_tells_the_pages(host: Host) -> None:
    live, _ = await a_rated_match(host)
    assert rating_line(host, live, 0) == "", "nothing is said before the end"
    await host.referee.resign(live, 1)
    version = live.version
    assert rating_line(host, live, 0) == ""
    await until(lambda: live.version > version)
    assert rating_line(host, live, 0) == "1500 → 1662 (+162)"
    assert rating_line(host, live, 1) == "1500 → 1338 (−162)"


async def test_a_page_that_is_rendered_once_looks_it_up_before(host: Host) -> None:
    live, _ = await a_rated_match(host)
    await host.referee.resign(live, 0)
    await look_up(live)
    assert rating_line(host, live, 0) == "1500 → 1338 (−162)"


async def test_after_a_ruling_the_line_is_that_of_the_ruling(host: Host) -> None:
    live, _ = await a_rated_match(host)
    await host.referee.resign(live, 0)
    await look_up(live)
    await host.referee.rule(live, "void", None, "the cable was pulled", "staff 1")
    await look_up(live)
    assert rating_line(host, live, 0) == "Ratings unchanged"


async def test_the_result_card_says_it_to_players_to_watchers_and_to_who_comes_later(host: Host) -> None:
    live, (alice, _) = await a_rated_match(host)
    live.private = False
    seq = live.state.seq
    await host.referee.resign(live, 1)
    version = live.version
    assert "→ 1662" not in frames.frame(host, live, "0", seq), "it is looked up, and the page is told again"
    await until(lambda: live.version > version)
    assert "1500 → 1662 (+162)" in frames.frame(host, live, "0", live.state.seq)
    assert "1500 → 1338 (−162)" in frames.frame(host, live, "1", seq)
    watching = frames.frame(host, live, "", seq)
    assert "alice: 1500 → 1662 (+162)" in watching and "bob: 1500 → 1338" in watching
    live.rating_changes = None
    page = text(await Person().get(f"/m/{live.id}/"))
    assert "alice: 1500 → 1662 (+162)" in page
    assert f"bob: {(await changes_of(live.id))[alice.pk]}" not in page


async def test_ratings_stand_beside_the_names_of_who_has_one(host: Host) -> None:
    before, _ = await a_rated_match(host)
    before.private = False
    await look_up(before)
    assert before.ratings == ("", "")
    assert "Rating" not in frames.frame(host, before, "", before.state.seq)
    await host.referee.resign(before, 1)
    live = await host.referee.open(before.state.setup)
    live.private = False
    page = text(await Person().get(f"/m/{live.id}/"))
    assert live.ratings == ("1662?", "1338?")
    assert 'Rating </span>1662?<span class="vh">, not yet settled' in page
    assert "1338?" in frames.frame(host, live, "", live.state.seq)


async def test_a_rated_match_without_a_result_says_that_ratings_are_unchanged(host: Host) -> None:
    live, _ = await a_rated_match(host)
    await host.referee.abort(live, "admin_abort", "the hall is closing")
    await look_up(live)
    assert [rating_notes(host, live, audience) for audience in ("", "0")] == [("Ratings unchanged",)] * 2


async def test_a_friendly_match_says_so(host: Host) -> None:
    live, _ = await a_rated_match(host, rated=False)
    await host.referee.resign(live, 0)
    assert rating_line(host, live, 0) == "Friendly, ratings unchanged"


async def test_who_is_not_proven_plays_a_friendly_match_whatever_was_asked_for(host: Host) -> None:
    live = await host.referee.open(Setup(FOUR, (SeatSetup("Teal Heron"), SeatSetup("Ada")), rated=True))
    assert not live.state.setup.rated and not live.events[0].data["rated"]


@pytest.mark.django_db(transaction=True)
async def test_a_player_has_a_row_for_each_ladder_the_most_played_first() -> None:
    alice, bob = await sync_to_async(cast)("alice", "bob")
    await sync_to_async(store)(a_match(alice, bob, variant=NIM, at=NOW), a_match(alice, bob, at=NOW))
    await sync_to_async(store)(a_match(alice, bob, winner=None, at=NOW))
    first, second = await ratings_of(alice.pk)
    assert (first.variant, first.matches, first.won, first.drawn, first.lost, first.last) == (FOUR, 2, 1, 1, 0, "WD")
    assert (second.variant, second.title) == (NIM, "Expanding Nim")
    assert first.text == f"{first.points}? ±{first.margin}" and first.provisional and not first.settled
    assert first.form == "Last 2: 1 won, 1 drawn, 0 lost"
    assert first.address == alice.get_absolute_url()


@pytest.mark.django_db(transaction=True)
async def test_a_rating_is_as_sure_as_it_is_now() -> None:
    (alice,) = await sync_to_async(cast)("alice")
    row = await Rating.objects.acreate(player=alice, variant=FOUR, points=1702, deviation=40, matches=85, at=NOW)
    (shown,) = await ratings_of(alice.pk)
    assert shown.text == "1702 ±78" and not shown.provisional
    row.at = NOW - timedelta(days=900)
    await row.asave()
    (later,) = await ratings_of(alice.pk)
    assert later.provisional and later.margin > 250


@pytest.mark.django_db(transaction=True)
async def test_the_top_are_the_best_of_those_who_are_settled() -> None:
    players = await sync_to_async(cast)("alice", "bob", "charlie", "dora")
    for number, player in enumerate(players):
        matches = SETTLED - (player.name == "dora")
        await Rating.objects.acreate(player=player, variant=FOUR, points=1500 + number, matches=matches, at=NOW)
    assert [row.name for row in await top(FOUR, 2)] == ["charlie", "bob"]


@pytest.mark.django_db(transaction=True)
async def test_a_ladder_of_a_game_that_is_gone_keeps_its_name() -> None:
    (alice,) = await sync_to_async(cast)("alice")
    await Rating.objects.acreate(player=alice, variant="halma", matches=1, at=NOW)
    assert [row.title for row in await ratings_of(alice.pk)] == ["halma"]


async def an_account(name: str) -> Person:
    """Somebody who is logged in."""
    person, user = Person(), await User.objects.acreate(username=name)
    await Player.objects.acreate(kind="person", name=name, slug=name, user=user)
    await person.client.aforce_login(user)
    return person


async def test_two_accounts_play_in_a_rated_room_and_stand_on_the_leaderboard(host: Host) -> None:
    alice, bob = await an_account("alice"), await an_account("bob")
    fields = {"variant": FOUR, "clock": "none", "rounds": "1", "rated": "on"}
    room = (await alice.post("/r/new/", **fields))["Location"]
    live = host.hub.get(match_of(await bob.post(f"{room}sit/")))
    assert live is not None and live.state.setup.rated
    await bob.post(f"/m/{live.id}/resign/")
    assert "1500 → 1662 (+162)" in text(await alice.get(f"/m/{live.id}/"))
    ladder = text(await bob.get(f"/rank/{FOUR}/"))
    assert ladder.index(">alice</a>") < ladder.index(">bob</a>") < ladder.index('<span class="tag">you</span>')


async def test_the_same_person_twice_plays_a_friendly_match(host: Host) -> None:
    alice = await an_account("alice")
    owner = await User.objects.aget()
    (bot,) = await sync_to_async(cast)("gravity", kind="bot")
    seats = [
        SeatSetup("alice", player=(await Player.objects.aget(user=owner)).pk, verified=True, owner=owner.pk),
        SeatSetup("gravity", "bot", player=bot.pk, verified=True, owner=owner.pk),
    ]
    live = await host.referee.open(Setup(FOUR, (seats[0], seats[1]), rated=True))
    live.private = False
    await host.referee.resign(live, 0)
    assert "Friendly, ratings unchanged" in text(await alice.get(f"/m/{live.id}/"))


async def test_who_looks_up_slowly_does_not_undo_what_a_ruling_has_changed(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of a front reads for a match on which staff rules in that moment: nobody there looks it up once more."""
    live, _ = await a_rated_match(host)
    await host.referee.resign(live, 0)
    read, arrived, go_on = ratings.changes_of, asyncio.Event(), asyncio.Event()

    async def slow(match: str) -> Any:
        monkeypatch.undo()
        changes = await read(match)
        arrived.set()
        await go_on.wait()
        return changes

    monkeypatch.setattr(ratings, "changes_of", slow)
    page = asyncio.ensure_future(look_up(live))
    await arrived.wait()
    await host.referee.rule(live, "void", None, "the cable was pulled", "staff 1")
    await look_up(live)
    go_on.set()
    await page
    assert rating_line(None, live, 0) == "Ratings unchanged"
