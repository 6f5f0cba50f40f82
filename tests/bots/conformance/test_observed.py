"""Why a bot gave no move: what was seen of it leads to its card."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.conformance.observed import Failed
from arena.protocols.adapter import Moved
from tests.kit.checking import FIAR, card_of, check_of, check_of_code


@pytest.mark.parametrize(
    ("does", "code"),
    [
        ("print('thinking')", "debug_output"),
        ("print(0)", "counts_from_0"),
        ("print('PUT 3')", "other_protocol"),
        ("print()", "blank_line"),
        ("1 / 0", "traceback"),
        ("sys.exit(3)", "exited_with_error"),
        ("os.abort()", "killed_by_signal"),
        ("import numpy_that_is_not_there", "module_missing"),
        ("x = 'm' * 10 ** 15", "out_of_memory"),
    ],
)
def test_a_failure_has_its_card(does: str, code: str, tmp_path: Path) -> None:
    assert (card_of(check_of_code("fiar", tmp_path, FIAR.format(does)))).code == code


def test_a_flood_of_lines_is_named(tmp_path: Path) -> None:
    code = "import sys\nsys.stdin.readline()\nwhile True: print('x')"
    position = (check := check_of_code("droidcon", tmp_path, code)).variant.start()
    with pytest.raises(Failed) as failed, check.command.start() as bot:
        bot.tell(*bot.seated(0, position))
        bot.ready()
    assert failed.value.card.code in ("flood", "exited", "exited_with_error", "killed_by_signal")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    card = card_of(check_of("fiar", tmp_path, sys.executable, "nowhere.py"))
    assert card.code == "file_missing"
    assert "nowhere.py" in card.sentence


def test_a_script_whose_interpreter_is_not_there_is_named(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\nexec python-of-another-machine bot.py\n")
    script.chmod(0o755)
    assert (card_of(check_of("fiar", tmp_path, "./bot"))).code == "interpreter_missing"


def test_a_program_for_another_machine_is_named(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fELF\x00 for another machine")
    program.chmod(0o755)
    assert (card_of(check_of("fiar", tmp_path, "./bot"))).code == "not_executable"


def test_where_nothing_has_a_line_end_the_last_message_alone_is_what_was_asked(tmp_path: Path) -> None:
    code = "import os\nfor said in (b'3 0', b'9 0'):\n    os.read(0, 1024)\n    os.write(1, said)\nos.read(0, 1024)"
    check = check_of_code("nyu-nim", tmp_path, code, pty=False)
    position = check.variant.start()
    with check.start() as bot, pytest.raises(Failed) as failed:
        bot.ask(position, *bot.seated(0, position))
        for seat, move in enumerate(("3", "4")):
            position = position.play(move)
            bot.tell(Moved(seat, move, position))
        bot.ask(position)
    facts = dict(failed.value.card.facts)
    assert (facts["asked"], facts["received"]) == ("93 4 0 0", "9 0")
