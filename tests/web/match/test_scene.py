from __future__ import annotations

from typing import Any

import pytest

from arena.bots.failure.cards import Card
from arena.match.commands import Adjudicate, Pause, Resign
from arena.match.decide import open_match
from arena.match.state import SeatSetup, Setup, first_state
from arena.play.thinking import builtin_on_seat
from arena.web.match.fragments import player, status
from arena.web.match.scene import Beside, Scene, Series, Signals, make_scene
from tests.web import markup
from tests.web.played import AT, PEOPLE, Played


def _line(scene: Scene) -> str:
    return markup.words(scene.status.words)


def test_you_are_always_the_near_player_and_a_watcher_sees_the_first_seat_near() -> None:
    match = Played()
    assert match.scene("1").near.name == "gravity-9" and match.scene("1").far.name == "Mira"
    assert match.scene("").near.name == "Mira"
    assert match.scene("1").near.tag == "you" and match.scene("").near.tag == ""


def test_the_line_tells_each_audience_whose_turn_it_is() -> None:
    match = Played(moves="44")
    assert _line(match.scene("0")) == "Your turn gravity-9 played column 4."
    assert _line(match.scene("1")) == "Mira is thinking."
    assert _line(match.scene("")) == "Orange to move: Mira."
    assert match.scene("0").status.tone == "accent"


def test_the_first_to_move_is_told_so() -> None:
    assert _line(Played().scene("0")) == "Your turn You move first."


def test_a_bot_that_thinks_is_counted_from_the_begin_of_its_turn() -> None:
    scene = Played(moves="4").scene("0", signals=Signals(now_ms=50_000, left_ms=(120_000, 117_000)))
    assert 'data-think="47000"' in scene.status.words
    assert _line(scene).startswith("gravity-9 is thinking …")


def test_only_the_seat_to_move_may_choose() -> None:
    match = Played(moves="4")
    assert [match.scene(audience).choice.enabled for audience in ("0", "1", "")] == [False, True, False]


def test_nobody_may_choose_at_an_earlier_position() -> None:
    scene = Played(moves="443").scene("1", ply=2)
    assert (scene.ply, scene.plies, scene.past, scene.choice.enabled) == (2, 3, True, False)
    assert _line(scene) == "You are looking at move 2 of 3. Back to live"
    assert scene.view.last == "4"


def test_an_earlier_position_is_drawn_as_it_was() -> None:
    assert Played(moves="443").scene(ply=2).view.board == Played(moves="44").state.position.board()
    assert Played(moves="443").scene(ply=0).view.last is None


@pytest.mark.parametrize(("asked", "shown"), [(-3, 0), (99, 3), (3, 3), (None, 3)])
def test_a_ply_outside_the_match_is_its_nearest(asked: int | None, shown: int) -> None:
    assert Played(moves="443").scene(ply=asked).ply == shown


def test_rows_are_the_moves_after_what_the_reader_has() -> None:
    match = Played(moves="443")
    rows = match.scene().rows
    assert [(row.ply, row.seat, row.move, row.note) for row in rows] == [
        (1, 0, "4", "row 1"),
        (2, 1, "4", "row 2"),
        (3, 0, "3", "row 1"),
    ]
    assert match.scene(base=len(match.events) - 1).rows == rows[-1:]
    assert match.scene(base=len(match.events)).rows == ()


def test_what_is_read_aloud_names_the_move_and_the_turn() -> None:
    match = Played(moves="44")
    signals = Signals(left_ms=(91_400, 118_800))
    assert match.scene("0", signals=signals).say == "gravity-9 dropped in column 4, row 2. Your turn, 1 minute 31."
    assert match.scene("1").say == "You dropped in column 4, row 2."
    assert match.scene("").say == "gravity-9 dropped in column 4, row 2."
    assert match.scene("0", base=len(match.events)).say == "", "nothing new, nothing said"


def test_the_clock_of_the_side_to_move_runs() -> None:
    scene = Played(moves="4").scene("0", signals=Signals(left_ms=(1, 2)))
    assert [(card.left_ms, card.running) for card in scene.cards] == [(1, False), (2, True)]
    assert [card.left_ms for card in Played(clock="none").scene().cards] == [None, None]


def test_a_match_that_has_not_started_waits_for_who_is_not_there() -> None:
    setup = Setup("connect-four-7x6", PEOPLE)
    state, events = first_state(setup), list(open_match(setup, AT))
    waiting = make_scene("abc", state, events, "0", signals=Signals(here=(True, False)))
    assert _line(waiting) == "Waiting for gravity-9 to connect."
    assert _line(make_scene("abc", state, events, "0")) == "Both seats are ready. Starting."


