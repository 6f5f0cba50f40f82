"""Every state of a match in the words of its page: each row is a state, who reads, and what they read."""

from __future__ import annotations

from typing import Any

import pytest

from arena.match.commands import Fault, Pause, Resign
from arena.match.decide import open_match
from arena.match.state import SeatSetup, Setup, first_state
from arena.web.match.scene import Beside, Scene, Series, Signals, make_scene
from tests.web import markup
from tests.web.played import AT, PEOPLE, Played

NOW = Signals(now_ms=1_000_000, left_ms=(120_000, 112_000))
AWAY = NOW._replace(here=(True, False), back_ms=(None, 42_000))
UNWATCHED = NOW._replace(here=(True, False))
BUILTIN = (SeatSetup("Mira", player=1), SeatSetup("Club", "builtin", level="club"))
TWO = (SeatSetup("Mira", player=1), SeatSetup("Jonas", player=2))


def line(scene: Scene) -> tuple[str, str]:
    return scene.status.tone, markup.words(scene.status.words)


def opened(signals: Signals) -> Scene:
    setup = Setup("connect-four-7x6", PEOPLE)
    return make_scene("abc", first_state(setup), list(open_match(setup, AT)), "0", signals=signals)


def played(moves: str, audience: str = "0", signals: Signals = NOW, **setup: Any) -> Scene:
    return Played(moves=moves, **setup).scene(audience, signals=signals)


