"""What is said about an offer, to each of its readers."""

from __future__ import annotations

import pytest

from arena.match.commands import AnswerOffer, Offer, Withdraw
from arena.match.state import SeatSetup
from arena.web.match import fragments, offer_words
from tests.web import markup
from tests.web.played import Played

PEOPLE = (SeatSetup("Mira", player=1), SeatSetup("Jonas", player=2))


def offered(what: str) -> Played:
    return Played(moves="44", seats=PEOPLE, offers=True).do(Offer(0, "draw" if what == "draw" else "takeback", 2))


@pytest.mark.parametrize(
    ("what", "asked", "asker"),
    [
        ("draw", "Mira offers a draw.", "You offered a draw."),
        ("takeback", "Mira asks to take a move back.", "You asked to take your move back."),
    ],
)
def test_each_reads_who_offers_what(what: str, asked: str, asker: str) -> None:
    offer = offered(what).state.offer
    assert offer is not None
    assert [offer_words.sentence(offer, "Mira", seat) for seat in (0, 1, None)] == [asker, asked, asked]


def test_both_players_hear_it_once_and_nobody_else_does() -> None:
    match = offered("draw")
    seq = match.state.seq
    heard = {
        (audience, base): match.scene(audience, base=base).alert
        for audience in ("0", "1", "")
        for base in (seq, seq - 1)
    }
    assert {reader: said for reader, said in heard.items() if said} == {
        ("0", seq - 1): "You offered a draw.",
        ("1", seq - 1): "Mira offers a draw.",
    }
    assert match.scene("1", base=0).alert == "", "a page that was opened shows it"


def test_the_list_of_moves_says_what_became_of_it() -> None:
    match = offered("draw")
    match.do(AnswerOffer(1, match.state.seq, False), Offer(0, "takeback", 2))
    match.do(Withdraw(0, match.state.seq)).play("55").do(Offer(1, "takeback", 4))
    match.do(AnswerOffer(0, match.state.seq, True))
    words = [aside.words for aside in match.scene("").offers.asides]
    assert words == ["Jonas declined a draw", "Mira withdrew a takeback", "Jonas took back move 4"]


def test_the_list_says_first_what_came_first_also_of_moves_that_were_taken_back() -> None:
    match = offered("takeback")
    match.do(AnswerOffer(1, match.state.seq, False)).play("5").do(Offer(0, "takeback", 3))
    match.do(AnswerOffer(1, match.state.seq, True)).play("6").do(Offer(1, "draw", 3))
    match.do(AnswerOffer(0, match.state.seq, False))
    rows = markup.read(fragments.snapshot(match.scene("0")))
    listed = [row.attributes["id"] for row in rows if row.tag == "li"]
    declined, took_back, again = (f"a-{aside.seq}" for aside in match.scene("0").offers.asides)
    assert listed == ["m-1", "m-2", declined, took_back, "m-3", again]
    match.do(Offer(0, "takeback", 3))
    match.do(AnswerOffer(1, match.state.seq, True)).play("1").do(Offer(0, "takeback", 3))
    match.do(AnswerOffer(1, match.state.seq, True))
    assert [aside.ply for aside in match.scene("0").offers.asides] == [2] * 5


def test_the_one_who_offered_reads_and_hears_that_it_was_declined_until_they_move() -> None:
    match = offered("draw")
    match.do(AnswerOffer(1, match.state.seq, False))
    said = "Jonas declined a draw."
    assert [said in match.scene(audience).status.words for audience in ("0", "1", "")] == [True, False, False]
    heard = [match.scene(audience, base=match.state.seq - 1).alert for audience in ("0", "1", "")]
    assert heard == [said, "", ""]
    assert match.scene("0", base=match.state.seq).alert == ""
    assert said not in match.scene("0", ply=1).status.words, "the line says which move is looked at"
    match.play("5")
    assert said not in match.scene("0").status.words


def test_an_offer_that_was_answered_by_a_move_is_still_told_to_the_one_who_made_it() -> None:
    match = Played(moves="4", seats=PEOPLE, offers=True).do(Offer(0, "draw", 1))
    match.do(AnswerOffer(1, match.state.seq, False)).play("5")
    assert "Jonas declined a draw." in match.scene("0").status.words
    match.do(Offer(0, "draw", 2))
    assert "declined" not in match.scene("0").status.words