def test_an_absent_opponent_has_a_countdown_and_oneself_has_none() -> None:
    match = Played(moves="4")
    signals = Signals(now_ms=1_000, here=(True, False), back_ms=(None, 42_000))
    assert _line(match.scene("0", signals=signals)) == (
        "gravity-9 lost its connection. It has 0:42 to come back; its clock runs."
    )
    assert 'data-until="43000"' in match.scene("0", signals=signals).status.words
    assert _line(match.scene("1", signals=signals)).startswith("Your turn")


def _ms_after_the_last_event(seconds: int) -> int:
    return round(AT.timestamp() + seconds) * 1000


def test_a_match_that_nobody_begins_says_when_it_ends() -> None:
    match = Played(clock="none", pairing=1)
    signals = Signals(now_ms=_ms_after_the_last_event(18))
    said = "The match ends without a result in 0:42 unless"
    assert _line(match.scene("0", signals=signals)).endswith(f"{said} you make the first move.")
    for audience in ("1", ""):
        assert _line(match.scene(audience, signals=signals)).endswith(f"{said} Mira makes the first move.")
    assert f'data-until="{_ms_after_the_last_event(60)}"' in match.scene("1", signals=signals).status.words


def test_a_match_that_nobody_goes_on_with_says_who_loses_in_its_last_hour() -> None:
    match = Played(clock="none", moves="4")
    late = Signals(now_ms=_ms_after_the_last_event(23 * 3600 + 60))
    assert _line(match.scene("1", signals=late)).endswith("You lose in 59:00 unless you move.")
    assert _line(match.scene("0", signals=late)).endswith("gravity-9 loses in 59:00 unless a move is made.")
    assert " hidden>" not in match.scene("0", signals=late).status.words.partition("expires")[2]
    early = match.scene("0", signals=Signals(now_ms=_ms_after_the_last_event(60))).status.words
    assert 'data-within="3600000" hidden>' in early


@pytest.mark.parametrize("setup", [{"clock": "2m"}, {"clock": "none", "seats": (PEOPLE[0], PEOPLE[0])}])
def test_nothing_runs_out_where_a_clock_decides_or_the_match_waits(setup: dict[str, Any]) -> None:
    assert "expires" not in Played(**setup).scene("0", signals=Signals(now_ms=1)).status.words


def test_a_pause_says_that_clocks_stand() -> None:
    assert "Clocks are stopped" in _line(Played().do(Pause("lunch", "Ada")).scene("0"))


def test_the_end_is_a_card_in_the_words_of_its_reader() -> None:
    match = Played(moves="4152637")
    won, lost, seen = (match.scene(audience).result for audience in ("0", "1", ""))
    assert won and lost and seen
    assert (won.title, lost.title, seen.title) == ("You won", "Mira won", "Mira won")
    assert won.reason == "Four in a row, from column 4 to 7."
    assert match.scene("0", base=3).alert == "You won. Four in a row, from column 4 to 7."
    assert match.scene("0").say == ""


def test_an_end_that_the_reader_knows_is_not_read_aloud_again() -> None:
    match = Played(moves="4152637")
    assert match.scene("0", base=len(match.events)).alert == ""


def test_looking_back_into_an_ended_match_shows_no_card() -> None:
    scene = Played(moves="4152637").scene("0", ply=3)
    assert scene.result is None and _line(scene) == "You are looking at move 3 of 7."


def test_a_decision_names_the_referee_and_the_reason() -> None:
    match = Played().do(Adjudicate(1, "power cut", "Ada"))
    card = match.scene("0").result
    assert card and (card.title, card.reason) == ("gravity-9 won (by decision)", "Decided by referee Ada: “power cut”.")


def test_a_rematch_is_offered_to_seats_that_can_have_one() -> None:
    builtin = (SeatSetup("Mira"), SeatSetup("Club", "builtin", level="club"))
    assert Played(seats=builtin).do(Resign(0)).scene("0").after.rematch
    assert not Played(seats=builtin).do(Resign(0)).scene("").after.rematch
    assert not Played(seats=builtin).scene("0").after.rematch
    people = (SeatSetup("Mira"), SeatSetup("Jonas"))
    assert not Played(seats=people).do(Resign(0)).scene("0").after.rematch, (
        "without a room the two cannot find each other"
    )
    assert Played(seats=people, room=7).do(Resign(0)).scene("0").after.rematch
    assert Played(room=7).do(Resign(0)).scene("0").after.rematch, "a bot comes back to its room, or is called"
    assert not Played(room=7, pairing=3).do(Resign(0)).scene("0").after.rematch, "the event says what its bots play"
    following = Beside(Series(("l", "w"), over=False, next_round=2))
    ended = Played(seats=people, room=7, rounds=2).do(Resign(0))
    assert not ended.scene("0", beside=following).after.rematch, "the next round follows"
    assert ended.scene("0", beside=Beside(Series(("l", "w"), over=True))).after.rematch


