"""The line that says how far many matches are."""

from __future__ import annotations

import io

from arena.play.progress import ProgressLine, in_words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_says_what_is_done_how_fast_and_what_is_left() -> None:
    assert in_words(0, 20_000, 2, 0) == "0 of 20000 done, 0.0 a second, 2 workers"
    assert in_words(1000, 20_000, 2, 10) == "1000 of 20000 done, 100.0 a second, 3m10s left, 2 workers"
    assert in_words(19_990, 20_000, 1, 1000).endswith(", 1s left, 1 worker")
    assert in_words(110, 130, 2, 10, before=100) == "110 of 130 done, 1.0 a second, 20s left, 2 workers"
    assert in_words(1, 130, 2, 0.1, before=100) == "1 of 130 done, 0.0 a second, 2 workers"
    assert in_words(10, 20_000, 2, 4).endswith(", 2h13m left, 2 workers")


def test_a_file_hears_nothing_of_it_unless_it_is_wanted() -> None:
    quiet, wanted = io.StringIO(), io.StringIO()
    for err, wants in ((quiet, False), (wanted, True)):
        progress = ProgressLine(err, wants)
        for done in (1, 1, 2):
            progress.show(done, 2, 1)
    assert quiet.getvalue() == ""
    first, last = wanted.getvalue().splitlines()
    assert first.startswith("1 of 2 done, ") and last.startswith("2 of 2 done, ")


def test_on_a_terminal_it_makes_room_for_other_lines() -> None:
    err = Terminal()
    progress = ProgressLine(err)
    progress.show(1, 2, 1, also=", LLR 0.40")
    drawn = err.getvalue()
    assert drawn.endswith(" left, 1 worker, LLR 0.40")
    progress.clear()
    progress.clear()
    assert err.getvalue() == f"{drawn}\r{' ' * len(drawn)}\r"
