"""One start of a bot: what it answers, and what is said when it does not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from arena.bots.conformance.observed import Failed
from arena.protocols.adapter import Moved
from tests.kit.checking import AND_SAYS, FIAR, GOOD, answer, card_of, check_of, check_of_code

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

# Answers in several writes.
PIECES = """
import os, sys, time
def say(data): os.write(1, data)
def until(word):
    read = b""
    while word not in read: read += os.read(0, 64)
"""


def test_a_good_answer_is_a_move(tmp_path: Path) -> None:
    assert answer(check_of_code("fiar", tmp_path, GOOD)) == "1"


@pytest.mark.long
def test_a_bot_that_never_flushes_answers_on_a_terminal_and_not_on_a_pipe(tmp_path: Path) -> None:
    assert answer(check_of_code("fiar", tmp_path, GOOD, pty=True)) == "1"
    card = card_of(check_of_code("fiar", tmp_path, GOOD, pty=False, answer_s=1.0, startup_s=3.0))
    assert card.code == "not_flushed"
    assert dict(card.facts)["asked"].startswith("@ ...")


@pytest.mark.long
def test_a_bot_that_buffers_on_purpose_is_told_to_flush(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "this test needs a C compiler: apt-get install gcc"
    (tmp_path / "bot.c").write_text(SETVBUF)
    subprocess.run([compiler, "-o", tmp_path / "bot", tmp_path / "bot.c"], check=True)
    card = card_of(check_of("fiar", tmp_path, "./bot", answer_s=1.0, startup_s=3.0))
    assert card.code == "not_flushed"
    assert "unflushed" in card.sentence


@pytest.mark.long
def test_a_bot_that_waits_for_a_second_line_is_told_so_too(tmp_path: Path) -> None:
    code = "import sys\nwhile True:\n    sys.stdin.readline(), sys.stdin.readline()\n    print(4, flush=True)"
    card = card_of(check_of_code("fiar", tmp_path, code, answer_s=1.0, startup_s=3.0))
    assert card.code == "not_flushed"
    assert "waits for a second line" in card.sentence


@pytest.mark.long
def test_a_bot_that_takes_each_read_for_one_line_is_told_so_too(tmp_path: Path) -> None:
    code = "import os\nwhile read := os.read(0, 1024):\n    if read == b'REQUEST_MOVE\\n': print(4, flush=True)"
    card = card_of(check_of_code("gamestate", tmp_path, code, answer_s=1.0, startup_s=3.0))
    assert card.code == "not_flushed"
    assert "takes each read for one line" in card.advice


def test_what_was_expected_is_told_as_the_bot_writes_it(tmp_path: Path) -> None:
    """It counts columns from 0: of the rules' columns 2 to 8 it reads 1 to 7."""
    check = check_of_code("gamestate", tmp_path, "for line in open(0):\n if 'REQUEST' in line: print(0)")
    position = check.variant.start()
    for _ in range(8):
        position = position.play("1")
    with check.start() as bot, pytest.raises(Failed) as failed:
        bot.ask(position, *bot.seated(0, position))
    assert failed.value.card.sentence == "Column `0` is full."
    assert dict(failed.value.card.facts)["expected"] == "one of 1, 2, 3, 4, 5, 6, 7"


def test_an_illegal_move_is_told_as_the_bot_has_sent_it(tmp_path: Path) -> None:
    """A worker on a taken square, which is no text of the rules on this wire."""
    code = """print('"max"')\nfor line in open(0):\n if line[0] == '[': print([2, 3])"""
    check = check_of_code("santorini-course", tmp_path, code)
    position = check.variant.start().play("c3")
    with check.start() as bot, pytest.raises(Failed) as failed:
        bot.ask(position, *bot.seated(1, position))
    assert dict(failed.value.card.facts)["received"] == "[2, 3]"
    assert failed.value.card.sentence.startswith("`[2, 3]` is not allowed here: (x 2, y 3) is taken")


@pytest.mark.long
def test_what_was_refused_is_told_as_after_a_match(tmp_path: Path) -> None:
    code = (
        "import json\n"
        'print(json.dumps({"type": "hello", "name": "max"}))\n'
        "for line in open(0):\n"
        ' if json.loads(line)["type"] == "turn": print(json.dumps({"type": "move", "ply": 0, "move": "1"}))'
    )
    card = card_of(check_of_code("native", tmp_path, code, answer_s=1.0, startup_s=3.0))
    assert card.code == "refused"
    assert dict(card.facts)["expected"] == '"ply" 1'
    assert dict(card.facts)["asked"].startswith('{"type":"turn"')


@pytest.mark.long
def test_an_error_in_a_thread_is_why_no_answer_comes(tmp_path: Path) -> None:
    code = "import threading, time\nthreading.Thread(target=lambda: int(input())).start()\ntime.sleep(600)"
    card = card_of(check_of_code("fiar", tmp_path, code, answer_s=1.0, startup_s=3.0))
    assert card.code == "failed_silently"
    assert "runs on: ValueError: invalid literal for int()" in card.sentence


def test_an_unasked_answer_is_named_by_when_it_comes(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format(AND_SAYS.format("{free[0]}")))
    position = check.variant.start()
    with check.start() as bot:
        bot.ask(position, *bot.seated(0, position))
        bot.tell(Moved(0, "1", position.play("1")))
        with pytest.raises(Failed) as failed:
            bot.quiet("answered_twice")
    assert failed.value.card.code == "answered_twice"
    assert failed.value.wire == ["< @ ..........................................", "> 1", "> 1"]


@pytest.mark.parametrize(
    ("slug", "code"),
    [
        ("nyu-nim", "os.read(0, 64); say(b'3 0'); time.sleep(0.1); say(b'\\r'); time.sleep(0.1); say(b'\\n')"),
        ("droidcon", "say(b'NAME a\\nJOIN x\\n'); until(b'YOUR'); say(b'PUT 3\\r'); time.sleep(0.1); say(b'\\n')"),
        ("santorini-course", "say(b'\"a\"'); until(b'[]'); say(b'[0,0]'); time.sleep(0.1); say(b'\\n')"),
    ],
)
def test_a_line_end_that_comes_behind_its_answer_is_no_second_answer(tmp_path: Path, slug: str, code: str) -> None:
    check = check_of_code(slug, tmp_path, PIECES + code + "\nsys.stdin.read()")
    position = check.variant.start()
    with check.start() as bot:
        move = bot.ask(position, *bot.seated(0, position))
        bot.tell(Moved(0, move, position.play(move)))
        bot.quiet("answered_twice")
        assert bot.tap.since(0).endswith(b"\n")


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
