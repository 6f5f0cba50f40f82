"""What transcripts cannot say about `fiar`: anything in any order, and whole matches."""

from __future__ import annotations

import random

from hypothesis import given

import games
from arena.protocols.adapter import BotFault, BotMove, Closed, Ended, Moved, Ready, Refused, Started, Turn
from arena.protocols.fiar.adapter import ASKS_PER_TURN, Fiar
from arena.protocols.framing import LINE_CAP
from tests.protocols.fuzzing import Step, run, steps

WORDS = [b"4", b"9", b"+3", b"4_0", b"four", b"\n", b"\n", b"\n", b"\r\n", b" "]


def asked(position: games.Position) -> Fiar:
    bot = Fiar()
    bot.events_received()
    bot.send(Turn(position))
    return bot


def test_it_has_the_facts_of_the_text() -> None:
    assert (Fiar.port, Fiar.rounds, Fiar.ready_s, Fiar.clock) == (4201, None, 10.0, "30s")
    assert (Fiar.joins, Fiar.resumes, Fiar.on_illegal) == (False, True, "ask_again")
    assert not Fiar.fault_ends_series


def test_it_is_ready_before_anything_happens() -> None:
    assert Fiar().events_received() == [Ready()]


def test_nobody_is_told_of_moves_and_starts() -> None:
    bot = Fiar()
    position = games.variant("connect-four-7x6").start()
    bot.send(Started(position))
    bot.send(Moved(0, "4", position.play("4")))
    assert bot.data_to_send() == b""


def test_a_whole_match_is_played_on_the_lines_alone() -> None:
    """Each line is 2 + 42 characters and a newline, and says what the rules say."""
    rng = random.Random(7)
    bots = Fiar(), Fiar()
    position = games.variant("connect-four-7x6").start()
    while (seat := position.to_move) is not None:
        bots[seat].events_received()
        bots[seat].send(Turn(position))
        line = bots[seat].data_to_send()
        assert line == f"{'@O'[seat]} {str(position)[4:].replace('x', '@').replace('o', 'O')}\n".encode()
        assert len(line) == 45
        bots[seat].receive_data(rng.choice(position.legal_moves()).encode() + b"\n")
        (move,) = bots[seat].events_received()
        assert isinstance(move, BotMove)
        position = position.play(move.text)
    for bot in bots:
        bot.send(Ended(position.outcome().winner, "normal", "why", position))  # type: ignore[union-attr]
        assert bot.data_to_send() == b""
        assert bot.wants_close


def test_the_line_goes_out_eleven_times_at_most() -> None:
    bot = asked(games.variant("connect-four-7x6").start())
    lines = 0
    while line := bot.data_to_send():
        lines += line.count(b"\n")
        bot.receive_data(b"8\n")
        assert bot.events_received() == [BotMove("8")]
        bot.send(Refused("illegal_move", "there is no column 8"))
    assert lines == ASKS_PER_TURN == 11
    (fault,) = bot.events_received()
    assert isinstance(fault, BotFault)
    assert (fault.code, fault.received, fault.move) == ("illegal_move", "8", "8")


def test_a_fault_that_came_too_late_does_not_silence_the_next_round() -> None:
    position = games.variant("connect-four-7x6").start()
    bot = Fiar()
    bot.send(Turn(position))
    bot.receive_data(b"hello\n")
    bot.events_received()
    bot.send(Ended(1, "timeout", "", position, last=False))
    bot.send(Started(position))
    bot.send(Turn(position))
    bot.receive_data(b"4\n")
    assert bot.events_received() == [BotMove("4")]


def test_the_end_of_input_is_told_after_a_last_answer() -> None:
    bot = asked(games.variant("connect-four-7x6").start())
    bot.receive_data(b" 4")
    bot.receive_eof()
    assert bot.events_received() == [BotMove("4", ended=False), Closed()]


@given(script=steps(WORDS))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = Fiar(), Fiar()
    assert run(whole, script, False, lambda: bounded(whole)) == run(cut, script, True, lambda: bounded(cut))


def bounded(bot: Fiar) -> None:
    assert len(bot._buffer._partial) <= LINE_CAP
