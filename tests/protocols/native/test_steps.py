from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.checking import assert_all_passed, check_of_code, codes, results, sample

pytestmark = pytest.mark.service

# Plays the first legal move; `{}` is what it does with any other message.
NATIVE = """
import json, sys
print('{{"type": "hello", "name": "first"}}', flush=True)
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "turn":
        print(json.dumps({{"type": "move", "ply": said["ply"], "move": said["legal"][0]}}))
    elif said["type"] == "ping":
        print('{{"type": "pong"}}')
    else:
        {}
"""


def test_a_good_bot_passes_every_step(tmp_path: Path) -> None:
    assert_all_passed(sample("native", tmp_path, "max", variant="expanding-nim"))


def test_a_bot_that_answers_no_ping_is_found(tmp_path: Path) -> None:
    code = NATIVE.format("pass").replace('"ping"', '"never"')
    assert codes(check_of_code("native", tmp_path, code, answer_s=1.0), "first_answer", "pong") == {
        "first_answer": "",
        "pong": "not_ready",
    }


def test_a_bot_that_says_what_is_refused_is_found(tmp_path: Path) -> None:
    code = NATIVE.format("print('thanks')")
    found = results(check_of_code("native", tmp_path, code), "first_answer", "no_refusals")
    card = found["no_refusals"].card
    assert card is not None
    assert card.code == "bad_output"
    assert dict(card.facts)["received"] == "thanks"


def test_what_a_bot_does_when_it_is_refused_is_noted(tmp_path: Path) -> None:
    waits = results(check_of_code("native", tmp_path, NATIVE.format("pass")), "asked_again")
    assert waits["asked_again"].note.startswith("it does not")
    answers = """if said["type"] == "refused":
            print('{"type": "move", "ply": 1, "move": "2"}')"""
    again = results(check_of_code("native", tmp_path, NATIVE.format(answers)), "asked_again")
    assert again["asked_again"].note == 'answers {"type": "move", "ply": 1, "move": "2"}'
