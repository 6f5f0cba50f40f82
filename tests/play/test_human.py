"""A person at the terminal of the gamestate runner, who is one of the players or both."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[2]
# Answers its columns one by one.
BOT = """sh -c 'for column in {columns}; do
    until [ "$line" = REQUEST_MOVE ]; do read -r line; done
    line=; echo $column
done; cat >/dev/null'"""
ONE, OTHER = "0000", "111"


def played(players: Sequence[str], typed: int | str, protocol: str = "gamestate") -> tuple[int, str, str]:
    """The exit status of a runner and what it printed; `typed` is its input, or what that holds."""
    command = [sys.executable, str(ROOT / "manage.py"), "runner", protocol, *players]
    given = {"input": typed} if isinstance(typed, str) else {"stdin": typed}
    run = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False, **given)
    return run.returncode, run.stdout, run.stderr


def bots() -> list[str]:
    return [BOT.format(columns=" ".join(columns)) for columns in (ONE, OTHER)]


def told(printed: str, people: Sequence[int]) -> str:
    """What a match between programs printed, with what people are told in it."""
    start = "".join(f"ASSIGN_PLAYER: {seat}\nGAMESTATE: {'-' * 64}\n" for seat in people)
    for seat in people:
        asked = f"requesting move from player{seat}\n"
        printed = printed.replace(asked, f"{asked}REQUEST_MOVE\n")
    return start + re.sub(r"broadcasting: (.*\n)", lambda found: found[0] + found[1] * len(people), printed)


@pytest.mark.parametrize(
    ("people", "typed"), [([0], "0\n0\n0\n0\n"), ([1], "1\n1\n1\n"), ([0, 1], "0\n1\n0\n1\n0\n1\n0\nand more\n")]
)
def test_a_person_types_the_columns(people: list[int], typed: str) -> None:
    players = bots()
    status, between_bots, _ = played(players, "")
    assert status == 0 and between_bots.endswith("player0 wins!\nOUTCOME: 0\n")
    for seat in people:
        players[seat] = "human"
    assert played(players, typed) == (0, told(between_bots, people), "")


@pytest.mark.parametrize("typed", ["", "9", "9\n", "oh no\n", "\n"])
def test_a_person_forfeits_with_an_end_of_input_and_with_a_wrong_answer(typed: str) -> None:
    _, printed, _ = played(["human", bots()[1]], f"0\n{typed}")
    forfeit = f"got reply from player0: {typed}\nplayer0 moved illegally! forfeits!\nOUTCOME: 1\n"
    assert printed.endswith(f"requesting move from player0\nREQUEST_MOVE\n{forfeit}")


def test_a_person_plays_at_a_terminal() -> None:
    terminal, typed = pty.openpty()
    try:
        os.write(terminal, b"0\n0\n0\n0\n")
        status, printed, errors = played(["human", bots()[1]], typed)
    finally:
        os.close(terminal)
        os.close(typed)
    assert (status, printed[-25:], errors) == (0, "player0 wins!\nOUTCOME: 0\n", "")


def test_the_runner_of_fiar_knows_no_people() -> None:
    status, printed, errors = played(["human", "cat"], "", "fiar")
    assert (status, printed, errors) == (2, "", "runner: no such command: human\n")
