"""What is read aloud, and to whom, once."""

from __future__ import annotations

from arena.match.commands import AnswerOffer, Offer, Resign
from arena.match.state import SeatSetup
from arena.rooms.rematch import REMATCH
from arena.web.match.scene import Beside
from tests.web.played import Played

PEOPLE = (SeatSetup("Mira", player=1), SeatSetup("Jonas", player=2))


def test_a_move_that_was_taken_back_is_read_with_whose_turn_it_is_now() -> None:
    match = Played(moves="44", seats=PEOPLE, offers=True).do(Offer(0, "takeback", 2))
    heard = match.state.seq
    match.do(AnswerOffer(1, heard, True))
    said = {audience: match.scene(audience, heard=heard).say for audience in ("0", "1", "")}
    words = "Mira took back move 1."
    assert said == {"0": f"{words} Your turn.", "1": words, "": words}
    assert match.scene("0", heard=match.state.seq).say == "", "once"
    match.play("5")
    assert match.scene("1", heard=heard).say == "Mira dropped in column 5, row 1. Your turn, 2 minutes."


def test_what_the_other_one_says_to_a_rematch_is_read_once() -> None:
    match = Played(seats=PEOPLE, room=7).do(Resign(0))
    ended = match.state.seq
    match.write("note", seat=1, data={REMATCH: "asked"})
    asked = Beside(wants="Jonas")
    assert match.scene("0", base=ended, beside=asked).alert == "Jonas wants a rematch."
    assert match.scene("0", base=match.state.seq, beside=asked).alert == ""
    assert (match.scene("1", base=ended).alert, match.scene("1", base=ended).say) == ("", "Waiting for Mira to answer.")
    answered = match.state.seq
    match.write("note", seat=0, data={REMATCH: "declined"})
    assert match.scene("1", base=answered, beside=Beside(declined="Mira")).alert == "Mira said no to a rematch."
    assert match.scene("0", base=answered).alert == ""
    assert match.scene("0", beside=asked).alert == "You resigned. Jonas wins.", "who comes to it reads the end"
