"""The home page: one click makes guest, match and first move; what cannot be played makes nothing."""

from __future__ import annotations

import re

import pytest

from arena.host import Host
from arena.models import Match, Player
from tests.kit.browsing import Person, match_of, text, two_people
from tests.kit.until import until


async def play(person: Person, **fields: str) -> str:
    return match_of(await person.post("/play/", **{"variant": "connect-four-7x6", "move": "4", **fields}))


async def test_looking_makes_no_session_and_no_player(host: Host) -> None:
    person = Person()
    answer = await person.get("/")
    assert answer.status_code == 200
    assert "sessionid" not in person.client.cookies
    assert await Player.objects.acount() == 0


async def test_a_link_to_it_says_what_it_leads_to(host: Host) -> None:
    assert 'property="og:description" content="Board games between people and bots"' in text(await Person().get("/"))


async def test_who_has_an_account_is_not_told_that_none_is_needed(host: Host) -> None:
    member = Person()
    assert (await member.post("/signup/", name="Mira", password="orange-stairs-91")).status_code == 302
    for path in ("/", "/puzzles/"):
        assert "No account needed." in text(await Person().get(path))
        assert "No account needed." not in text(await member.get(path))


async def test_one_post_makes_guest_match_and_first_move(host: Host) -> None:
    person = Person()
    live = host.hub.get(await play(person))
    assert live is not None
    assert [event.move for event in live.events if event.kind == "move"][:1] == ["4"]
    guest = await Player.objects.aget()
    assert live.state.setup.seats[0].name == guest.name
    page = text(await person.get(f"/m/{live.id}/"))
    assert "Beginner" not in page and "Club" in page and guest.name in page


async def test_the_built_in_player_answers(host: Host) -> None:
    live = host.hub.get(await play(Person(), level="beginner"))
    assert live is not None
    await until(lambda: live.state.position.ply == 2)


async def test_the_same_visitor_stays_the_same_guest(host: Host) -> None:
    person = Person()
    await play(person)
    await play(person)
    assert await Player.objects.acount() == 1


async def test_settings_reach_the_match(host: Host) -> None:
    live = host.hub.get(await play(Person(), variant="expanding-nim", move="2", stones="50"))
    assert live is not None
    assert live.state.setup.settings["stones"] == 50


async def test_the_tabs_offer_every_game_and_every_size(host: Host) -> None:
    page = text(await Person().get("/?game=connect-four-8x8"))
    for address in ("/?game=expanding-nim", "/?game=santorini", "/?game=connect-four-7x6"):
        assert f'href="{address}"' in page
    assert 'value="8"' in page


@pytest.mark.parametrize(
    "fields",
    [
        {"move": "9"},
        {"move": ""},
        {"move": "x" * 500},
        {"move": "\u202e4"},
        {"level": "grandmaster"},
        {"variant": "expanding-nim", "move": "2", "stones": "many"},
    ],
)
async def test_what_cannot_be_played_is_said_and_makes_nothing(host: Host, fields: dict[str, str]) -> None:
    answer = await Person().post("/play/", **{"variant": "connect-four-7x6", "move": "4", **fields})
    assert answer.status_code == 422
    assert "xpected" in text(answer) or "Choose another one" in text(answer)
    assert await Player.objects.acount() == 0 and await Match.objects.acount() == 0


@pytest.mark.parametrize(
    ("asked", "shown", "chosen", "more"),
    [
        ("", ["beginner", "club", "expert"], "club", True),
        ("expert", ["beginner", "club", "expert"], "expert", True),
        ("best", ["beginner", "club", "expert", "best"], "best", False),
        ("casual", ["beginner", "casual", "club", "expert"], "casual", False),
        ("grandmaster", ["beginner", "club", "expert"], "club", True),
    ],
)
async def test_three_levels_are_offered_and_the_one_that_was_asked_for(
    host: Host, asked: str, shown: list[str], chosen: str, more: bool
) -> None:
    page = text(await Person().get(f"/?game=expanding-nim&level={asked}"))
    assert re.findall(r'name="level"[^>]*?value="(\w+)"', page) == shown
    assert re.findall(r'name="level"[^>]*?value="(\w+)"[^>]*?\schecked', page) == [chosen]
    assert ('href="/?game=expanding-nim&amp;level=best"' in page) == more


async def test_who_chose_a_level_keeps_it_when_the_move_is_refused(host: Host) -> None:
    fields = {"variant": "connect-four-7x6", "move": "9"}
    for level, kept in (("expert", "expert"), ("grandmaster", "club")):
        page = text(await Person().post("/play/", level=level, **fields))
        assert re.findall(r'name="level"[^>]*?value="(\w+)"[^>]*?\schecked', page) == [kept]


async def test_an_unknown_game_is_404_naming_those_there_are(host: Host) -> None:
    for answer in (await Person().get("/?game=chess"), await Person().post("/play/", variant="chess", move="4")):
        assert answer.status_code == 404
        assert "chess" in text(answer) and "connect-four-7x6" in text(answer)


async def test_a_running_match_is_offered_on_every_other_page(host: Host) -> None:
    person = Person()
    match = await play(person, level="club")
    page = text(await person.get("/"))
    assert "Back to it" in page and f"/m/{match}/" in page
    assert "Verein (eingebaut)" in text(await person.get("/", **{"accept-language": "de"}))
    assert "Back to it" not in text(await Person().get("/"))


async def test_the_home_page_shows_live_matches_and_rooms_that_wait(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    await Person().post("/r/new/", variant="expanding-nim", clock="5s", rounds="2")
    page = text(await Person().get("/"))
    assert "Live now" in page and f"/m/{live.id}/" in page
    assert "2 rounds" in page and "5 s a move" in page


async def test_without_a_live_match_the_last_one_is_shown(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    await second.play(live, "4")
    await second.post(f"/m/{live.id}/resign/")
    page = text(await Person().get("/"))
    assert "Last match" in page and f"/m/{live.id}/?ply=0" in page
    assert f"<strong>{live.state.setup.seats[0].name} won</strong>" in page


async def test_a_waiting_room_is_joined_with_one_click(host: Host) -> None:
    created = await Person().post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    page = text(await Person().get("/"))
    assert f'form="join" formaction="{created["Location"]}sit/"' in page
    assert '<form id="join" method="post" hidden><input type="hidden" name="csrfmiddlewaretoken"' in page


async def test_a_friend_and_a_bot_are_one_press_away_for_the_shown_board(host: Host) -> None:
    page = text(await Person().get("/?game=connect-four-8x8"))
    friend = page.partition('action="/r/friend/"')[2].partition("</form>")[0]
    assert 'name="variant" value="connect-four-8x8"' in friend and "Play a friend" in friend
    assert 'action="/bots/connect/"' in page and 'name="variant" value="connect-four-8x8"' in page
    assert "8\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}8</a>" in page
