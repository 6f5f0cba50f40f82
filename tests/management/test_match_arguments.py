"""What the words of `match` ask for, and which of them are refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.management import matches
from arena.management.match_arguments import MOST_OF_TEST, MOST_OPENINGS, make_parser, read_spec, read_test
from arena.play.spec import Spec

CONNECT_FOUR = "connect-four-7x6"
BOTH = (CONNECT_FOUR, "builtin:club", "builtin:best")


def _spec(*words: str) -> Spec:
    return read_spec(make_parser().parse_args([*BOTH, *words]))


def test_one_match_is_played_unless_more_are_asked_for() -> None:
    assert _spec().rounds == 1 and _spec("--rounds", "8").rounds == 8
    assert _spec("--sprt", "-5", "0").rounds == MOST_OF_TEST
    assert _spec("--sprt", "-5", "0", "--rounds", "50").rounds == 50


def test_a_test_may_ask_whether_nothing_was_lost() -> None:
    test = read_test(make_parser().parse_args([*BOTH, "--sprt", "-5", "0"]))
    assert test is not None and test.hypotheses == (-5, 0)
    assert read_test(make_parser().parse_args([*BOTH])) is None


def test_the_openings_are_those_of_the_seed_and_no_more_than_are_needed() -> None:
    few = _spec("--openings", "4", "--rounds", "5").openings
    assert len(few) == 3 and {len(each.split()) for each in few} == {4}
    assert few == _spec("--openings", "4", "--rounds", "5", "--seed", "0").openings
    assert few != _spec("--openings", "4", "--rounds", "5", "--seed", "1").openings
    assert len(_spec("--openings", "8", "--rounds", "5000").openings) == MOST_OPENINGS
    assert _spec("--rounds", "5").openings == ()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chess", "builtin:club", "builtin:club"], "unknown variant 'chess'"),
        ([CONNECT_FOUR, "builtin:grandmaster", "builtin:club"], "builtin:grandmaster: unknown level; expected one of"),
        (
            [CONNECT_FOUR, "gamestate:python3 x", "builtin:club"],
            "gamestate plays connect-four-8x8, not connect-four-7x6",
        ),
        ([CONNECT_FOUR, "fiar:./nothing", "builtin:club"], "there is no program './nothing' that can be run here"),
        ([CONNECT_FOUR, "tcp:droidcon:0", "builtin:club"], "port '0': expected a number from 1 to 65535"),
        ([CONNECT_FOUR, "tcp:fiar:5300", "tcp:droidcon:5300"], "both seats wait on port 5300, in two protocols"),
        (
            [CONNECT_FOUR, "builtin:club", "builtin:club", "--clock", "5 minutes"],
            "clock '5 minutes': expected 5s (a move)",
        ),
        ([CONNECT_FOUR, "builtin:club", "builtin:club", "--clock", ""], "clock '': expected 5s (a move)"),
        ([CONNECT_FOUR, "builtin:club", "builtin:club", "--rounds", "0"], "'0': expected a whole number from 1"),
        (  # which took all memory before the first match
            [CONNECT_FOUR, "builtin:random", "builtin:random", "--concurrency", "2", "--rounds", "3000000000"],
            "'3000000000': expected a whole number from 1 to 1000000",
        ),
        ([CONNECT_FOUR, "builtin:club", "builtin:club", "--set", "stones=20"], "connect-four-7x6 has no settings"),
        (["expanding-nim", "builtin:club", "builtin:club", "--set", "stones=many"], "expected int from 1 to 1000"),
        ([CONNECT_FOUR, "builtin:club"], "the following arguments are required: SEAT"),
        ([CONNECT_FOUR, "builtin:club", "builtin:club", "--wait", "soon"], "'soon': expected seconds"),
        ([CONNECT_FOUR, "builtin:club", "builtin:club", "--sav"], "unrecognized arguments: --sav"),
        (
            [CONNECT_FOUR, "builtin:club", "builtin:club", "--sprt", "0", "nan"],
            "'nan': expected Elo points from -1000 to 1000",
        ),
        (
            [CONNECT_FOUR, "builtin:club", "builtin:club", "--sprt", "0", "-5"],
            "--sprt 0 -5: expected the smaller difference first, such as 0 10",
        ),
        (
            [CONNECT_FOUR, "builtin:club", "builtin:club", "--openings", "3"],
            "'3': expected an even number of moves from 2 to 40",
        ),
        (
            [CONNECT_FOUR, "droidcon:python3 x", "builtin:club", "--openings", "2"],
            "--openings: droidcon tells a bot moves and no positions, so it cannot begin there",
        ),
        (
            ["expanding-nim", "builtin:club", "builtin:club", "--set", "stones=10", "--openings", "20"],
            "--openings 20: no match is open after so many moves; expected fewer",
        ),
        (
            [CONNECT_FOUR, "droidcon:python3 x", "builtin:club", "--keep"],
            "--keep: a process that speaks droidcon plays one match; only fiar and native can be kept",
        ),
    ],
)
def test_wrong_usage_is_said_in_a_line_and_exit_2(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the process of the test: one of its own shows no more of it."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        sys.exit(matches.main(arguments))
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, ""), err
    assert says in err.splitlines()[-1]
