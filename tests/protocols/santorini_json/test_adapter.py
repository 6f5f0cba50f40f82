"""What transcripts cannot say about `santorini-json`: one value at a time, whole matches, anything in any order."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given

import games
from arena.protocols.adapter import (
    BotFault,
    BotMove,
    Bye,
    Deadline,
    Ended,
    FromBot,
    Moved,
    Ready,
    Seated,
    Started,
    Turn,
)
from arena.protocols.framing import shown
from arena.protocols.json_values import VALUE_CAP
from arena.protocols.santorini_actions import ACK_S, PAUSE_S, READ
from arena.protocols.santorini_json.adapter import SantoriniJson
from arena.protocols.santorini_player import JsonSantorini
from tests.protocols.fuzzing import Seen, Step, run, steps
from tests.protocols.santorini_json.test_values import square, wire_turn

WORDS = [
    b'"OK"',
    b'"OK"',
    b'"x"',
    b'["join","x"]',
    b'["place",0,0]',
    b'["place",2,3]',
    b'[["move",{"player":"you","id":1},["EAST","PUT"]],["build",["WEST","PUT"]]]',
    b'[["move",{"player":"you","id":2},["PUT","SOUTH"]]]',
    b"\n",
    b"[[",
    b"NaN ",
]


def ready(seat: int = 0) -> SantoriniJson:
    bot = SantoriniJson()
    bot.tick("ready")
    bot.send(Seated(seat, ("max", "anna")[seat], ("anna", "max")[seat], "30s"))
    bot.events_received()
    return bot


def waits_for(bot: JsonSantorini) -> tuple[str, float] | None:
    return (bot.deadline.name, bot.deadline.seconds) if bot.deadline else None


def test_it_has_the_facts_of_the_text() -> None:
    assert (SantoriniJson.port, SantoriniJson.rounds, SantoriniJson.ready_s, SantoriniJson.clock) == (
        4204,
        None,
        20.0,
        "30s",
    )
    assert (SantoriniJson.joins, SantoriniJson.resumes, SantoriniJson.on_illegal) == (False, False, "lose")
    assert (SantoriniJson.ack_s, SantoriniJson.fault_ends_series) == (10.0, True)
    assert SantoriniJson.variants == ("santorini-6x6",)


def test_it_listens_for_a_name_before_it_is_ready() -> None:
    bot = SantoriniJson()
    assert (bot.events_received(), waits_for(bot), bot.listens) == ([], ("ready", 20.0), True)
    bot.tick("ready")
    assert (bot.events_received(), waits_for(bot), bot.listens) == ([Ready()], None, False)


def test_it_no_longer_listens_once_a_name_has_begun() -> None:
    bot = SantoriniJson()
    bot.receive_data(b" \n")
    assert bot.listens
    bot.receive_data(b'["jo')
    assert not bot.listens
    bot.receive_data(b'in","max"]')
    assert not bot.listens and waits_for(bot) == ("ready", PAUSE_S)


@pytest.mark.parametrize("word", [b"null", b"true", b"7", b"OK", b'{"type":"OK"}', b"\xff"])
def test_what_no_answer_begins_with_is_judged_at_its_first_byte(word: bytes) -> None:
    """At the registration, instead of an acknowledgement, and as an answer; between two matches it means nothing."""
    position = games.variant("santorini-6x6").start()
    unregistered, unacknowledged, asked = SantoriniJson(), ready(), ready()
    unacknowledged.send(Started(position))
    asked.send(Started(position))
    asked.receive_data(b'"OK"')
    asked.send(Turn(position))
    for bot in (unregistered, unacknowledged, asked):
        bot.receive_data(word[:1])
        expected = 'a JSON array or text, beginning with [ or "'
        assert bot.events_received() == [BotFault("bad_output", shown(word[:1]), expected)]


def test_between_two_matches_it_means_nothing() -> None:
    bot, position = ready(), games.variant("santorini-6x6").start()
    bot.send(Started(position))
    bot.receive_data(b'"OK"')
    bot.send(Ended(0, "normal", "", position, last=False))
    bot.receive_data(b'tr"OK"ue')
    assert bot.events_received() == [] and waits_for(bot) is None
    bot.send(Started(position))
    bot.receive_data(b'"OK"')
    assert bot.events_received() == [] and waits_for(bot) is None


def test_the_answer_to_a_registration_is_not_glued_to_the_next_value() -> None:
    bot = SantoriniJson()
    bot.receive_data(b'["join","max"]')
    assert bot.data_to_send() == b'"OK"\n'
    assert Ready() not in bot.events_received()
    assert waits_for(bot) == ("ready", PAUSE_S)


def test_the_results_of_a_long_series_fit_into_one_read() -> None:
    bot, start = ready(), games.variant("santorini-6x6").start()
    told = []
    for number in range(1, 41):
        bot.send(Started(start, number, 40))
        bot.receive_data(b'"OK"')
        bot.send(Ended(number % 2, "normal", "", start, last=number == 40))
        told.append(bot.data_to_send())
        bot.receive_data(b'"OK"')
    finished = bot.data_to_send()
    word, results = json.loads(finished)
    assert (word, results[-1]["winner"], results[-2]["winner"]) == ("tournament_finished", "max", "anna")
    assert READ - len(b'{"winner":"anna","loser":"max","reason":"WON"},') < len(finished) <= READ
    assert max(map(len, told)) <= READ


def test_every_acknowledgement_has_a_wait_of_its_own() -> None:
    bot = ready()
    position = games.variant("santorini-6x6").start()
    bot.send(Started(position))
    first = bot.deadline
    assert isinstance(first, Deadline)
    assert waits_for(bot) == ("ack", ACK_S)
    bot.receive_data(b'"OK"')
    assert bot.deadline is None
    bot.send(Turn(position))
    assert bot.deadline is None, "a request runs on the clock of the match"
    bot.send(Ended(0, "resign", "why", position))
    second = bot.deadline
    assert second is not None
    bot.receive_data(b'["place",0,0]')
    assert bot.deadline is not None
    assert len({id(first), id(second), id(bot.deadline)}) == 3


def test_a_missing_acknowledgement_says_what_was_expected() -> None:
    bot = ready()
    bot.send(Started(games.variant("santorini-6x6").start()))
    bot.tick("ack")
    assert bot.events_received() == [BotFault("stall", "", '"OK" within 10 s')]


def test_whole_matches_are_played_one_value_at_a_time() -> None:
    """Two clients that answer each value they read, and never find two at once; both are told the same result."""
    for seed in range(3):
        play_a_match(random.Random(seed))


def play_a_match(rng: random.Random) -> None:
    bots = ready(0), ready(1)
    position = games.variant("santorini-6x6").start()
    for bot in bots:
        bot.send(Started(position))
        assert read_one(bot)[0] == "new_game"
        bot.receive_data(b'"OK"')
    while (seat := position.to_move) is not None:
        bot = bots[seat]
        bot.send(Turn(position))
        asked = read_one(bot)[0]
        move = rng.choice(position.legal_moves())
        answer = ["place", *square(move)] if asked == "place" else wire_turn(position, move)
        bot.receive_data(json.dumps(answer).encode())
        assert bot.events_received() == [BotMove(move)]
        position = position.play(move)
        for other in bots:
            other.send(Moved(seat, move, position))
            assert other.data_to_send() == b""
    outcome = position.outcome()
    assert outcome is not None
    names = ("max", "anna")
    result = {"winner": names[outcome.winner or 0], "loser": names[1 - (outcome.winner or 0)], "reason": "WON"}
    for bot in bots:
        bot.send(Ended(outcome.winner, "normal", outcome.reason, position))
        assert read_one(bot) == ["over", result]
        bot.receive_data(b'"OK"')
        assert read_one(bot) == ["tournament_finished", [result]]
        bot.receive_data(b'"OK"')
        assert bot.wants_close


def read_one(bot: SantoriniJson) -> list[object]:
    """The one value that a known client gets from one read."""
    data = bot.data_to_send()
    assert len(data) <= 1024
    value = json.loads(data)
    assert isinstance(value, list)
    return value


@given(script=steps(WORDS, "santorini-6x6"))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = SantoriniJson(), SantoriniJson()
    seen = run(whole, script, False, lambda: bounded(whole)), run(cut, script, True, lambda: bounded(cut))
    assert as_judged(seen[0]) == as_judged(seen[1])


def as_judged(seen: list[Seen]) -> list[Seen]:
    """Without the words of what is judged at its first byte: they show as much as has come."""
    return [(out, [_as_judged(event) for event in told], closes) for out, told, closes in seen]


def _as_judged(event: FromBot) -> FromBot:
    if isinstance(event, BotFault) and event.received[:1] not in ("[", '"', ""):
        return BotFault(event.code, "…", event.expected, event.move)
    return event


def bounded(bot: JsonSantorini) -> None:
    assert len(bot._buffer._partial) <= VALUE_CAP
    assert len(bot._next) <= 4


def test_who_stayed_for_an_event_is_told_at_its_end_how_its_matches_went() -> None:
    bot, start = ready(), games.variant("santorini-6x6").start()
    for opponent in ("anna", "eve"):
        bot.send(Seated(0, "max", opponent, "30s"))
        bot.send(Started(start, 1, 1))
        bot.receive_data(b'"OK"')
        bot.send(Ended(0, "normal", "", start, last=False))
        bot.receive_data(b'"OK"')
    bot.data_to_send()
    bot.send(Bye(of_event=True))
    assert json.loads(bot.data_to_send()) == [
        "tournament_finished",
        [
            {"winner": "max", "loser": "anna", "reason": "WON"},
            {"winner": "max", "loser": "eve", "reason": "WON"},
        ],
    ]
    assert not bot.wants_close
    bot.receive_data(b'"OK"')
    assert bot.wants_close
