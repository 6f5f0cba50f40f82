from __future__ import annotations

from arena.bots.flood import LINES_AT_ONCE, LINES_PER_S, Allowance

BURST = int(LINES_AT_ONCE)


def test_so_many_lines_may_come_at_once_and_not_one_more() -> None:
    assert Allowance(0.0).take(b"\n" * BURST, 0.0)
    assert not Allowance(0.0).take(b"\n" * (BURST + 1), 0.0)


def test_every_end_of_a_line_is_one() -> None:
    assert not Allowance(0.0).take(b"\r" * BURST + b"PUT 3\n", 0.0)


def test_bytes_without_an_end_cost_nothing_here() -> None:
    allowance = Allowance(0.0)
    assert all(allowance.take(b"x" * 1000, 0.0) for _ in range(1000))


def test_time_gives_lines_back_up_to_the_burst() -> None:
    allowance = Allowance(0.0)
    assert allowance.take(b"\n" * BURST, 0.0)
    assert not allowance.take(b"\n", 0.0)
    assert allowance.take(b"\n" * int(LINES_PER_S - 2), 1.0)
    assert allowance.take(b"\n" * BURST, 1000.0)
    assert not allowance.take(b"\n", 1000.0)


def test_a_bot_that_is_asked_often_may_answer_as_often() -> None:
    allowance = Allowance(0.0)
    for _ in range(100_000):
        allowance.grant()
        assert allowance.take(b"PUT 3\n", 0.0)


def test_questions_save_up_no_more_than_the_burst() -> None:
    allowance = Allowance(0.0)
    for _ in range(100_000):
        allowance.grant()
    assert not allowance.take(b"\n" * (BURST + 2), 0.0)


def test_an_answer_may_have_several_lines_where_the_protocol_has_values() -> None:
    allowance = Allowance(0.0, answer_lines=32)
    for _ in range(100_000):
        allowance.grant()
        assert allowance.take(b"[\r\n" * 32, 0.0)
