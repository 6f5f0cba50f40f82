"""What the home page shows of others: only what anyone may see, people before bots."""

from __future__ import annotations

from typing import Literal

import pytest
from asgiref.sync import sync_to_async

from arena.core.hub import LiveMatch, Presence
from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Rating, Tournament
from arena.rooms.plan import Plan
from arena.tournaments import actions
from arena.web.lobby import showcase
from tests.kit.browsing import Person, text, two_people
from tests.kit.tournaments import a_spec
from tests.web.sockets.test_consumers import watching

BOTS = (SeatSetup("a", "bot"), SeatSetup("b", "bot"))


async def test_matches_of_people_come_before_those_of_bots(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    bots = await host.referee.open(Setup("connect-four-7x6", BOTS))
    bots.private = False
    await host.referee.start(bots)
    await host.referee.play(bots, 0, 1, "4")
    assert showcase.public(host) == [live, bots]


async def test_a_private_match_and_one_without_a_move_are_not_shown(host: Host) -> None:
    live, first, _ = await two_people(host)
    assert showcase.public(host) == []
    await first.play(live, "4")
    live.private = True
    assert showcase.public(host) == []


async def test_a_match_that_nobody_is_at_is_not_shown_for_long(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    assert showcase.public(host) == [live]
    monkeypatch.setattr(showcase, "ABANDONED_S", -1.0)
    assert showcase.public(host) == []
    async with watching(first, live) as page:
        await page.text()
        assert showcase.public(host) == [live], "one of the two still waits"
    assert showcase.public(host) == []


async def test_a_match_waits_for_its_bot_and_not_for_a_guest_who_is_gone(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("b", "bot"))))
    live.private = False
    await host.referee.start(live)
    await host.referee.play(live, 0, 1, "4")
    monkeypatch.setattr(showcase, "ABANDONED_S", -1.0)
    assert showcase.public(host) == [live]
    host.hub.signal(live, 1, Presence(here=False))
    assert showcase.public(host) == []
    host.hub.signal(live, 1, Presence())
    await host.referee.play(live, 1, 2, "4")
    assert showcase.public(host) == []


@pytest.mark.parametrize(("kind", "listed"), [("bot", False), ("human", True)])
async def test_what_a_bot_only_tries_out_is_not_shown(host: Host, kind: Literal["bot", "human"], listed: bool) -> None:
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Test", kind), SeatSetup("b", "bot"))))
    live.private = False
    await host.referee.start(live)
    for ply in (1, 2):
        await host.referee.play(live, 1 - ply % 2, ply, "4")
    assert showcase.public(host) == ([live] if listed else [])
    await host.referee.resign(live, 0)
    assert await showcase.last_match(host) is (live if listed else None)


async def test_a_waiting_room_says_who_and_what(host: Host) -> None:
    await Person().post("/r/new/", variant="santorini-6x6", clock="2m", rounds="4")
    (room,) = showcase.waiting(host)
    assert (room["line"], room["clock"], room["tag"], room["rated"]) == ("4 rounds", "2:00 each", "guest", False)
    assert room["title"].startswith("Santorini")


async def test_a_private_room_and_a_full_one_are_not_waiting(host: Host) -> None:
    room = await host.lobby.open("secret", {"variant": "expanding-nim", "private": True})
    host.lobby.sit_down(room, SeatSetup("Ada", player=1))
    await two_people(host)
    assert showcase.waiting(host) == []
    assert Plan("expanding-nim").private is False


async def test_the_higher_mean_rating_is_worth_more_than_a_newer_match(host: Host) -> None:
    strong, _, _ = await _begun(host)
    weak, _, _ = await _begun(host)
    assert showcase.public(host) == [weak, strong]
    for live, points in ((strong, 1900.0), (weak, 1400.0)):
        for seat in live.state.setup.seats:
            await Rating.objects.acreate(
                player_id=seat.player or 0, variant="connect-four-7x6", points=points, matches=3
            )
    points_of = await showcase.points_of(host.hub.running())
    assert showcase.public(host, points_of) == [strong, weak]


async def test_who_has_not_played_a_rated_match_has_no_points(host: Host) -> None:
    live, _, _ = await _begun(host)
    await Rating.objects.acreate(player_id=live.state.setup.seats[0].player or 0, variant="connect-four-7x6")
    assert await showcase.points_of([live]) == {} == await showcase.points_of([])


async def test_the_wall_is_of_one_game_or_of_all_and_says_how_many_it_cannot_show(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, _, _ = await _begun(host)
    nim, first, _ = await two_people(host, variant="expanding-nim")
    await first.play(nim, "1")
    lives = showcase.public(host)
    assert [each["id"] for each in showcase.wall(lives, "expanding-nim")["matches"]] == [nim.id]
    monkeypatch.setattr(showcase, "MOST_ON_WALL", 1)
    assert [each["id"] for each in showcase.wall(lives, "")["matches"]] == [nim.id]
    assert showcase.wall(lives, "")["more"] == 1


async def test_a_running_tournament_shows_its_best_three(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showcase, "is_valid_path", lambda path: True)
    assert await sync_to_async(showcase.running_tournament)() is None
    tournament = await sync_to_async(actions.create)(a_spec(4))
    assert await sync_to_async(showcase.running_tournament)() is None
    await Tournament.objects.filter(pk=tournament.pk).aupdate(state="running")
    running = await sync_to_async(showcase.running_tournament)()
    assert running is not None
    card = showcase.told(running)
    assert card["name"] == "Spring cup" and card["address"] == f"/t/{tournament.slug}/"
    assert (card["played"], len(card["best"])) == (0, 3)
    assert card["line"].endswith("4 players"), "all rounds of a round robin are played at once"
    swiss = running._replace(row=Tournament(format="swiss", variant=running.row.variant), round=2)
    assert showcase.told(swiss)["line"].endswith("4 players · round 2")
    page = text(await Person().get("/"))
    assert "Spring cup" in page and 'role="progressbar"' not in page and "<progress" in page


async def test_without_a_page_of_tournaments_there_is_no_card(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showcase, "is_valid_path", lambda path: False)
    tournament = await sync_to_async(actions.create)(a_spec(3))
    await Tournament.objects.filter(pk=tournament.pk).aupdate(state="running")
    assert await sync_to_async(showcase.running_tournament)() is None


async def _begun(host: Host) -> tuple[LiveMatch, Person, Person]:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    return live, first, second
