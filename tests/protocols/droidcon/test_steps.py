from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.checking import assert_all_passed, check_of_code, check_of_spoilt, codes, results, sample

pytestmark = pytest.mark.service


def test_a_good_bot_passes_every_step_over_a_socket(tmp_path: Path) -> None:
    assert_all_passed(sample("droidcon", tmp_path, "me", "room", "{host}", "{port}", port=0))


def test_a_bot_that_says_something_else_than_commands_is_found(tmp_path: Path) -> None:
    spoils = "good = questions\nquestions = lambda: ('thinking\\n' + answer for answer in good())"
    check = check_of_spoilt("droidcon", tmp_path, spoils)
    found = results(check, "first_answer", "no_errors")
    assert found["first_answer"].card is None
    card = found["no_errors"].card
    assert card is not None
    assert card.code == "unknown_command"
    assert dict(card.facts)["received"] == "thinking"


def test_a_bot_that_keeps_its_board_at_new_game_is_found(tmp_path: Path) -> None:
    """It knows of no other NEW_GAME than the first, and so of no column that is free again."""
    spoils = "real = bots.sys.stdin\nlines = iter(real.readline, '')\n"
    spoils += "first = iter(['NEW_GAME\\n'])\n"
    spoils += "bots.sys.stdin = (line for line in lines if line != 'NEW_GAME\\n' or next(first, None))"
    found = codes(check_of_spoilt("droidcon", tmp_path, spoils), "first_answer", "long_rounds")
    assert found["first_answer"] == ""
    assert found["long_rounds"] == "traceback"


def test_a_bot_that_joins_again_and_again_is_found(tmp_path: Path) -> None:
    code = "import sys\nprint('NAME me')\nprint('JOIN room')\nfor line in sys.stdin:\n"
    code += "    if 'FULL' in line: print('JOIN room')"
    assert codes(check_of_code("droidcon", tmp_path, code), "full_channel") == {"full_channel": "flood"}


def test_a_bot_that_waits_or_ends_where_the_channel_is_full_is_right(tmp_path: Path) -> None:
    waits = results(check_of_spoilt("droidcon", tmp_path, ""), "full_channel")
    assert waits["full_channel"].note.startswith("waits; 1 JOIN")
    ends = "import sys\nprint('NAME me\\nJOIN room')\nfor line in sys.stdin:\n    if 'Error' in line: sys.exit(1)"
    assert (results(check_of_code("droidcon", tmp_path, ends), "full_channel"))["full_channel"].note == "ends"


@pytest.mark.parametrize(
    ("says", "code"),
    [("", "connected_but_silent"), ("NAME me", "not_joined"), ("3", "other_protocol")],
)
def test_a_bot_that_does_not_join_is_found(
    says: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = check_of_code(
        "droidcon",
        tmp_path,
        f"import time\nprint({says!r}, end='\\n' if {says!r} else '', flush=True)\ntime.sleep(600)",
    )
    monkeypatch.setattr(check.command.adapter, "ready_s", 3.0)
    assert codes(check) == {"first_answer": code}
