"""What `fiar` and `gamestate` share: a program is asked, and its next line is the answer."""

from __future__ import annotations

import pytest

import games
from arena.protocols.adapter import BotFault, BotMove, Bye, Closed, Ready, Turn
from arena.protocols.answering import MOST_AHEAD, Answering
from arena.protocols.fiar.adapter import Fiar
from arena.protocols.framing import LINE_CAP
from arena.protocols.gamestate.adapter import GameState


@pytest.fixture(params=[Fiar, GameState], ids=lambda adapter: adapter.slug)
def bot(request: pytest.FixtureRequest) -> Answering:
    made: Answering = request.param()
    assert made.events_received() == [Ready()]
    return made


def ask(bot: Answering) -> None:
    bot.send(Turn(games.variant(bot.variants[0]).start()))
    assert bot.data_to_send()


def test_the_next_line_is_the_answer(bot: Answering) -> None:
    ask(bot)
    bot.receive_data(b"3")
    assert bot.events_received() == []
    bot.receive_data(b"\n")
    assert bot.events_received() == [BotMove(bot.move_in(b"3"))]


def test_what_came_before_a_request_answers_it_in_order(bot: Answering) -> None:
    bot.receive_data(b"2\n5")
    ask(bot)
    assert bot.events_received() == [BotMove(bot.move_in(b"2"))]
    bot.receive_data(b"\n")
    assert bot.events_received() == []


def test_more_answers_ahead_than_are_kept_break_the_protocol(bot: Answering) -> None:
    bot.receive_data(b"3\n" * MOST_AHEAD)
    assert bot.events_received() == []
    bot.receive_data(b"2\n")
    expected = f"at most {MOST_AHEAD} answers ahead of the next {bot.request}"
    assert bot.events_received() == [BotFault("bad_output", "2", expected)]


def test_what_is_no_answer_is_quoted_with_what_was_expected(bot: Answering) -> None:
    ask(bot)
    bot.receive_data(b"left\n3\n")
    assert bot.events_received() == [BotFault("bad_output", "left", bot.answer)]


def test_a_last_answer_without_its_newline_counts(bot: Answering) -> None:
    ask(bot)
    bot.receive_data(b"3")
    bot.receive_eof()
    assert bot.events_received() == [BotMove(bot.move_in(b"3"), ended=False), Closed()]


def test_a_line_without_end_is_cut_and_blamed_once(bot: Answering) -> None:
    ask(bot)
    for _ in range(3):
        bot.receive_data(b"7" * LINE_CAP)
    (fault,) = bot.events_received()
    assert isinstance(fault, BotFault) and fault.expected == f"{bot.answer}; {LINE_CAP} bytes at most"


def test_after_the_goodbye_nothing_counts(bot: Answering) -> None:
    bot.send(Bye())
    bot.receive_data(b"3\n4\n5\n")
    ask_too_late = Turn(games.variant(bot.variants[0]).start())
    bot.send(ask_too_late)
    assert (bot.events_received(), bot.data_to_send(), bot.wants_close) == ([], b"", True)
