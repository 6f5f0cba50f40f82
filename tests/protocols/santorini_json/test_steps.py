from __future__ import annotations

from pathlib import Path

import pytest

import games
from arena.protocols import santorini_actions
from arena.protocols.santorini_json import steps
from tests.kit.checking import assert_all_passed, card_of, check_of_code, check_of_spoilt, codes, results, sample

pytestmark = pytest.mark.service

SANTORINI = games.variant("santorini-6x6")
# It decodes one value after the other, from the first byte behind the last.
STRICT = """
import json, os
print('["join", "max"]', flush=True)
text = ""
while read := os.read(0, 1024):
    text += read.decode()
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        continue
    text = text[end:]
    if value != "OK":
        print('"OK"', flush=True)
"""
GOOD = "good = bots.turns\nbots.turns = lambda board: "


def test_a_good_bot_passes_every_step(tmp_path: Path) -> None:
    assert_all_passed(sample("santorini-json", tmp_path, "max"))


def test_the_boards_are_what_their_steps_promise() -> None:
    assert SANTORINI.parse(steps.ONLY_A_WIN).legal_moves() == ("a6-b6",)
    assert SANTORINI.parse(steps.ONLY_ONE_TURN).legal_moves() == ("a6-b6+a6",)
    assert {move[:2] for move in SANTORINI.parse(steps.ONE_WORKER_STUCK).legal_moves()} == {"d3"}
    assert "e3-f3" in SANTORINI.parse(steps.CAN_WIN).legal_moves()
    climbs = SANTORINI.parse(steps.ONLY_CLIMBS).legal_moves()
    assert {move[:5] for move in climbs} == {"a6-b6", "a6-a5", "a6-b5"}
    assert len(SANTORINI.parse(steps.TOWERS).legal_moves()) > 1


@pytest.mark.parametrize(
    ("spoils", "step", "code"),
    [
        (
            f"{GOOD}([*turn, ['build', ['PUT', 'SOUTH']]][:2] for turn in good(board))",
            "win_without_build",
            "build_after_win",
        ),
        (f"{GOOD}([turn[0]] for turn in good(board))", "towers", "no_build"),
        (
            "say = bots.say\nbots.say = lambda text: 'OK' in text or say(text)",
            "quiet_at_start",
            "no_acknowledgement",
        ),
        ("bots.say('thinking ')", "first_answer", "debug_output"),
    ],
)
def test_a_bot_that_breaks_a_rule_is_found(spoils: str, step: str, code: str, tmp_path: Path) -> None:
    check = check_of_spoilt("santorini-json", tmp_path, spoils, answer_s=2.0)
    assert codes(check, step) == {step: code}


def test_a_bot_that_does_not_expect_a_name_like_its_own_is_found(tmp_path: Path) -> None:
    """In 0faultyb1 it finds itself, and no number behind it."""
    spoils = "bots.is_mine = lambda cell: 'faulty' in cell and int(cell.split('faulty')[1]) > 0\n"
    spoils += f"{GOOD}iter(list(good(board)))"
    found = codes(check_of_spoilt("santorini-json", tmp_path, spoils), "first_answer", "like_itself", "names")
    assert found == {"first_answer": "", "like_itself": "traceback", "names": ""}


def test_a_bot_without_a_name_is_right(tmp_path: Path) -> None:
    spoils = "say = bots.say\nbots.say = lambda text: 'join' in text or say(text)"
    found = results(check_of_spoilt("santorini-json", tmp_path, spoils), "registers", "quiet_at_start")
    assert found["registers"].note == "does not say its name, and need not"
    assert all(result.card is None for result in found.values())


def test_a_bot_that_does_not_skip_the_newline_behind_a_value_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(santorini_actions, "ACK_S", 1.0)
    card = card_of(check_of_code("santorini-json", tmp_path, STRICT))
    assert card.code == "no_acknowledgement"
    assert dict(card.facts)["asked"].startswith('["new_game"')
    assert "Skip the newline behind each value" in card.advice
