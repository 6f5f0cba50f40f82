"""One start of a bot: what it answers, and what is said when it does not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.conformance.candidate import Failed
from arena.bots.conformance.check import Check
from arena.bots.failure.cards import Card
from arena.protocols.adapter import Moved
from tests.kit.checking import FIAR, GOOD, check_of, check_of_code

# Buffers its output on purpose, also on a terminal.
SETVBUF = r"""
#include <stdio.h>
int main(void) {
    char line[64];
    setvbuf(stdout, NULL, _IOFBF, 4096);
    while (fgets(line, sizeof line, stdin)) printf("4\n");
    return 0;
}
"""


def answer(check: Check) -> str:
    position = check.variant.start()
    with check.start() as bot:
        return bot.ask(position, *bot.seated(0, position))


def card_of(check: Check) -> Card:
    with pytest.raises(Failed) as failed:
        answer(check)
    return failed.value.card


def test_a_good_answer_is_a_move(tmp_path: Path) -> None:
    assert answer(check_of_code("fiar", tmp_path, GOOD)) == "1"


@pytest.mark.long
def test_a_bot_that_never_flushes_answers_on_a_terminal_and_not_on_a_pipe(tmp_path: Path) -> None:
    assert answer(check_of_code("fiar", tmp_path, GOOD, pty=True)) == "1"
    card = card_of(check_of_code("fiar", tmp_path, GOOD, pty=False, answer_s=1.0, startup_s=1.0))
    assert card.code == "not_flushed"
    assert dict(card.facts)["asked"].startswith("@ ...")


@pytest.mark.long
def test_a_bot_that_buffers_on_purpose_is_told_to_flush(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "this test needs a C compiler: apt-get install gcc"
    (tmp_path / "bot.c").write_text(SETVBUF)
    subprocess.run([compiler, "-o", tmp_path / "bot", tmp_path / "bot.c"], check=True)
    card = card_of(check_of("fiar", tmp_path, "./bot", answer_s=1.0, startup_s=1.0))
    assert card.code == "not_flushed"
    assert "unflushed" in card.sentence


@pytest.mark.long
def test_a_bot_that_waits_for_a_second_line_is_told_so_too(tmp_path: Path) -> None:
    code = "import sys\nwhile True:\n    sys.stdin.readline(), sys.stdin.readline()\n    print(4, flush=True)"
    card = card_of(check_of_code("fiar", tmp_path, code, answer_s=1.0, startup_s=1.0))
    assert card.code == "not_flushed"
    assert "waits for a second line" in card.sentence


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
    script.write_text("#!/usr/bin/python-of-another-machine\n")
    script.chmod(0o755)
    assert (card_of(check_of("fiar", tmp_path, "./bot"))).code == "interpreter_missing"


def test_a_program_for_another_machine_is_named(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fELF\x00 for another machine")
    program.chmod(0o755)
    assert (card_of(check_of("fiar", tmp_path, "./bot"))).code == "not_executable"


def test_an_unasked_answer_is_named_by_when_it_comes(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format("print(free[0]); print(free[0])"))
    position = check.variant.start()
    with check.start() as bot:
        bot.ask(position, *bot.seated(0, position))
        bot.tell(Moved(0, "1", position.play("1")))
        with pytest.raises(Failed) as failed:
            bot.quiet("answered_twice")
    assert failed.value.card.code == "answered_twice"
    assert failed.value.wire == ["< @ ..........................................", "> 1", "> 1"]


def test_a_question_can_be_asked_again(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, GOOD)
    position = check.variant.start()
    with check.start() as bot:
        bot.ask(position, *bot.seated(0, position))
        assert bot.ask_again(position) == "1"


def test_what_it_does_without_input_can_be_seen(tmp_path: Path) -> None:
    with check_of_code("fiar", tmp_path, GOOD).start() as bot:
        bot.tap.end_input()
        assert bot.exits(20)
        assert bot.process is not None
        assert bot.process.exit_status == 0
