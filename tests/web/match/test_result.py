"""Every ending in the words of the winner, the loser and a watcher: the table that people read."""

from __future__ import annotations

import pytest

from arena.match.endings import TERMINATIONS, UNCOUNTED
from arena.web.match.result import REASONS, Ending, result

NAMES = ("Mira", "gravity-9")

# Mira is seat 0, gravity-9 seat 1. Title and reason for Mira, for gravity-9, for a watcher; one text: the same for all.
Row = tuple[Ending, str | tuple[str, str, str], str | tuple[str, str, str]]
LOST_TO_MIRA = ("You won", "Mira won", "Mira won")
LOST_TO_BOT = ("gravity-9 won", "You won", "gravity-9 won")
BY_DECISION = ("You won (by decision)", "Mira won (by decision)", "Mira won (by decision)")
TABLE: dict[str, Row] = {
    "last stone": (
        Ending(0, "normal", "last stone", last="3"),
        LOST_TO_MIRA,
        ("You took the last 3 stones.", "Mira took the last 3 stones.", "Mira took the last 3 stones."),
    ),
    "the one last stone, with a reset": (
        Ending(1, "normal", "last stone", last="1r"),
        LOST_TO_BOT,
        ("gravity-9 took the last stone.", "You took the last stone.", "gravity-9 took the last stone."),
    ),
    "climb": (
        Ending(0, "normal", "reached height 3"),
        LOST_TO_MIRA,
        ("You stepped up to height 3.", "Mira stepped up to height 3.", "Mira stepped up to height 3."),
    ),
    "boxed in": (
        Ending(0, "normal", "no legal turn"),
        LOST_TO_MIRA,
        ("gravity-9 has no legal move.", "You have no legal move.", "gravity-9 has no legal move."),
    ),
    "another game's win": (Ending(0, "normal", "three in a row"), LOST_TO_MIRA, "Three in a row."),
    "board full": (Ending(None, "normal", "board full"), "Draw", "The board is full."),
    "clock": (
        Ending(0, "timeout", "out of time"),
        LOST_TO_MIRA,
        ("gravity-9 ran out of time.", "You ran out of time.", "gravity-9 ran out of time."),
    ),
    "clock a move": (Ending(0, "timeout", "no move within 5 s"), LOST_TO_MIRA, "No reply within 5 s."),
    "illegal move": (
        Ending(0, "illegal_move", "column 4 is full; open columns: 1, 2", meant="column 4"),
        LOST_TO_MIRA,
        (
            "gravity-9 played column 4, which is full.",
            "You played column 4, which is full.",
            "gravity-9 played column 4, which is full.",
        ),
    ),
    "illegal move of another kind": (
        Ending(1, "illegal_move", "from 1 to 3 may be taken", meant="9"),
        LOST_TO_BOT,
        (
            "You played 9, but from 1 to 3 may be taken.",
            "Mira played 9, but from 1 to 3 may be taken.",
            "Mira played 9, but from 1 to 3 may be taken.",
        ),
    ),
    "bad reply": (
        Ending(0, "bad_output", "not a column", received="banana", expected="a column from 0 to 6"),
        LOST_TO_MIRA,
        (
            "gravity-9 answered “banana”. Expected a column from 0 to 6.",
            "You answered “banana”. Expected a column from 0 to 6.",
            "gravity-9 answered “banana”. Expected a column from 0 to 6.",
        ),
    ),
    "out of turn": (
        Ending(0, "out_of_turn", "a second line"),
        LOST_TO_MIRA,
        ("gravity-9 moved out of turn.", "You moved out of turn.", "gravity-9 moved out of turn."),
    ),
    "stall": (
        Ending(0, "stall", "gravity-9 was not ready within 20 s"),
        LOST_TO_MIRA,
        (
            "gravity-9 was not ready within 20 s.",
            "You were not ready within 20 s.",
            "gravity-9 was not ready within 20 s.",
        ),
    ),
    "disconnect": (
        Ending(0, "disconnect", "gravity-9 did not come back within 60 s"),
        LOST_TO_MIRA,
        (
            "gravity-9 did not come back within 60 s.",
            "You did not come back within 60 s.",
            "gravity-9 did not come back within 60 s.",
        ),
    ),
    "crash": (
        Ending(0, "crash", "gravity-9 stopped with exit code 1"),
        LOST_TO_MIRA,
        (
            "gravity-9 stopped with exit code 1.",
            "You stopped with exit code 1.",
            "gravity-9 stopped with exit code 1.",
        ),
    ),
    "a limit": (
        Ending(0, "resource_limit", "memory"),
        LOST_TO_MIRA,
        (
            "gravity-9 exceeded its limits: memory.",
            "Your bot exceeded its limits: memory.",
            "gravity-9 exceeded its limits: memory.",
        ),
    ),
    "resign": (
        Ending(1, "resign", "Mira resigned"),
        ("You resigned", "You won", "gravity-9 won"),
        ("gravity-9 wins.", "Mira resigned.", "Mira resigned."),
    ),
    "left": (
        Ending(1, "left", "Mira did not come back within 60 s"),
        ("You left", "You won", "gravity-9 won"),
        ("gravity-9 wins.", "Mira left the match.", "Mira left the match."),
    ),
    "agreed": (Ending(None, "agreement", "draw agreed"), "Draw", "Both players agreed on a draw."),
    "too many moves": (Ending(None, "max_plies", "stopped after 4096 moves"), "Draw", "Stopped after 4096 moves."),
    "abort": (Ending(None, "abort", "Mira left"), "Not counted", "Stopped before both sides had moved."),
    "abandoned": (
        Ending(None, "abandoned", "nobody has moved for 14 days"),
        "Left unfinished",
        "Nobody has moved for 14 days. It counts for nobody.",
    ),
    "no show": (Ending(None, "no_start", "gravity-9 never connected"), "Not counted", "gravity-9 never connected."),
    "decided": (
        Ending(0, "adjudicated", "bot machine lost power", "Ada"),
        BY_DECISION,
        "Decided by referee Ada: “bot machine lost power”.",
    ),
    "decided a draw": (
        Ending(None, "adjudicated", "both agree", "Ada"),
        "Draw",
        "Decided by referee Ada: “both agree”.",
    ),
    "proved": (
        Ending(0, "adjudicated", "Mira wins by force, proved for 4 moves: 4 4 5"),
        ("You won", "Mira won", "Mira won"),
        "Mira wins by force, proved for 4 moves: 4 4 5.",
    ),
    "proved a draw": (
        Ending(None, "adjudicated", "a draw with best play, proved for 8 moves: 3 3"),
        "Draw",
        "A draw with best play, proved for 8 moves: 3 3.",
    ),
    "stopped by a referee": (
        Ending(None, "admin_abort", "wrong opponents"),
        "Not counted",
        "Stopped by a referee: wrong opponents.",
    ),
    "void": (
        Ending(None, "server_abort", "the server was restarted; the round is played again"),
        "Not counted",
        "Void: the server was restarted; the round is played again.",
    ),
}


