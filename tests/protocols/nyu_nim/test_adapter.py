"""What transcripts cannot say about `nyu-nim`: segments, whole matches, and anything in any order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

import games
from arena.protocols.adapter import BotFault, BotMove, Bye, Closed, Ended, Moved, Ready, Refused, Started, Turn
from arena.protocols.nyu_nim.adapter import THE_END, NyuNim
from tests.protocols.fuzzing import Step, run, steps

WORDS = [b"3 0", b"1 1", b"3", b" ", b"10", b"3 2", b"\n", b"x"]
TERMINATIONS = [
    "normal",
    "resign",
    "timeout",
    "illegal_move",
    "bad_output",
    "disconnect",
    "admin_abort",
    "server_abort",
]


def asked(stones: int = 100) -> NyuNim:
    bot = NyuNim()
    bot.send(Turn(games.variant("expanding-nim").start(stones=stones)))
    bot.data_to_send()
    bot.events_received()
    return bot


def test_it_has_the_facts_of_the_text() -> None:
    assert (NyuNim.port, NyuNim.rounds, NyuNim.ready_s, NyuNim.clock) == (4202, 1, 10.0, "2m")
    assert (NyuNim.joins, NyuNim.resumes, NyuNim.on_illegal) == (False, True, "lose")
    assert (NyuNim.variants, NyuNim.fault_ends_series) == (("expanding-nim",), False)


def test_it_is_ready_before_anything_happens() -> None:
    assert NyuNim().events_received() == [Ready()]


def test_a_whole_match_is_played_on_the_states_alone() -> None:
    """Every state is four numbers that say what the rules say; the fourth becomes 1 once, for both."""
    rng = random.Random(7)
    bots = NyuNim(), NyuNim()
    position = games.variant("expanding-nim").start(stones=40, resets=2)
    while (seat := position.to_move) is not None:
        bot = bots[seat]
        bot.events_received()
        bot.send(Turn(position))
        a, b, c, d = map(int, bot.data_to_send().split(b" "))
        most = min(a, 3 if c else b + 1)
        assert {str(take) for take in range(1, most + 1)} <= set(position.legal_moves())
        assert (str(a), d) == (str(position).split()[2], 0)
        move = rng.choice(position.legal_moves())
        bot.receive_data(f"{move.removesuffix('r')} {int(move.endswith('r'))}".encode())
        assert bot.events_received() == [BotMove(move)]
        position = position.play(move)
        for other in bots:
            other.send(Moved(seat, move, position))
            assert other.data_to_send() == b""
    for bot in bots:
        bot.send(Ended(1, "normal", "last stone", position))
        assert (bot.data_to_send(), bot.wants_close) == (b"0 0 0 1", True)


@pytest.mark.parametrize("termination", TERMINATIONS)
@pytest.mark.parametrize("last", [True, False])
def test_every_ending_is_the_same_four_numbers(termination: str, last: bool) -> None:
    """Also where a series would go on: a connection plays one match."""
    bot = asked()
    bot.send(Ended(1, termination, "why", games.variant("expanding-nim").start(), last))
    assert (bot.data_to_send(), bot.wants_close) == (THE_END, True)
    bot.send(Bye())
    assert bot.data_to_send() == b""


@pytest.mark.parametrize("winner", [0, None])
@pytest.mark.parametrize("then", ["answers", "hangs up", "thinks on"])
def test_who_is_asked_as_the_other_one_leaves_reads_the_end_by_itself(winner: int | None, then: str) -> None:
    """Joined to the state, known clients miss it and loop forever."""
    bot = asked()
    bot.send(Ended(winner, "disconnect", "it left", games.variant("expanding-nim").start()))
    assert (bot.data_to_send(), bot.wants_close) == (b"", False)
    held = bot.deadline
    assert held is not None and held.once_read
    match then:
        case "answers":
            bot.receive_data(b"3 0")
        case "hangs up":
            bot.receive_eof()
        case _:
            bot.send(Bye())
            assert (bot.data_to_send(), bot.wants_close) == (b"", False)
            bot.tick(held.name)
    assert (bot.data_to_send(), bot.wants_close, bot.deadline) == (THE_END, True, None)
    assert [type(event) for event in bot.events_received()] == [Closed] * (then == "hangs up")


def test_no_byte_of_a_line_end_is_ever_written() -> None:
    bot = asked()
    bot.receive_data(b"3 0")
    bot.send(Refused("busy", "why"))
    bot.send(Started(games.variant("expanding-nim").start()))
    assert bot.data_to_send() == b"100 2 0 0"


def test_a_fault_says_what_was_expected() -> None:
    bot = asked()
    bot.receive_data(b"3 2")
    (fault,) = bot.events_received()
    assert isinstance(fault, BotFault)
    assert fault.expected == (
        "two numbers with one blank between them, such as 3 0: the stones to take, then 1 to reset or 0"
    )


@given(script=steps(WORDS, "expanding-nim"))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = NyuNim(), NyuNim()
    assert run(whole, script, False, lambda: bounded(whole)) == run(cut, script, True, lambda: bounded(cut))


def bounded(bot: NyuNim) -> None:
    assert len(bot._answer) <= len(b"1000 ")
