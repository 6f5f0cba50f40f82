"""The steps of every protocol, tried on bots that fail one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.protocols import shared_steps
from tests.kit.checking import AND_SAYS, FIAR, GOOD, check_of_code, codes, results

pytestmark = pytest.mark.service

# A bot that remembers, in a file that it leaves in its folder, that it has been started before.
SECOND_START = (
    "import os\nif os.path.exists('started'): raise SystemExit('somebody plays already')\nopen('started', 'w')\n"
)

# Says something when nothing has come for a while.
AFTERTHOUGHT = """
import sys, threading
timer = threading.Timer(0, lambda: None)
for line in sys.stdin:
    timer.cancel()
    print(line.split()[1].index(".") + 1)
    timer = threading.Timer(0.2, print, ("good game",))
    timer.start()
"""


@pytest.mark.parametrize(
    ("code", "step", "card"),
    [
        ("print('5', flush=True)\n" + FIAR.format("pass"), "quiet_at_start", "before_asked"),
        (FIAR.format(AND_SAYS.format("{free[0]}")), "quiet_behind_answer", "answered_twice"),
        (FIAR.format("print(free[0] if 'O' not in line[1:] else 'lost')"), "first_against_random", "debug_output"),
        (FIAR.format("print(free[0] if line[0] == '@' else 'second?')"), "second_seat", "debug_output"),
        (FIAR.format("print(1)"), "full_columns", "full_column"),
        (SECOND_START + GOOD, "several_matches", "exited_with_error"),
        (SECOND_START + GOOD, "same_match_twice", "exited_with_error"),
        (SECOND_START + GOOD, "opponent_gone", "exited_with_error"),
    ],
)
def test_a_bot_that_fails_a_step_is_named(code: str, step: str, card: str, tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, code)
    assert codes(check, step) == {step: card}


def test_an_afterthought_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_steps, "QUIET_S", 1.5)  # the bot's own clock runs meanwhile
    assert codes(check_of_code("fiar", tmp_path, AFTERTHOUGHT), "end_of_match") == {"end_of_match": "spoke_after_end"}


def test_a_bot_that_speaks_while_it_starts_is_heard_however_long_that_takes(tmp_path: Path) -> None:
    code = "import time\ntime.sleep(0.6)\nprint('5', flush=True)\n" + FIAR.format("pass")
    assert codes(check_of_code("fiar", tmp_path, code), "quiet_at_start") == {"quiet_at_start": "before_asked"}


def test_a_bot_that_takes_one_read_for_one_line_is_found(tmp_path: Path) -> None:
    code = "import os\nwhile True:\n    line = os.read(0, 100)\n    print(line.index(b'.') - 1)"
    found = codes(check_of_code("fiar", tmp_path, code), "first_answer", "in_pieces")
    assert found["first_answer"] == ""
    assert found["in_pieces"] != ""


def test_what_the_bot_does_at_the_end_is_noted(tmp_path: Path) -> None:
    ends = results(check_of_code("fiar", tmp_path, GOOD), "end_of_match", "end_of_input")
    assert {result.note for result in ends.values()} == {"ends by itself with exit code 0"}


@pytest.mark.parametrize("spins", ["pass", "print('?')"])
def test_a_bot_that_spins_at_the_end_of_its_input_does_nothing_wrong(spins: str, tmp_path: Path) -> None:
    """One that floods its output, as those of the first text do, is killed before the step is over."""
    code = f"{GOOD}\nwhile True: {spins}"
    ends = results(check_of_code("fiar", tmp_path, code), "end_of_match", "end_of_input").values()
    assert [result.card for result in ends] == [None, None]
    assert {result.note for result in ends} == {"goes on without input: it is killed, as at the end of every match"}


def test_chance_is_noted(tmp_path: Path) -> None:
    code = "import random\n" + FIAR.format("print(random.choice(free))")
    fixed = results(check_of_code("fiar", tmp_path, GOOD), "same_match_twice")
    assert fixed["same_match_twice"].note == "the same moves"
    diced = results(check_of_code("fiar", tmp_path, code), "same_match_twice")
    assert diced["same_match_twice"].note.startswith(("other moves", "the same moves"))
