"""What transcripts cannot say about `droidcon`: floods, anything in any order, and two bots in one match."""

from __future__ import annotations

import pytest
from hypothesis import given

import games
from arena.protocols.adapter import BotFault, BotMove, Ended, Joined, Moved, Ready, Seated, Started, Turn
from arena.protocols.droidcon.adapter import WAITING_CAP, Droidcon
from tests.protocols.fuzzing import Step, run, steps

WORDS = [
    b"NAME a",
    b"JOIN x",
    b"JOIN otter-42",
    b"PUT 3",
    b"PUT 7",
    b"PUT x",
    b"PUT",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
]


def joined(seat: int) -> Droidcon:
    bot = Droidcon()
    bot.receive_data(b"NAME a\nJOIN x\n")
    bot.send(Joined("x"))
    bot.send(Seated(seat, "a", "b", "5s"))
    bot.data_to_send()
    bot.events_received()
    return bot


def test_it_has_the_facts_of_the_text() -> None:
    assert (Droidcon.port, Droidcon.rounds, Droidcon.ready_s, Droidcon.clock) == (4242, 4, 20.0, "30s")
    assert (Droidcon.joins, Droidcon.resumes, Droidcon.on_illegal) == (True, False, "lose")
    assert Droidcon.fault_ends_series


def test_it_is_ready_when_it_has_joined() -> None:
    bot = Droidcon()
    bot.receive_data(b"NAME a\nJOIN x\n")
    assert Ready() not in bot.events_received()
    bot.send(Joined("x"))
    assert bot.events_received() == [Ready()]


def test_a_flood_of_lines_behind_a_join_is_cut_off() -> None:
    bot = Droidcon()
    bot.receive_data(b"NAME a\nJOIN x\n" + b"NAME b\n" * WAITING_CAP)
    assert not bot.wants_close
    bot.receive_data(b"NAME c\n" * 5)
    assert bot.wants_close
    assert bot.data_to_send() == b"SUCCESS\nError INVALID_COMMAND\n"
    assert isinstance(bot.events_received()[-1], BotFault)


def test_a_flood_of_lines_behind_a_put_loses() -> None:
    bot = joined(0)
    position = games.variant("connect-four-7x6").start()
    bot.send(Started(position))
    bot.send(Turn(position))
    bot.receive_data(b"PUT 3\n" + b"NAME b\n" * (WAITING_CAP + 1))
    move, fault = bot.events_received()
    assert move == BotMove("4")
    assert isinstance(fault, BotFault) and fault.code == "bad_output"
    assert not bot.wants_close
    bot.send(Ended(1, "bad_output", "why", position))
    assert bot.data_to_send().endswith(b"Error INVALID_COMMAND\nYOU_LOST\n")
    assert bot.wants_close


def test_a_move_of_another_protocol_that_is_no_column_is_not_repeated() -> None:
    bot = joined(0)
    position = games.variant("connect-four-7x6").start()
    bot.send(Started(position))
    bot.data_to_send()
    bot.send(Ended(0, "illegal_move", "why", position, move="b2-c1"))
    assert bot.data_to_send() == b"YOU_WON\n"


def test_two_bots_mirror_each_other_through_a_whole_round() -> None:
    """What one side puts, in the numbers of the text, the other side reads; nobody reads its own."""
    bots = joined(0), joined(1)
    position = games.variant("connect-four-7x6").start()
    heard = [b"", b""]
    for bot in bots:
        bot.send(Started(position))
    for column in b"3030303":
        seat = position.to_move
        assert seat is not None
        bots[seat].send(Turn(position))
        bots[seat].receive_data(b"PUT %c\n" % column)
        (move,) = bots[seat].events_received()
        assert isinstance(move, BotMove)
        position = position.play(move.text)
        for bot in bots:
            bot.send(Moved(seat, move.text, position))
        heard = [heard[i] + bots[i].data_to_send() for i in (0, 1)]
    for bot in bots:
        bot.send(Ended(0, "normal", "four in a row", position, last=False))
    heard = [heard[i] + bots[i].data_to_send() for i in (0, 1)]
    turn = b"PUT 0\nYOUR_MOVE\n"
    assert heard[0] == b"NEW_GAME\nYOUR_MOVE\n" + turn * 3 + b"YOU_WON\n"
    assert heard[1] == b"NEW_GAME\n" + b"PUT 3\nYOUR_MOVE\n" * 3 + b"PUT 3\nYOU_LOST\n"


@given(script=steps(WORDS))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = Droidcon(), Droidcon()
    assert run(whole, script, False, lambda: bounded(whole)) == run(cut, script, True, lambda: bounded(cut))


def bounded(bot: Droidcon) -> None:
    assert len(bot._lines) <= WAITING_CAP


@pytest.mark.parametrize("line", [b"", b"SUCCESS", b"NEW_GAME"])
def test_silence_follows_the_end(line: bytes) -> None:
    bot = joined(0)
    position = games.variant("connect-four-7x6").start()
    bot.send(Started(position))
    bot.send(Ended(0, "disconnect", "why", position))
    bot.data_to_send()
    bot.receive_data(line + b"\n")
    bot.send(Started(position))
    assert bot.data_to_send() == b""
    assert bot.events_received() == []
