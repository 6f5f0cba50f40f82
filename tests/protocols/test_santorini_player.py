"""What holds for every protocol of Santorini in JSON values."""

from __future__ import annotations

import pytest

import games
from arena.protocols.adapter import BotFault, BotMove, Ended, Seated, Started, Turn
from arena.protocols.santorini_actions import MOST_AHEAD
from arena.protocols.santorini_course.adapter import SantoriniCourse
from arena.protocols.santorini_json.adapter import SantoriniJson
from arena.protocols.santorini_player import JsonSantorini

START = games.variant("santorini-6x6").start()
# What each says before its first match, and the place a6.
PLAYERS = [
    pytest.param(SantoriniJson, b'["join","max"]', b'["place",0,0]', id="json"),
    pytest.param(SantoriniCourse, b'"max"', b"[0,0]", id="course"),
]


def registered(kind: type[JsonSantorini], name: bytes) -> JsonSantorini:
    bot = kind()
    bot.receive_data(name)
    bot.tick("ready")
    bot.send(Seated(0, "max", "anna", "30s"))
    bot.events_received()
    return bot


def asked(bot: JsonSantorini) -> None:
    bot.send(Started(START))
    if bot.pause_s is None:
        bot.receive_data(b'"OK"')
    else:
        bot.tick("pause")
    bot.send(Turn(START))


@pytest.mark.parametrize(("kind", "name", "place"), PLAYERS)
def test_answers_ahead_are_kept_in_order_up_to_a_bound(kind: type[JsonSantorini], name: bytes, place: bytes) -> None:
    bot = registered(kind, name)
    bot.receive_data(place * MOST_AHEAD)
    assert bot.ahead == (place,) * MOST_AHEAD and bot.events_received() == []
    bot.receive_data(place)
    (fault,) = bot.events_received()
    assert isinstance(fault, BotFault) and "ahead of the next request" in fault.expected


@pytest.mark.parametrize(("kind", "name", "place"), PLAYERS)
@pytest.mark.parametrize("junk", [b"[]", b"1"])
def test_what_comes_behind_a_match_is_read_up_to_a_bound(
    kind: type[JsonSantorini], name: bytes, place: bytes, junk: bytes
) -> None:
    """A read of 64 KiB of them took half a second from everybody else, again and again."""
    bot = registered(kind, name)
    asked(bot)
    bot.receive_data(place)
    bot.send(Ended(0, "resign", "why", START, last=False))
    for _ in range(3):
        bot.receive_data(junk * 65_536)
    assert bot._ignored == MOST_AHEAD + 1
    bot.receive_data(b'"OK"')
    bot.tick("ack")
    bot.tick("pause")
    bot.data_to_send()
    asked(bot)
    bot.receive_data(place)
    assert bot.events_received()[-1] == BotMove("a6")


@pytest.mark.parametrize(("kind", "name", "place"), PLAYERS)
def test_a_request_is_sent_once_however_often_it_is_asked_for(
    kind: type[JsonSantorini], name: bytes, place: bytes
) -> None:
    bot = registered(kind, name)
    asked(bot)
    bot.data_to_send()
    bot.send(Turn(START))
    assert bot.data_to_send() == b""
    bot.receive_data(place)
    assert bot.events_received() == [BotMove("a6")]


@pytest.mark.parametrize(("kind", "name", "place"), PLAYERS)
def test_a_player_who_broke_a_rule_hears_nothing_more(kind: type[JsonSantorini], name: bytes, place: bytes) -> None:
    bot = registered(kind, name)
    asked(bot)
    bot.data_to_send()
    bot.receive_data(b"{}")
    assert [type(event) for event in bot.events_received()] == [BotFault]
    bot.send(Ended(1, "bad_output", "why", START))
    assert (bot.data_to_send(), bot.wants_close) == (b"", True)
