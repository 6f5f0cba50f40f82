"""Acting in a match by form: who may, what is refused and how it is said, and that nothing changes then."""

from __future__ import annotations

import asyncio
import html

from django.http import HttpResponse

from arena.host import Host
from tests.kit.browsing import HTMX, Person, text, two_people
from tests.kit.refereeing import moves_of
from tests.kit.until import until


def words(response: HttpResponse) -> str:
    return html.unescape(text(response))


async def test_a_move_without_javascript_leads_back_to_the_match(host: Host) -> None:
    live, first, _ = await two_people(host)
    answer = await first.play(live, "4")
    assert answer.status_code == 302 and answer["Location"] == f"/m/{live.id}/"
    assert moves_of(live) == ["4"]


async def test_a_move_with_htmx_is_acknowledged_without_a_page(host: Host) -> None:
    live, first, _ = await two_people(host)
    assert (await first.play(live, "4", **HTMX)).status_code == 204
    assert moves_of(live) == ["4"]


async def test_a_double_click_is_one_move(host: Host) -> None:
    live, first, _ = await two_people(host)
    answers = await asyncio.gather(*[first.play(live, "4", 1, **HTMX) for _ in range(3)])
    assert [answer.status_code for answer in answers] == [204, 204, 204]
    assert moves_of(live) == ["4"]


async def test_a_second_tab_with_another_move_is_told_that_the_board_has_changed(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    await second.play(live, "4")
    answer = await first.play(live, "5", 1, **HTMX)
    assert answer.status_code == 409
    assert "The board has changed since your click. Look again, then move." in words(answer)
    assert moves_of(live) == ["4", "4"]


async def test_a_stale_move_without_javascript_shows_the_board_and_why(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    await second.play(live, "4")
    answer = await first.play(live, "5", 1)
    assert answer.status_code == 409
    assert "The board has changed" in words(answer) and 'name="ply" value="3"' in text(answer)


async def test_a_move_out_of_turn_is_refused_in_words(host: Host) -> None:
    live, first, second = await two_people(host)
    answer = await second.play(live, "4")
    name = live.state.setup.seats[0].name
    assert answer.status_code == 409
    assert f"It is {name}'s turn. Your move was not sent." in words(answer)
    assert moves_of(live) == []


async def test_a_full_column_is_refused_in_words(host: Host) -> None:
    live, *people = await two_people(host)
    for number in range(6):
        await people[number % 2].play(live, "1")
    answer = await people[0].play(live, "1", **HTMX)
    assert answer.status_code == 422
    assert "full" in words(answer) and "Choose another one" in words(answer)
    assert len(moves_of(live)) == 6


async def test_nobody_moves_in_somebody_elses_match(host: Host) -> None:
    live, _, _ = await two_people(host)
    _, stranger, _ = await two_people(host)
    for person in (stranger, Person()):
        answer = await person.play(live, "4")
        assert answer.status_code == 403
        assert "You are watching" in words(answer)
        for act in ("resign", "abort", "rematch"):
            assert (await person.post(f"/m/{live.id}/{act}/")).status_code == 403
    assert moves_of(live) == [] and not live.over


async def test_a_move_after_the_end_is_refused_and_the_result_stays(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.post(f"/m/{live.id}/resign/")
    answer = await first.play(live, "4")
    assert answer.status_code == 409
    assert "The match is over" in words(answer)
    assert live.state.termination == "resign" and live.state.winner == 1
    assert "You won" in words(await second.get(f"/m/{live.id}/"))


async def test_abort_is_possible_until_both_have_moved(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    await second.play(live, "4")
    answer = await first.post(f"/m/{live.id}/abort/")
    assert answer.status_code == 409 and "resign instead" in words(answer)
    other, first, _ = await two_people(host)
    assert (await first.post(f"/m/{other.id}/abort/")).status_code == 302
    assert other.state.termination == "abort"


async def test_who_aborts_a_round_has_read_that_the_series_ends_with_it(host: Host) -> None:
    live, first, _ = await two_people(host, rounds="4")
    room = host.lobby.room_of(live)
    assert "It will not count for either side, and the series ends." in words(await first.get(f"/m/{live.id}/"))
    await first.post(f"/m/{live.id}/abort/")
    assert room is not None
    await until(lambda: room.over)


async def test_a_form_of_another_site_is_refused_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    forger = Person(enforce_csrf_checks=True)
    forger.client.cookies = first.client.cookies
    await forger.get(f"/m/{live.id}/")  # the browser has the cookie; the other site does not know the token
    answer = await forger.play(live, "4")
    assert answer.status_code == 403
    assert "not from this site. Nothing was done: reload the page" in words(answer)
    assert "permission" not in words(answer), "the form is too old, not the person"
    assert moves_of(live) == []


async def test_a_form_with_the_token_of_the_page_is_taken(host: Host) -> None:
    live, first, _ = await two_people(host)
    honest = Person(enforce_csrf_checks=True)
    honest.client.cookies = first.client.cookies
    await honest.get(f"/m/{live.id}/")
    token = honest.client.cookies["csrftoken"].value
    answer = await honest.post(f"/m/{live.id}/move/", ply=1, move="4", csrfmiddlewaretoken=token)
    assert answer.status_code == 302 and moves_of(live) == ["4"]


async def test_acting_by_get_is_refused_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    for act in ("move", "resign", "abort", "rematch"):
        answer = await first.get(f"/m/{live.id}/{act}/")
        assert answer.status_code == 405 and answer["Allow"] == "POST"
        assert "expected POST" in words(answer)


async def test_an_unknown_match_is_404_for_every_act(host: Host) -> None:
    for act in ("move", "resign", "abort", "rematch"):
        answer = await Person().post(f"/m/nosuch/{act}/", ply=1, move="4")
        assert answer.status_code == 404 and "There is no such match" in words(answer)
