from __future__ import annotations

from string import Formatter

import pytest
from django.utils.translation import override

from arena.match.said import said
from arena.web.match.status import STATUS, refusal_line, score_words, status_line, until
from tests.web import markup

FACTS: dict[str, object] = {"o": "gravity-9", "m": "column 6", "c": "Orange", "ply": 9, "plies": 16, "address": "/m/x/"}
FACTS |= {"since": 7, "round": 2, "rounds": 4, "why": "lunch", "p": "aegean", "within": 9, "hidden": ""}
FACTS["time"] = until(5, "0:42")


@pytest.mark.parametrize("case", STATUS)
def test_every_case_makes_a_sentence(case: str) -> None:
    tone, *patterns = STATUS[case]
    names = {name for pattern in patterns for _, name, _, _ in Formatter().parse(pattern) if name}
    line = status_line(case, **{name: FACTS[name] for name in names})
    assert line.tone == tone and markup.words(line.words) and "{" not in line.words


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("waiting", "Waiting for gravity-9 to connect."),
        ("your_turn", "Your turn gravity-9 played column 6."),
        ("your_first", "Your turn You move first."),
        ("thinking", "gravity-9 is thinking."),
        ("watching", "Orange to move: gravity-9."),
        ("past_live", "You are looking at move 9 of 16. Back to live"),
        ("bot_away", "gravity-9 lost its connection. It has 0:42 to come back."),
        ("person_away", "gravity-9 is offline. 0:42 to come back, or gravity-9 loses."),
        (
            "bot_away_clock",
            "gravity-9 lost its connection. It has 0:42 to come back; its clock runs.",
        ),
        ("restarted", "The server was restarted. The match continues where it stopped."),
        ("break", "Round 2 of 4 starts in 0:42. Colours swap: gravity-9 moves first."),
        ("break_again", "Round 2 of 4 is played again in 0:42: gravity-9 moves first."),
        ("paused", "A referee has paused this match. Clocks are stopped."),
        ("paused_why", "A referee has paused this match: lunch. Clocks are stopped."),
    ],
)
def test_the_words_are_those_of_the_design(case: str, words: str) -> None:
    assert markup.words(status_line(case, **FACTS).words) == words


def test_a_name_is_never_markup() -> None:
    line = status_line("your_turn", o="<script>", m="<i>")
    assert {element.tag for element in markup.read(line.words)} == {"b", "span"}
    assert "<script> played <i>" in markup.words(line.words)


def test_a_missing_fact_is_an_error_and_not_a_hole() -> None:
    with pytest.raises(KeyError):
        status_line("your_turn", o="gravity-9")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("not_your_turn", "It is Mira's turn. Your move was not sent."),
        ("stale", "The board has changed since your click. Look again, then move."),
        ("illegal_move", "Column 4 is full. Choose another one."),
        ("paused", "Column 4 is full."),
    ],
)
def test_a_refusal_says_why_in_danger_tone(code: str, words: str) -> None:
    line = refusal_line(code, "column 4 is full.", "Mira")
    assert line.tone == "danger" and markup.words(line.words) == words


def test_a_refusal_speaks_the_language_of_its_reader() -> None:
    with override("de"):
        line = refusal_line("offer_open", said("{name} has offered a draw: that comes first.", name="Mira"), "Mira")
    assert markup.words(line.words) == "Mira hat Remis angeboten: Das geht vor."


NAMES = ("Mira", "gravity-9")


@pytest.mark.parametrize(
    ("rounds", "over", "you", "words"),
    [
        (("", ""), False, 0, ""),
        (("wl", "lw"), False, 0, "1 to 1."),
        (("wwl", "llw"), False, 1, "1 to 2."),
        (("wd", "ld"), False, None, "Mira 1.5, gravity-9 0.5."),
        (("wwlw", "llwl"), True, 0, "Series won 3 to 1."),
        (("wwlw", "llwl"), True, 1, "Series lost 1 to 3."),
        (("llwl", "wwlw"), True, None, "gravity-9 won the series 3 to 1."),
        (("wl", "lw"), True, None, "Series drawn 1 to 1."),
    ],
)
def test_a_series_is_told_from_the_readers_side(
    rounds: tuple[str, str], over: bool, you: int | None, words: str
) -> None:
    assert score_words(rounds, over, NAMES, you) == words
