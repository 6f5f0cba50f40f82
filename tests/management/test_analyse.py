from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from arena.models import Work
from tests.analysis.test_matches import MATCH


def analysed(*words: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("analyse", *words, stdout=out, **options)
    return out.getvalue()


def a_file(folder: Path, *logs: Any) -> str:
    path = folder / "log.json"
    path.write_text("\n".join(log if isinstance(log, str) else json.dumps(log) for log in logs), encoding="utf-8")
    return str(path)


def log(moves: str = MATCH, **more: Any) -> dict[str, Any]:
    return {"id": "m1", "variant": "connect-four-7x6", "moves": [{"move": move} for move in moves]} | more


def test_a_file_is_told_move_by_move(tmp_path: Path) -> None:
    said = analysed(a_file(tmp_path, log())).splitlines()
    assert said[0] == "m1  connect-four-7x6, proved"
    assert said[3].split("  ")[-1].strip() == "Threw away the win: column 2 wins in 19"
    assert said[-3:] == [
        "Seat 0: 11 of 13 moves that mattered",
        "Seat 1: 2 of 4 moves that mattered",
        "With best play won by seat 0 since move 10",
    ]


def test_moves_of_an_opening_are_no_mistakes_in_a_file_either(tmp_path: Path) -> None:
    said = analysed(a_file(tmp_path, log(opening=4))).splitlines()
    assert "Threw away the win" not in said[3]
    assert said[-3:-1] == ["Seat 0: 10 of 11 moves that mattered", "Seat 1: 1 of 3 moves that mattered"]


def test_several_logs_are_read_line_by_line_and_told_as_json(tmp_path: Path) -> None:
    lines = analysed(a_file(tmp_path, log("44"), log("4", id="m2")), "--json").splitlines()
    assert [json.loads(line)["match"] for line in lines] == ["m1", "m2"]
    assert len(json.loads(lines[0])["values"]) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty: expected a log as log.json has it"),
        ("[1, 2]", "expected a log with `variant` and `moves`"),
        ('{"variant": "connect-four-7x6"}', "expected a log with `variant` and `moves`"),
        ("[" * 50_000, "line 1: received '[[[["),
        ('{"id": 1}\nno json', "line 2: received 'no json', expected a log"),
        (log("1111111"), "m1: this is no match of connect-four-7x6: "),
        (log(variant="chess"), "m1: there is no solver for chess; nothing can be proved"),
        (log(settings={"stones": 3}), "has no setting 'stones'"),
        (log(settings=[[1, 2, 3]]), "expected a log with `variant` and `moves`"),
        (log(opening="four"), "expected a log with `variant` and `moves`"),
        ("\ufeff[1, 2]", "expected a log with `variant` and `moves`"),
    ],
)
def test_what_is_no_match_is_refused_with_what_was_expected(tmp_path: Path, content: Any, words: str) -> None:
    with pytest.raises(CommandError) as refused:
        analysed(a_file(tmp_path, content))
    assert words in str(refused.value)


@pytest.mark.django_db(transaction=True)
def test_a_match_that_is_not_there_is_said() -> None:
    with pytest.raises(CommandError, match="'nothing' is neither a file nor a match of this database"):
        analysed("nothing")


@pytest.mark.django_db(transaction=True)
def test_matches_that_are_not_analysed_yet_are_left_to_the_server() -> None:
    assert analysed("--missing").startswith("0 matches wait")
    assert not Work.objects.exists()
