from __future__ import annotations

import pytest

from arena.play.meaning import Looks, Loss, loss_of_process, on_illegal, program_on_seat, reason_of
from arena.protocols import protocol
from arena.protocols.adapter import BotFault
from arena.transports.process import FLOODS_STDERR


@pytest.mark.parametrize(
    ("reason", "exit_words", "loss"),
    [
        ("exit code 3", "exit code 3", Loss("crash", "bot stopped with exit code 3", "why")),
        ("killed by SIGSEGV", "killed by SIGSEGV", Loss("crash", "bot was killed by SIGSEGV", "why")),
        (FLOODS_STDERR, "killed by SIGKILL", Loss("resource_limit", "standard error", "why")),
        ("closed", "killed by SIGKILL", Loss("disconnect", "bot closed its output and did not exit", "why")),
        ("unread", "killed by SIGKILL", Loss("disconnect", "bot is gone: unread", "why")),
    ],
)
def test_the_end_of_a_process_has_a_meaning(reason: str, exit_words: str, loss: Loss) -> None:
    assert loss_of_process("bot", reason, exit_words, b"why") == loss


def test_what_the_log_cannot_hold_is_spelled_out() -> None:
    assert loss_of_process("bot", "closed", "running", b"a\0b\xff").received == "a\\x00b\\xff"


def test_a_fault_names_who_said_what() -> None:
    assert reason_of(BotFault("bad_output", "no", "a column"), "bot") == "bot answered 'no'; expected a column"
    assert reason_of(BotFault("stall", "", "OK"), "bot") == "bot said nothing; expected OK"


def test_a_program_has_the_time_of_its_protocol_to_start() -> None:
    setup = program_on_seat(protocol("fiar"), "bot")
    assert (setup.name, setup.protocol, setup.startup_ms, setup.on_illegal) == ("bot", "fiar", 10_000, "refuse")
    assert on_illegal(protocol("gamestate")) == "lose"


def test_two_looks_in_a_row_are_certain_and_others_become_rare() -> None:
    looks, soon = Looks(), Looks().pause_s
    assert [looks.waits(now) for now in (True, False, True, True)] == [False, False, False, True]
    pauses = []
    for _ in range(10):
        looks.waits(False)
        pauses.append(looks.pause_s)
    assert pauses == sorted(pauses) and soon < pauses[-1] == pauses[-2]