def test_the_other_ones_wish_for_a_rematch_is_shown_to_who_can_grant_it() -> None:
    people = (SeatSetup("Mira"), SeatSetup("Jonas"))
    match = Played(seats=people, room=7).do(Resign(0))
    beside = Beside(wants="Mira")
    assert match.scene("1", beside=beside).after.wants == "Mira"
    assert match.scene("", beside=beside).after.wants == ""


def test_a_reader_who_knows_the_end_is_told_of_no_note_but_of_a_ruling() -> None:
    match = Played(moves="4152637")
    ended = len(match.events)
    match.write("note", seat=1, data={"failure": Card("crash", "It stopped", "Why.", "Look.").to_data()})
    assert match.scene("0", base=ended).alert == "" and match.scene("0").after.failed == (1,)
    match.write("ruled", actor="Ada", data={"verdict": "win", "winner": 1, "reason": "wrong clock"})
    assert match.scene("0", base=ended).alert == "gravity-9 won (by decision). Decided by referee Ada: “wrong clock”."


def test_the_second_line_says_what_kind_of_player_it_is() -> None:
    seats = (SeatSetup("Mira", verified=True), SeatSetup("Club", "builtin", level="club"))
    assert [card.line for card in Played(seats=seats).scene().cards] == ["In the browser", "Built-in player"]
    assert [card.line for card in Played().scene().cards] == ["Guest", "Droidcon Connect Four"]
    seats = (SeatSetup("Mira"), SeatSetup("gravity-9", "bot"))
    assert Played(seats=seats).scene().cards[1].line == "Bot"


def test_the_mean_reply_of_a_program_stands_beside_it_and_no_person_is_measured() -> None:
    cards = Played(moves="44").scene(beside=Beside(replies=(1200, 149))).cards
    assert [card.line for card in cards] == ["Guest", "0.1 s a move · Droidcon Connect Four"]
    at_once = Played(moves="44").scene(beside=Beside(replies=(None, 3))).cards[1]
    assert at_once.line == "<\N{NO-BREAK SPACE}0.1 s a move · Droidcon Connect Four"
    seats = (SeatSetup("Mira"), SeatSetup("Club", "builtin", level="club"))
    assert Played(seats=seats).scene(beside=Beside(replies=(None, 2000))).cards[1].line == (
        "2.0 s a move · built-in player"
    )
    seats = (SeatSetup("Mira"), builtin_on_seat("club"))
    named = Played(seats=seats).scene(beside=Beside(replies=(None, 2000))).cards[1]
    assert (named.name, named.line) == ("Club (built in)", "2.0 s a move"), "it is not said twice"
    assert Played(seats=seats).scene().cards[1].line == "On this server", "nor before its first move"


def test_a_slow_line_stands_beside_its_person_while_the_match_runs() -> None:
    match = Played(moves="44")

    def lines(first_ms: int, second_ms: int = 0) -> list[str]:
        signals = Signals(lag_ms=(first_ms, second_ms))
        return [card.line for audience in ("0", "") for card in match.scene(audience, signals=signals).cards[:1]]

    assert lines(300) == ["Slow line: 300 ms, given back · Guest"] * 2, "for both"
    assert lines(800) == ["Slow line: 800 ms, 500 given back · Guest"] * 2
    assert lines(100) == lines(0, 300) == ["Guest"] * 2
    scene = match.scene("1", signals=Signals(lag_ms=(300, 0)))
    assert (scene.say, scene.alert) == (match.scene("1").say, ""), "it is not read aloud"
    match.do(Resign(0))
    assert lines(300) == ["Guest"] * 2


def test_a_rating_stands_beside_the_name_of_who_has_one() -> None:
    scene = Played().scene(beside=Beside(ratings=("1702", "1544?")))
    first, second = (player(scene, card, "near") for card in scene.cards)
    assert markup.words(first).startswith("Mira , Orange Rating 1702 Guest")
    assert "Rating 1544? , not yet settled" in markup.words(second)
    assert "Rating" not in player(Played().scene(), Played().scene().near, "near")


def test_who_said_no_to_a_rematch_is_named_to_the_other() -> None:
    people = (SeatSetup("Mira"), SeatSetup("Jonas"))
    match = Played(seats=people, room=7).do(Resign(0))
    assert "Jonas said no to a rematch." in status(match.scene("0", beside=Beside(declined="Jonas")))
    assert "said no" not in status(match.scene("", beside=Beside(declined="Jonas")))


def test_a_guest_is_offered_to_keep_the_name() -> None:
    match = Played()
    own, other = (player(match.scene(audience), match.scene(audience).cards[0], "near") for audience in ("0", "1"))
    assert "keep this name" in own and "keep this name" not in other
