"""What a player of Santorini in JSON values is told of a match that it was not told the beginning of: nothing."""

from __future__ import annotations

import games
from arena.protocols.adapter import Bye, Ended, Ready, Seated, Started, Turn
from arena.protocols.santorini_json.adapter import SantoriniJson

START = games.variant("santorini-6x6").start()
NEW_GAME = b'["new_game","anna"]\n'


def begun() -> SantoriniJson:
    """A bot that was sent the beginning of its first match."""
    bot = SantoriniJson()
    bot.tick("ready")
    bot.send(Seated(0, "max", "anna", "30s"))
    bot.send(Started(START))
    assert bot.data_to_send() == NEW_GAME
    return bot


def test_what_waits_for_an_answer_is_forgotten_with_its_match() -> None:
    """The request of the first match, and both values of the second, of which the bot was never told."""
    bot = begun()
    bot.send(Turn(START))
    bot.send(Ended(None, "server_abort", "", START, last=False))
    bot.send(Started(START))
    bot.send(Turn(START))
    bot.send(Ended(None, "server_abort", "", START, last=False))
    bot.receive_data(b'"OK"')
    assert (bot.data_to_send(), bot.wants_close) == (b"", False)
    bot.send(Started(START))
    assert bot.data_to_send() == NEW_GAME


def test_a_match_that_ends_at_once_blames_nobody_for_a_missing_acknowledgement() -> None:
    bot = begun()
    bot.send(Ended(1, "resign", "", START, last=False))
    bot.receive_data(b'["place",0,0]')
    bot.tick("ack")
    assert bot.data_to_send() == b'["over",{"winner":"anna","loser":"max","reason":"WON"}]\n'
    assert bot.events_received() == [Ready()]


def test_a_goodbye_waits_until_the_result_was_read() -> None:
    bot = begun()
    bot.receive_data(b'"OK"')
    bot.send(Ended(0, "normal", "", START, last=False))
    bot.send(Bye())
    assert not bot.wants_close
    bot.receive_data(b'"OK"')
    assert bot.wants_close
