"""Two people at one screen: one visitor moves for both, the board turns to nobody, and no list knows of it."""

from __future__ import annotations

import pytest

import games
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Match, Rating
from arena.rooms.people import Person as Seated
from tests.kit.browsing import Person, flowing, match_of, text


async def begun(host: Host, variant: str = "connect-four-7x6") -> tuple[LiveMatch, Person]:
    person = Person()
    live = host.hub.get(match_of(await person.post("/play/here/", variant=variant)))
    assert live is not None
    return live, person


async def test_one_visitor_moves_for_both_and_the_sides_are_called_by_their_colours(host: Host) -> None:
    live, person = await begun(host)
    page = flowing(await person.get(f"/m/{live.id}/"))
    assert "Orange to move" in page and "Your turn" not in page and ">you<" not in page
    for move, after in (("4", 'Blue to move</b> <span class="muted">Orange played column 4.'), ("3", "Orange to move")):
        assert (await person.play(live, move)).status_code == 302
        page = flowing(await person.get(f"/m/{live.id}/"))
        assert after in page
        # Blue stays above the board and Orange below it, whose turn it may be.
        far, near = page.index('id="p-far"'), page.index('id="p-near"')
        assert far < page.index(">Blue</b>", far) < near < page.index(">Orange</b>", near)
    assert (await person.play(live, "3", 2)).status_code == 302, "a double click is one move"
    assert (await person.play(live, "5", 2)).status_code == 409, "another move on the board as it was"
    assert live.state.position.ply == 2


@pytest.mark.parametrize("variant", [each.slug for each in games.variants()])
async def test_every_game_has_its_controls_for_either_side(host: Host, variant: str) -> None:
    live, person = await begun(host, variant)
    for _ in range(2):
        page = text(await person.get(f"/m/{live.id}/"))
        assert 'name="move"' in page and f'data-key="{live.state.position.ply}+"' in page
        assert (await person.play(live, live.state.position.legal_moves()[0])).status_code == 302
    assert live.state.position.ply == 2


async def test_a_takeback_asks_nobody_and_takes_the_last_move(host: Host) -> None:
    live, person = await begun(host)
    for move in ("4", "3", "5"):
        await person.play(live, move)
    for left in (2, 1, 0):
        await person.post(f"/m/{live.id}/offer/", offer="takeback", ply=live.state.position.ply)
        assert live.state.position.ply == left and live.state.offer is None
    refused = await person.post(f"/m/{live.id}/offer/", offer="takeback", ply=0)
    assert refused.status_code == 409 and live.state.position.ply == 0


async def test_a_draw_is_agreed_beside_the_screen_and_the_side_to_move_resigns(host: Host) -> None:
    live, person = await begun(host)
    await person.play(live, "4")
    await person.post(f"/m/{live.id}/offer/", offer="draw", ply=1)
    assert (live.state.termination, live.state.winner) == ("agreement", None)
    live, person = await begun(host)
    for move in ("4", "3", "5"):
        await person.play(live, move)
    await person.post(f"/m/{live.id}/resign/")
    assert (live.state.termination, live.state.winner) == ("resign", 0)
    page = flowing(await person.get(f"/m/{live.id}/"))
    assert "<h2><bdi>Orange</bdi> won</h2>" in page and "Blue resigned." in page and "ratings unchanged" not in page


async def test_a_rematch_begins_with_one_press(host: Host) -> None:
    live, person = await begun(host, "expanding-nim")
    await person.post(f"/m/{live.id}/abort/")
    again = host.hub.get(match_of(await person.post(f"/m/{live.id}/rematch/")))
    assert again is not None and again is not live and again.state.setup.at_one_screen
    assert again.state.setup.variant == "expanding-nim" and again.state.phase == "running"


async def test_strangers_may_watch_and_do_nothing(host: Host) -> None:
    live, _ = await begun(host)
    stranger = Person()
    page = text(await stranger.get(f"/m/{live.id}/"))
    assert "Orange to move" in page and 'name="move"' not in page and "rematch/" not in page
    assert (await stranger.play(live, "4")).status_code == 403
    assert (await stranger.post(f"/m/{live.id}/rematch/")).status_code == 403


async def test_no_list_no_count_and_no_rating_knows_of_it(host: Host) -> None:
    live, person = await begun(host)
    for move in ("1", "2", "1", "2", "1", "2", "1"):
        assert live.id not in text(await Person().get("/watch/")) + text(await Person().get("/"))
        assert (await person.play(live, move)).status_code == 302
    assert live.over and live.state.winner == 0
    assert await Match.objects.filter(pk=live.id, kind=Match.Kind.SCREEN, rated=False).aexists()
    for address in ("/matches/", "/api/matches/", "/games/connect-four/", "/"):
        assert live.id not in text(await Person().get(address)), address
    assert "<b>0</b> matches" in flowing(await person.get((await person.get("/me/"))["Location"]))
    assert not await Rating.objects.aexists()


async def test_it_waits_as_one_match_for_both(host: Host) -> None:
    live, person = await begun(host)
    await person.play(live, "4")
    home = text(await person.get("/"))
    assert home.count(f'class="mini" href="/m/{live.id}/"') == 1 and "At one screen" in home
    assert "The match at this screen is running." in flowing(await person.get("/about/"))
    room = host.lobby.room_of(live)
    assert room is not None and live.state.setup.may_wait
    player = live.state.setup.seats[0].player
    assert player is not None and len(host.lobby.people(live, player)) == 2
    host.lobby.let_go(live)
    back = await host.referee.load(live.id)
    assert back is not None
    assert (await person.play(back, "4")).status_code == 302
    found = host.hub.get(live.id)
    assert found is not None and found.state.position.ply == 2
    seated = host.lobby.room_of(found)
    assert seated is not None and [type(each) for each in seated.sides] == [Seated, Seated]
