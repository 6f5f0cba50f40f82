from __future__ import annotations

from arena.common.limits import Bucket
from arena.play.flood import LINES, lines_in

BURST = int(LINES.at_once)


def test_every_end_of_a_line_is_one_and_bytes_without_cost_nothing() -> None:
    assert lines_in(b"PUT 3") == 0
    assert lines_in(b"\r\r\rPUT 3\n") == 4
    assert lines_in(b"x" * 1000) == 0


def test_so_many_lines_may_come_at_once_and_time_gives_them_back() -> None:
    allowance = Bucket(*LINES, 0.0)
    assert allowance.take(BURST, 0.0) and not allowance.take(1, 0.0)
    assert allowance.take(LINES.per_second, 1.0) and not allowance.take(1, 1.0)
