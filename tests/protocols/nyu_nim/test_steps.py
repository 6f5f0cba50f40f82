from __future__ import annotations

from pathlib import Path

import pytest

import games
from arena.protocols.nyu_nim.steps import BOUND, FEW_LEFT, GROWN, ONE_LEFT
from tests.kit.checking import assert_all_passed, check_of_code, codes, results, sample

pytestmark = pytest.mark.service

# Answers with what `{}` makes of a, b and c.
NIM = """
import os
while (data := os.read(0, 100)) and not data.endswith(b"1"):
    a, b, c = map(int, data.split()[:3])
    os.write(1, b"%d %d" % ({}))
"""


def test_a_good_bot_passes_every_step(tmp_path: Path) -> None:
    assert_all_passed(sample("nyu-nim", tmp_path))


@pytest.mark.parametrize("text", [*ONE_LEFT, *FEW_LEFT, *BOUND, *GROWN])
def test_every_position_can_be_reached(text: str) -> None:
    assert str(games.variant("expanding-nim").parse(text)) == text


@pytest.mark.parametrize(
    ("takes", "step", "code"),
    [
        ("min(a, b + 1), 0", "bound_by_a_reset", "too_many_stones"),
        ("min(b + 1, 3 if c else a), 0", "few_left", ""),
        ("3 if c else b + 1, 0", "few_left", "too_many_stones"),
        ("min(a, 3), 0", "grown_limit", ""),
        ("1, 1", "counts_its_resets", "no_reset_left"),
        ("min(a, 2), 0", "one_stone_left", ""),
        ("2, 0", "one_stone_left", "too_many_stones"),
    ],
)
def test_who_forgets_a_limit_is_found(takes: str, step: str, code: str, tmp_path: Path) -> None:
    assert codes(check_of_code("nyu-nim", tmp_path, NIM.format(takes)), step) == {step: code}


def test_the_resets_of_a_match_are_noted(tmp_path: Path) -> None:
    code = "left = [4]\n" + NIM.format("1, (left.append(left[-1] - 1) or 1) if left[-1] else 0")
    found = results(check_of_code("nyu-nim", tmp_path, code), "counts_its_resets")
    assert found["counts_its_resets"].card is None
    assert found["counts_its_resets"].note == "at most 4 resets in a match; the protocol's own judge allowed 1"


def test_who_counts_to_a_hundred_only_is_told_so_and_passes(tmp_path: Path) -> None:
    found = results(check_of_code("nyu-nim", tmp_path, NIM.format("[1] [a // 200], 0")), "a_thousand_stones")
    assert found["a_thousand_stones"].card is None
    assert found["a_thousand_stones"].note.startswith("it cannot, and need not")