# What clock.js shows instead of it in the last seconds is in the same line, hidden: it follows here.
LONG = " gravity-9 has been thinking for. It loses at 0:00."
STATES = {
    "waiting for the other seat": (opened(UNWATCHED), "", "Waiting for gravity-9 to connect."),
    "both are ready": (opened(NOW), "", "Both seats are ready. Starting."),
    "your turn": (played("43"), "accent", "Your turn gravity-9 played column 3."),
    "your turn, first move": (played(""), "accent", "Your turn You move first."),
    "a person thinks": (played("4", seats=TWO), "", "Jonas is thinking."),
    "a bot thinks": (played("4"), "", "gravity-9 is thinking …" + LONG),
    "a built-in player thinks": (
        played("4", seats=BUILTIN, signals=Signals()),
        "",
        "Club is thinking … Club has been thinking for.",
    ),
    "watching": (played("4", ""), "", "Blue to move: gravity-9."),
    "looking back": (
        Played(moves="4343").scene("0", ply=2),
        "warn",
        "You are looking at move 2 of 4. Back to live",
    ),
    "looking back after the end": (
        Played(moves="4343").do(Resign(0)).scene("0", ply=2),
        "warn",
        "You are looking at move 2 of 4.",
    ),
    "a bot is gone, its clock runs": (
        played("4", signals=AWAY),
        "warn",
        "gravity-9 lost its connection. It has 0:42 to come back; its clock runs.",
    ),
    "a bot is gone in your turn": (
        played("43", signals=AWAY),
        "warn",
        "gravity-9 lost its connection. It has 0:42 to come back.",
    ),
    "a person is gone": (
        played("4", seats=TWO, signals=AWAY),
        "warn",
        "Jonas is offline. 0:42 to come back, or Jonas loses.",
    ),
    "a person nobody waits for is gone": (played("4", seats=TWO, signals=UNWATCHED), "warn", "Jonas is offline."),
    "who watches reads it too": (
        played("4", "", AWAY, seats=TWO),
        "warn",
        "Jonas is offline. 0:42 to come back, or Jonas loses.",
    ),
    "paused by staff": (
        Played(moves="4").do(Pause("lunch", "Ada")).scene("0"),
        "warn",
        "A referee has paused this match: lunch. Clocks are stopped.",
    ),
    "paused by staff for a reason that sounds like ours": (
        Played(moves="4").do(Pause("the server room is on fire", "Ada")).scene("0"),
        "warn",
        "A referee has paused this match: the server room is on fire. Clocks are stopped.",
    ),
    "paused by staff, and one is missing after a restart": (
        Played(moves="4").do(Pause("lunch", "Ada")).scene("0", signals=AWAY),
        "warn",
        "A referee has paused this match: lunch. Clocks are stopped.",
    ),
    "after a restart": (
        Played(moves="4").do(Pause("the server was restarted")).scene("0"),
        "warn",
        "The server was restarted. The match continues where it stopped.",
    ),
    "after a restart, one is missing": (
        Played(moves="4").do(Pause("the server was restarted")).scene("0", signals=AWAY),
        "warn",
        "gravity-9 lost its connection. It has 0:42 to come back.",
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_the_line_under_the_board(state: str) -> None:
    scene, tone, words = STATES[state]
    assert line(scene) == (tone, words)


def test_a_bot_that_thinks_is_counted_from_the_begin_of_its_turn() -> None:
    assert 'data-think="992000"' in played("4").status.words


def test_the_last_seconds_of_ones_own_turn_have_a_place_in_the_line() -> None:
    assert "data-low" in played("43").status.words
    assert "data-low" not in played("4").status.words


def broken(audience: str, **series: Any) -> Scene:
    match = Played(moves="4343", room=7, rounds=4).do(Resign(1))
    return match.scene(audience, signals=NOW, beside=Beside(series=Series(("w", "l"), **series)))


def test_between_rounds_the_card_counts_down_and_says_who_moves_first() -> None:
    waiting = {"next_round": 2, "next_ms": 4_200, "next_first": 1}
    said = [broken(audience, **waiting).after.next_round for audience in ("0", "1", "")]
    assert [markup.words(each.words) if each else "" for each in said] == [
        "Round 2 of 4 starts in 0:04. Colours swap: gravity-9 moves first.",
        "Round 2 of 4 starts in 0:04. Colours swap: you move first.",
        "Round 2 of 4 starts in 0:04. Colours swap: gravity-9 moves first.",
    ]
    assert said[0] and 'data-until="1004200"' in said[0].words
    assert broken("0").after.next_round is None


def test_a_round_that_did_not_count_is_played_again() -> None:
    said = broken("0", next_round=1, next_ms=5_000, next_first=0).after.next_round
    assert said and markup.words(said.words) == "Round 1 of 4 is played again in 0:05: you move first."


def test_the_score_of_the_rounds_stands_below_the_reason() -> None:
    cards = [broken(audience).result for audience in ("0", "1", "")]
    assert [card.notes[-1] for card in cards if card] == ["1 to 0.", "0 to 1.", "Mira 1, gravity-9 0."]


def test_an_illegal_move_is_named_as_people_name_it() -> None:
    match = Played(moves="444444")
    match.do(Fault(0, "illegal_move", "column 4 is full; open columns: 1, 2", "3", "a column", "4"))
    card = match.scene("1").result
    assert card and card.reason == "Mira played column 4, which is full."


def test_a_ruling_takes_the_place_of_the_ending() -> None:
    match = Played(moves="43").do(Resign(0))
    match.write("ruled", actor="Ada", data={"verdict": "win", "winner": 0, "reason": "power cut"})
    card = match.scene("0").result
    assert card and (card.title, card.reason) == ("You won (by decision)", "Decided by referee Ada: “power cut”.")
    match.write("ruled", actor="Ada", data={"verdict": "void", "winner": None, "reason": "both cut"})
    card = match.scene("0").result
    assert card and (card.title, card.reason) == ("Not counted", "Declared void by referee Ada: “both cut”.")


def test_what_is_read_aloud_says_whose_turn_it_is_and_how_long() -> None:
    assert played("43").say == "gravity-9 dropped in column 3, row 1. Your turn, 1 minute 58."
    assert played("43", "1").say == "You dropped in column 3, row 1."
    assert played("43", "").say == "gravity-9 dropped in column 3, row 1."
