"""Hints on the page of a match: who is offered one, what it shows and to whom, and what is refused."""

from __future__ import annotations

import html

import pytest

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import GiveHint
from arena.match.state import SeatSetup
from arena.web.match import fragments, frames
from arena.web.match.moves import give_hint
from tests.kit.browsing import HTMX, Person, match_of, text, two_people
from tests.kit.until import until
from tests.web.played import Played

HINT = 'name="offer" value="hint"'
SEATS = (SeatSetup("Mira", player=1), SeatSetup("Club (built in)", "builtin", level="club"))


async def a_game(host: Host, variant: str, move: str) -> tuple[Person, LiveMatch]:
    """A person against a built-in player that has answered."""
    person = Person()
    live = host.hub.get(match_of(await person.post("/play/", variant=variant, move=move)))
    assert live is not None
    await until(lambda: live.state.position.ply == 2)
    return person, live


@pytest.mark.parametrize(
    ("variant", "move", "words"),
    [("connect-four-7x6", "4", "column"), ("expanding-nim", "3", ""), ("santorini-6x6", "c3", "")],
)
async def test_a_hint_is_shown_to_its_person_and_marked_for_everybody(
    host: Host, variant: str, move: str, words: str
) -> None:
    person, live = await a_game(host, variant, move)
    page = f"/m/{live.id}/"
    assert HINT in text(await person.get(page)) and HINT not in text(await Person().get(page))
    assert (await person.post(f"{page}offer/", HTMX, offer="hint", ply="2")).status_code == 204
    hint = live.events[-1]
    assert (hint.kind, hint.seat, hint.ply) == ("hint", 0, 2) and live.state.hint in live.state.position.legal_moves()
    mine, theirs = html.unescape(text(await person.get(page))), html.unescape(text(await Person().get(page)))
    assert f"Hint: {words}" in mine and "Hint:" not in theirs
    assert "asked for a hint" in mine and "asked for a hint" in theirs
    frame = frames.frame(host, live, "0", hint.seq - 1)
    assert 'data-alert="Hint: ' in frame and "asked for a hint" in frame
    assert f'data-key="2+{live.state.hint}"' in html.unescape(frame)
    assert "asked for a hint" in text(await Person().get(f"{page}log.txt"))
    assert (await person.post(f"{page}offer/", HTMX, offer="hint", ply="2")).status_code == 204
    assert live.events[-1] is hint


def test_the_column_is_marked_on_the_board_of_who_asked() -> None:
    match = Played(moves="44", seats=SEATS).do(GiveHint(0, 2, "3"))
    assert 'value="3" class="hinted"' in fragments.page(match.scene("0")).stage.controls
    assert "hinted" not in fragments.page(match.scene("")).stage.controls
    match.play("3")
    assert "hinted" not in fragments.page(match.scene("0")).stage.controls


async def test_what_gives_no_hint_is_said_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    assert HINT not in text(await first.get(f"/m/{live.id}/"))
    answer = await first.post(f"/m/{live.id}/offer/", HTMX, offer="hint", ply="0")
    assert answer.status_code == 409 and "only in matches between a person and a built-in player" in text(answer)
    person, other = await a_game(host, "connect-four-7x6", "4")
    answer = await person.post(f"/m/{other.id}/offer/", HTMX, offer="hint", ply="1")
    assert answer.status_code == 409 and "The board has changed" in text(answer)
    assert (await Person().post(f"/m/{other.id}/offer/", offer="hint", ply="2")).status_code == 403
    assert other.events[-1].kind == "move"


async def test_a_hint_is_there_after_a_restart_of_memory(host: Host) -> None:
    _, live = await a_game(host, "connect-four-7x6", "4")
    await give_hint(host, live, 0, 2, "player:1")
    again = await host.referee.ledger.read(live.id)
    assert again[-1].kind == "hint" and again[-1].data == live.events[-1].data
