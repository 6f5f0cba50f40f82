"""The translation into the words of chess; what rounds come out of it is tested in test_swiss.py."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena.tournaments.dutch import encounters
from arena.tournaments.schedule import Encounter, Round

LOST, WON = Round(2, 0.0, True), Round(1, 1.0)


def test_entries_are_known_by_their_own_numbers() -> None:
    histories: dict[int, list[Round]] = {entry: [] for entry in (40, 30, 20, 10)}
    assert encounters(histories, 3, list(histories), (), True) == [Encounter(40, 20), Encounter(10, 30)]


def test_where_everyone_has_met_everyone_there_is_no_round() -> None:
    assert encounters({1: [LOST], 2: [WON]}, 2, [1, 2], (), True) is None


@pytest.mark.long
def test_a_command_that_pairs_nobody_does_not_load_the_library() -> None:
    look = "import arena.tournaments.director, sys, django; print('py4swiss' in sys.modules)"
    look = f"import django; django.setup()\n{look}"
    run = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=300, check=True)
    assert run.stdout == "False\n"