def for_all(texts: str | tuple[str, str, str]) -> tuple[str, str, str]:
    return (texts, texts, texts) if isinstance(texts, str) else texts


@pytest.mark.parametrize("case", TABLE)
def test_each_reads_how_it_ended_for_them(case: str) -> None:
    ending, titles, reasons = TABLE[case]
    read = [result(ending, NAMES, you) for you in (0, 1, None)]
    assert tuple(card.title for card in read) == for_all(titles)
    assert tuple(card.reason for card in read) == for_all(reasons)


def test_the_table_above_has_every_ending() -> None:
    assert {ending.termination for ending, _, _ in TABLE.values()} == set(TERMINATIONS)


@pytest.mark.parametrize("you", [0, 1, None])
@pytest.mark.parametrize("termination", TERMINATIONS)
def test_an_ending_with_any_reason_makes_a_sentence(termination: str, you: int | None) -> None:
    winner = None if termination in UNCOUNTED else 0
    card = result(Ending(winner, str(termination), "something happened", "Ada"), NAMES, you)
    assert card.title and card.reason.endswith((".", "”.")) and "{" not in card.title + card.reason
    assert card.reason[0].isupper() or card.reason.startswith(NAMES)


def test_the_table_knows_only_endings_that_exist() -> None:
    assert {termination for termination, _ in REASONS} == set(TERMINATIONS)


def test_the_drawing_may_describe_the_line_itself() -> None:
    card = result(Ending(0, "normal", "four in a row"), NAMES, 0, "Four in a row, in column 1.", ("1702 → 1710 (+8)",))
    assert card.reason == "Four in a row, in column 1." and card.notes == ("1702 → 1710 (+8)",)
