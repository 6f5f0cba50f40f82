from __future__ import annotations

import pytest

from arena.match.endings import UNCOUNTED, Termination
from arena.web.result import REASONS, Ending, result

NAMES = ("Mira", "gravity-9")


@pytest.mark.parametrize("you", [0, 1, None])
@pytest.mark.parametrize("termination", list(Termination))
def test_every_ending_has_a_title_and_a_reason_for_everyone(termination: str, you: int | None) -> None:
    winner = None if termination in UNCOUNTED else 0
    card = result(Ending(winner, str(termination), "something happened", "Ada"), NAMES, you)
    assert card.title and card.reason.endswith((".", "”.")) and "{" not in card.title + card.reason
    assert card.reason[0].isupper() or card.reason.startswith(NAMES)


def test_the_table_knows_only_endings_that_exist() -> None:
    assert {termination for termination, _ in REASONS} == {str(termination) for termination in Termination}


@pytest.mark.parametrize(
    ("ending", "titles"),
    [
        (Ending(1, "normal", "last stone"), ("You lost", "You won", "gravity-9 won")),
        (Ending(None, "normal", "board full"), ("Draw", "Draw", "Draw")),
        (Ending(1, "resign", "Mira resigned"), ("You resigned", "You won", "gravity-9 won")),
        (Ending(1, "left", "gone"), ("You left", "You won", "gravity-9 won")),
        (Ending(1, "timeout", "out of time"), ("You lost", "You won", "gravity-9 won")),
        (Ending(None, "abort", "no"), ("Not counted", "Not counted", "Not counted")),
        (
            Ending(0, "adjudicated", "power cut", "Ada"),
            (*("You won (by decision)", "You lost (by decision)"), "Mira won (by decision)"),
        ),
        (Ending(None, "adjudicated", "power cut", "Ada"), ("Draw", "Draw", "Draw")),
    ],
)
def test_the_title_depends_on_who_reads(ending: Ending, titles: tuple[str, str, str]) -> None:
    assert tuple(result(ending, NAMES, you).title for you in (0, 1, None)) == titles


@pytest.mark.parametrize(
    ("ending", "you", "reason"),
    [
        (Ending(1, "resign", "Mira resigned"), 0, "gravity-9 wins."),
        (Ending(1, "resign", "Mira resigned"), 1, "Mira resigned."),
        (Ending(0, "timeout", "out of time"), 0, "gravity-9 ran out of time."),
        (Ending(0, "timeout", "no move within 5 s"), None, "gravity-9: no move within 5 s."),
        (Ending(0, "timeout", "no move within 5 s"), 1, "No move within 5 s."),
        (Ending(0, "normal", "last stone"), 0, "You took the last stone."),
        (Ending(0, "normal", "no legal turn"), 0, "gravity-9 has no legal move."),
        (Ending(None, "normal", "board full"), 0, "The board is full."),
        (Ending(0, "normal", "three in a row"), None, "Three in a row."),
        (
            Ending(0, "adjudicated", "bot machine lost power", "Ada"),
            1,
            "Decided by referee Ada: “bot machine lost power”.",
        ),
    ],
)
def test_the_reason_names_whose_doing_it_was(ending: Ending, you: int | None, reason: str) -> None:
    assert result(ending, NAMES, you).reason == reason


def test_the_author_of_a_bot_reads_what_came_and_what_was_expected() -> None:
    ending = Ending(0, "bad_output", "not a column", "", "banana", "a column from 0 to 6")
    said = result(ending, NAMES, None).reason
    assert said == "gravity-9 sent what cannot be read: not a column. Received “banana”. Expected a column from 0 to 6."


def test_the_drawing_may_describe_the_line_itself() -> None:
    card = result(Ending(0, "normal", "four in a row"), NAMES, 0, "Four in a row, in column 1.", ("1702 → 1710 (+8)",))
    assert card.reason == "Four in a row, in column 1." and card.notes == ("1702 → 1710 (+8)",)
