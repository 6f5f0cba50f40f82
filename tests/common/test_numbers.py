from __future__ import annotations

import pytest

from arena.common.numbers import LARGEST, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("7", 7),
        ("007", 7),
        (str(LARGEST), LARGEST),
        ("0" * 5000 + "7", 7),
    ],
)
def test_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1 ", "1.0", "1e3", "1_000", "²", "٣", "x", "9" * 5000])
def test_what_else_is_none(text: str) -> None:
    assert whole_number(text) is None


def test_a_number_is_within_its_bounds() -> None:
    assert [whole_number(text, 1, 64) for text in ("0", "1", "64", "65", "100")] == [None, 1, 64, None, None]
    assert whole_number(str(LARGEST + 1)) is None
