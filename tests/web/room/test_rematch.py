"""The same again, with a built-in player and between two people."""

from __future__ import annotations

from arena.host import Host
from tests.web.browsing import Person, match_of, two_people, until
from tests.web.match.test_moves import moves_of, words


async def test_a_rematch_against_a_built_in_player_swaps_the_seats(host: Host) -> None:
    person = Person()
    match = match_of(await person.post("/play/", variant="connect-four-7x6", move="4", level="beginner"))
    assert (await person.post(f"/m/{match}/rematch/")).status_code == 409
    await person.post(f"/m/{match}/resign/")
    live = host.hub.get(match_of(await person.post(f"/m/{match}/rematch/")))
    assert live is not None
    assert [seat.kind for seat in live.state.setup.seats] == ["builtin", "human"]
    assert live.state.setup.seats[0].level == "beginner"
    await until(lambda: len(moves_of(live)) == 1)


async def test_two_people_who_both_want_a_rematch_have_one_with_swapped_seats(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.post(f"/m/{live.id}/resign/")
    answer = await first.post(f"/m/{live.id}/rematch/")
    assert answer["Location"] == f"/r/{live.room_code}/"
    name = live.state.setup.seats[0].name
    assert f"{name} wants a rematch" in words(await second.get(f"/m/{live.id}/"))
    again = host.hub.get(match_of(await second.post(f"/m/{live.id}/rematch/")))
    assert again is not None
    assert again.state.setup.series == live.state.setup.series + 1
    assert [seat.player for seat in again.state.setup.seats] == [seat.player for seat in live.state.setup.seats][::-1]


async def test_who_says_no_to_a_rematch_is_asked_no_more_and_nobody_waits(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.post(f"/m/{live.id}/resign/")
    await first.post(f"/m/{live.id}/rematch/")
    asked = words(await second.get(f"/m/{live.id}/"))
    assert 'form="rematch">Play</button>' in asked and 'form="rematch" name="answer" value="no">No</button>' in asked
    answer = await second.post(f"/m/{live.id}/rematch/", answer="no")
    assert answer["Location"] == f"/m/{live.id}/"
    room = host.lobby.rooms[live.room_code.upper()]
    assert room.sides == [None, None] and room.declined == live.state.setup.seats[1].name
    declined = f"{room.declined} said no to a rematch."
    assert declined in words(await first.get(f"/m/{live.id}/"))
    assert f"{declined} The room closes in " in words(await first.get(f"/r/{live.room_code}/"))
    asked = words(await second.get(f"/m/{live.id}/"))
    assert "wants a rematch" not in asked and "said no" not in asked
    await first.post(f"/m/{live.id}/rematch/")
    assert room.declined == "" and "wants a rematch" in words(await second.get(f"/m/{live.id}/"))
    assert "said no" not in words(await first.get(f"/r/{live.room_code}/"))


async def test_no_rematch_while_the_series_goes_on(host: Host) -> None:
    live, first, _ = await two_people(host, rounds="2")
    await first.post(f"/m/{live.id}/resign/")
    answer = await first.post(f"/m/{live.id}/rematch/")
    assert answer.status_code == 409 and "the next round begins by itself" in words(answer)
