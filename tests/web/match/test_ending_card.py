"""What stands on a match page once it is over."""

from __future__ import annotations

from django.utils import translation

from arena.match.commands import Resign
from arena.match.state import SeatSetup
from arena.web.match import fragments
from arena.web.match.ending_card import result_card
from arena.web.match.scene import Beside, Series
from tests.web import markup
from tests.web.played import Played

BUILTIN = (SeatSetup("Mira", player=1), SeatSetup("Club (built in)", "builtin", level="club"))


def test_it_says_who_won_and_what_can_be_done_now_in_the_reader_s_language() -> None:
    scene = Played(moves="4343", seats=BUILTIN).do(Resign(1)).scene("0")
    assert scene.result is not None and "Rematch" in markup.words(result_card(scene, scene.result, ""))
    with translation.override("de"):
        scene = Played(moves="4343", seats=BUILTIN).do(Resign(1)).scene("0")
        words = markup.words(fragments.status(scene))
    assert "Du hast gewonnen" in words and "hat aufgegeben" in words and "Revanche" in words


def test_a_phone_leaves_out_that_it_was_friendly_but_not_how_the_series_ended() -> None:
    beside = Beside(series=Series(("wd", "ld"), over=True))
    scene = Played(moves="4343", room=7, rounds=2).do(Resign(1)).scene("0", beside=beside)
    assert scene.result is not None
    card = result_card(scene, scene.result, "")
    assert '<span class="note num friendly">· Friendly, ratings unchanged</span>' in card
    assert '<span class="note num">· Series won 1.5 to 0.5.</span>' in card


def test_a_name_keeps_its_direction_and_is_cut_before_what_is_said_of_it() -> None:
    seats = (SeatSetup("דוד", player=1), SeatSetup("<Nora>", player=2))
    scene = Played(moves="4343", seats=seats).do(Resign(1)).scene()
    assert scene.result is not None
    card = result_card(scene, scene.result, "")
    assert "<h2><bdi>\u2068דוד\u2069</bdi> won</h2>" in card
    scene = Played(moves="4343", seats=seats).do(Resign(0)).scene()
    assert scene.result is not None
    card = result_card(scene, scene.result, "")
    assert "<h2><bdi>&lt;Nora&gt;</bdi> won</h2>" in card and "\u2068דוד\u2069 resigned" in card


def test_a_watcher_who_had_no_opponent_is_offered_to_play() -> None:
    match = Played(moves="4343").do(Resign(1))
    watched, mine = (fragments.status(match.scene(audience)) for audience in ("", "0"))
    assert ">Play</a>" in watched and "New opponent" not in watched
    assert "New opponent</a>" in mine and ">Play</a>" not in mine
