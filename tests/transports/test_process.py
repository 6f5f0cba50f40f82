"""What is said of how a child process ended; its life is told in test_stdio.py."""

from __future__ import annotations

from arena.transports.process import words_of


def test_an_ending_has_words() -> None:
    assert words_of(0) == "exit code 0"
    assert words_of(3) == "exit code 3"
    assert words_of(-11) == "killed by SIGSEGV"
    assert words_of(-99) == "killed by signal 99"
