"""Offers on the page of a match: who sees which buttons, what the forms do, and what they refuse."""

from __future__ import annotations

import html
import re

from arena.host import Host
from arena.match.commands import Offer
from arena.match.state import SeatSetup
from arena.web.match import fragments, frames
from tests.kit.browsing import HTMX, Person, match_of, text, two_people
from tests.web.played import Played

RTL = "\u202e<b>Mira</b>"


def buttons(page: str) -> list[str]:
    inner = page.partition('<div id="offer"')[2].partition("<section")[0].partition("</form>")[0]
    return re.findall(r'<button [^>]*name="(\w+)" value="(?:\w+)"', inner)


def asks(page: str) -> list[str]:
    """What may be asked for."""
    return re.findall(r'<button [^>]*name="offer" value="(\w+)"', page)


def test_a_move_is_not_asked_back_from_a_program_that_cannot_take_any_back() -> None:
    seats = (SeatSetup("Mira"), SeatSetup("kestrel", "bot", on_offer="decline"))
    assert asks(fragments.page(Played(moves="44", seats=seats, offers=True).scene("0")).offer) == ["draw"]
    assert asks(fragments.page(Played(moves="44", seats=seats[:1] * 2, offers=True).scene("0")).offer) == [
        "draw",
        "takeback",
    ]


def test_names_are_escaped_in_offers_and_between_moves() -> None:
    match = Played(moves="44", seats=(SeatSetup(RTL), SeatSetup("Jonas")), offers=True).do(Offer(0, "draw", 2))
    shown = fragments.page(match.scene("1"))
    assert "<b>Mira" not in shown.offer and "&lt;b&gt;Mira" in shown.offer


async def test_each_audience_has_its_own_buttons_and_watchers_none(host: Host) -> None:
    live, first, second = await two_people(host)
    page = f"/m/{live.id}/"
    assert [asks(text(await each.get(page))) for each in (first, second)] == [["draw"], ["draw"]]
    await first.play(live, "4")
    assert [asks(text(await each.get(page))) for each in (first, second)] == [["draw", "takeback"], ["draw"]]
    await first.post(f"{page}offer/", offer="draw", ply="1")
    seen = [buttons(text(await each.get(page))) for each in (first, second, Person())]
    assert seen == [["withdraw"], ["accept", "decline"], []]
    assert "offers a draw." in text(await Person().get(page))


async def test_a_reader_of_moves_that_were_taken_back_is_sent_the_whole_list(host: Host) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    have = live.state.seq
    await first.post(f"/m/{live.id}/offer/", offer="takeback", ply="1")
    await second.post(f"/m/{live.id}/offer/", accept=str(live.state.seq))
    frame = frames.frame(host, live, "", have)
    assert 'data-base="0"' in frame and 'id="m-1"' not in frame and "took back move 1" in html.unescape(frame)
    await first.play(live, "3")
    assert f'data-base="{live.state.seq - 1}"' in frames.frame(host, live, "", live.state.seq - 1)
    assert "took back" in text(await Person().get(f"/m/{live.id}/log.txt"))
    assert 'id="m-1"' in text(await Person().get(f"/m/{live.id}/?ply=1"))


async def test_an_offer_leaves_the_running_turn_alone(host: Host) -> None:
    live, first, second = await two_people(host, clock="5m")
    await first.play(live, "4")
    assert live.turn.since is not None
    live.turn.since -= 10
    began = live.turn.since
    await first.post(f"/m/{live.id}/offer/", offer="draw", ply="1")
    await second.post(f"/m/{live.id}/offer/", decline=str(live.state.seq))
    assert live.turn.since == began and live.turn.deadline is not None
    await second.play(live, "4")
    assert (live.events[-1].elapsed_ms or 0) >= 10_000


REFUSED: list[tuple[dict[str, str], str]] = [
    ({"offer": "peace", "ply": "1"}, "expected draw, takeback or hint"),
    ({"offer": "draw"}, "expected the number of the move"),
    ({"offer": "draw", "ply": "\u0661"}, "expected the number of the move"),
    ({"accept": "x"}, "expected the number of the offer"),
    ({"withdraw": "-1"}, "expected the number of the offer"),
    ({}, "expected draw, takeback or hint"),
]


async def test_what_is_no_offer_is_refused_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    for form, words in REFUSED:
        answer = await first.post(f"/m/{live.id}/offer/", headers=HTMX, **form)
        assert answer.status_code == 422 and words in html.unescape(text(answer)), form
        assert live.state.offer is None, form


async def test_a_stranger_offers_nothing(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    for form in ({"offer": "draw", "ply": "1"}, {"accept": str(live.state.seq)}):
        assert (await Person().post(f"/m/{live.id}/offer/", **form)).status_code == 403
    assert live.state.offer is None


async def test_a_rated_or_forbidding_room_has_no_offers(host: Host) -> None:
    live, first, _ = await two_people(host, offers="off")
    await first.play(live, "4")
    assert 'id="offers"' not in text(await first.get(f"/m/{live.id}/"))
    answer = await first.post(f"/m/{live.id}/offer/", offer="draw", ply="1")
    assert answer.status_code == 409 and "are off in this match" in text(answer)


async def test_a_builtin_player_gives_back_and_the_match_goes_on_after_a_restart_of_memory(host: Host) -> None:
    person = Person()
    match = match_of(await person.post("/play/", variant="connect-four-7x6", move="4"))
    live = host.hub.get(match)
    assert live is not None
    await person.post(f"/m/{match}/offer/", offer="takeback", ply="1")
    assert live.state.position.ply == 0 and live.state.to_move == 0
    again = await host.referee.ledger.read(match)
    assert [event.kind for event in again[-2:]] == ["offered", "takeback"]
