"""What transcripts cannot say about `gamestate`: the sample game of the text, and anything in any order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import games
from arena.protocols.adapter import BotFault, BotMove, Closed, Ended, Moved, Ready, Seated, Started, Turn
from arena.protocols.framing import LINE_CAP
from arena.protocols.gamestate.adapter import GameState
from tests.protocols.fuzzing import Step, run, steps

COLUMNS, *BOARDS = (Path(__file__).parents[2] / "data" / "gamestate_sample_game.txt").read_text().split()
WORDS = [b"3", b"8", b"+3", b"4_0", b"thinking", b"\n", b"\n", b"\n", b"\r\n", b" "]


def started(seat: int) -> GameState:
    bot = GameState()
    bot.send(Seated(seat, "a", "b", "5s"))
    bot.send(Started(games.variant("connect-four-8x8").start()))
    bot.data_to_send()
    bot.events_received()
    return bot


def test_it_has_the_facts_of_the_text() -> None:
    assert (GameState.port, GameState.rounds, GameState.ready_s, GameState.clock) == (4200, None, 10.0, "30s")
    assert (GameState.joins, GameState.resumes, GameState.on_illegal) == (False, True, "lose")
    assert (GameState.variants, GameState.fault_ends_series) == (("connect-four-8x8",), False)


def test_it_is_ready_before_anything_happens() -> None:
    assert GameState().events_received() == [Ready()]


def test_the_sample_game_of_the_text_is_played_on_the_wire() -> None:
    """27 moves; both players read the same 26 boards, and nothing after the last move."""
    bots = started(0), started(1)
    position = games.variant("connect-four-8x8").start()
    boards: tuple[list[str], list[str]] = [], []
    for column in COLUMNS:
        seat = position.to_move
        assert seat is not None, "the sample game goes on"
        bots[seat].send(Turn(position))
        assert bots[seat].data_to_send() == b"REQUEST_MOVE\n"
        bots[seat].receive_data(column.encode() + b"\n")
        (play,) = bots[seat].events_received()
        assert isinstance(play, BotMove)
        position = position.play(play.text)
        for bot, read in zip(bots, boards, strict=True):
            bot.send(Moved(seat, play.text, position))
            read += bot.data_to_send().decode().splitlines()
    assert boards[0] == boards[1] == [f"GAMESTATE: {board}" for board in BOARDS]
    for bot in bots:
        bot.send(Ended(0, "normal", "four in a row", position))
        assert bot.data_to_send() == b""
        assert bot.wants_close


@pytest.mark.parametrize("line", [b"3\r\n", b"hello\n", b"\n", b"33\n", b"\xd9\xa4\n"])
def test_a_fault_says_what_was_expected(line: bytes) -> None:
    bot = started(0)
    bot.send(Turn(games.variant("connect-four-8x8").start()))
    bot.receive_data(line)
    (fault,) = bot.events_received()
    assert isinstance(fault, BotFault)
    assert fault.expected == "one digit from 0 to 7 and a newline, nothing else"


def test_the_end_of_input_is_told_after_a_last_answer() -> None:
    bot = started(0)
    bot.send(Turn(games.variant("connect-four-8x8").start()))
    bot.receive_data(b"4")
    bot.receive_eof()
    assert bot.events_received() == [BotMove("5", ended=False), Closed()]


@given(script=steps(WORDS, "connect-four-8x8"))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = GameState(), GameState()
    assert run(whole, script, False, lambda: bounded(whole)) == run(cut, script, True, lambda: bounded(cut))


def bounded(bot: GameState) -> None:
    assert len(bot._buffer._partial) <= LINE_CAP
