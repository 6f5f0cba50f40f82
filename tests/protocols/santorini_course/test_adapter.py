"""What transcripts cannot say about `santorini-course`: pauses instead of answers, whole matches, any order."""

from __future__ import annotations

import json
import random

from hypothesis import given

import games
from arena.protocols.adapter import BotMove, Bye, Ended, Moved, Seated, Started, Turn
from arena.protocols.santorini_course.adapter import SantoriniCourse
from tests.protocols.fuzzing import Step, run, steps
from tests.protocols.santorini_course.test_values import course_turn
from tests.protocols.santorini_json.test_adapter import as_judged, bounded, waits_for
from tests.protocols.santorini_json.test_values import square

WORDS = [
    b'"you"',
    b'"x"',
    b"[0,0]",
    b"[2,3]",
    b'["you1","EAST","PUT","WEST","PUT"]',
    b'["x2","PUT","SOUTH"]',
    b"\n",
    b"[[",
    b"NaN ",
]


def ready(seat: int = 0) -> SantoriniCourse:
    bot = SantoriniCourse()
    bot.receive_data(json.dumps(("max", "anna")[seat]).encode())
    bot.send(Seated(seat, ("max", "anna")[seat], ("anna", "max")[seat], "30s"))
    bot.events_received()
    return bot


def test_it_has_the_facts_of_the_course() -> None:
    facts = (SantoriniCourse.port, SantoriniCourse.rounds, SantoriniCourse.ready_s, SantoriniCourse.clock)
    assert facts == (4206, None, 20.0, "30s")
    assert (SantoriniCourse.joins, SantoriniCourse.resumes, SantoriniCourse.on_illegal) == (False, False, "lose")
    assert (SantoriniCourse.pause_s, SantoriniCourse.fault_ends_series) == (0.15, True)
    assert SantoriniCourse.variants == ("santorini-6x6",)


def test_two_values_are_never_in_one_read() -> None:
    """Renamed, named an opponent and asked at once: each waits for a pause."""
    bot, start = SantoriniCourse(), games.variant("santorini-6x6").start()
    bot.receive_data(b'"Max"')
    bot.send(Seated(0, "max", "anna", "30s"))
    bot.send(Started(start))
    bot.send(Turn(start))
    for value in (["playing-as", "max"], "anna"):
        assert json.loads(bot.data_to_send()) == value
        assert waits_for(bot) == ("pause", 0.15)
        bot.tick("pause")
    assert json.loads(bot.data_to_send()) == []
    assert waits_for(bot) is None, "a request runs on the clock of the match"


def test_the_next_match_comes_at_once_behind_an_answer() -> None:
    bot, start = ready(), games.variant("santorini-6x6").start()
    bot.send(Started(start, 1, 2))
    bot.tick("pause")
    bot.send(Turn(start))
    bot.receive_data(b'"max"')
    bot.data_to_send()
    bot.send(Ended(1, "resign", "", start, last=False))
    bot.send(Seated(1, "max", "anna", "30s"))
    bot.send(Started(start, 2, 2))
    assert json.loads(bot.data_to_send()) == "anna"


def test_whole_matches_are_played_one_value_at_a_time() -> None:
    for seed in range(3):
        play_a_match(random.Random(seed))


def play_a_match(rng: random.Random) -> None:
    bots = ready(0), ready(1)
    position = games.variant("santorini-6x6").start()
    for bot, opponent in zip(bots, ("anna", "max"), strict=True):
        bot.send(Started(position))
        assert read_one(bot) == opponent
        bot.tick("pause")
    while (seat := position.to_move) is not None:
        bot = bots[seat]
        bot.send(Turn(position))
        asked = read_one(bot)
        assert isinstance(asked, list)
        move = rng.choice(position.legal_moves())
        answer = course_turn(position, move) if len(asked) == 6 else [*square(move)]
        bot.receive_data(json.dumps(answer).encode())
        assert bot.events_received() == [BotMove(move)]
        position = position.play(move)
        for other in bots:
            other.send(Moved(seat, move, position))
            assert other.data_to_send() == b""
    outcome = position.outcome()
    assert outcome is not None and outcome.winner is not None
    names = ("max", "anna")
    for bot in bots:
        bot.send(Ended(outcome.winner, "normal", outcome.reason, position))
        assert read_one(bot) == [[names[outcome.winner], names[1 - outcome.winner]]]
        assert not bot.wants_close
        bot.tick("pause")
        assert bot.wants_close


def read_one(bot: SantoriniCourse) -> object:
    """The one value that a known client gets from one read."""
    data = bot.data_to_send()
    assert 0 < len(data) <= 1024
    return json.loads(data)


def test_the_outcomes_of_a_long_series_fit_into_one_read() -> None:
    bot, start = ready(), games.variant("santorini-6x6").start()
    for number in range(1, 101):
        bot.send(Started(start, number, 100))
        bot.tick("pause")
        bot.data_to_send()
        bot.send(Ended(0, "normal", "", start, last=number == 100))
    finished = bot.data_to_send()
    assert 1024 - len(b'["max","anna"],') < len(finished) <= 1024


def test_a_bot_that_stayed_for_an_event_is_told_the_outcomes_at_its_end() -> None:
    bot, start = ready(), games.variant("santorini-6x6").start()
    for opponent in ("anna", "eve"):
        bot.send(Seated(0, "max", opponent, "30s"))
        bot.send(Started(start, 1, 1))
        bot.tick("pause")
        bot.send(Ended(0, "normal", "", start, last=False))
    bot.data_to_send()
    bot.send(Bye(of_event=True))
    assert json.loads(bot.data_to_send()) == [["max", "anna"], ["max", "eve"]]


@given(script=steps(WORDS, "santorini-6x6"))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = SantoriniCourse(), SantoriniCourse()
    seen = run(whole, script, False, lambda: bounded(whole)), run(cut, script, True, lambda: bounded(cut))
    assert as_judged(seen[0]) == as_judged(seen[1])
