"""What a class of machines may be called, and the one of this machine."""

from __future__ import annotations

import pytest

from arena.work.machine_class import LONGEST_CLASS, is_class, own_class


def test_this_machine_has_a_class_of_its_own() -> None:
    assert is_class(own_class()) and own_class() == own_class().lower() and "-" in own_class()


@pytest.mark.parametrize("text", ["", " c5", "c5\n", "c" * (LONGEST_CLASS + 1), "c\x00"])
def test_what_is_no_name_of_a_class(text: str) -> None:
    assert not is_class(text)
