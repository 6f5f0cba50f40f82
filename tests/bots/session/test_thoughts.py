"""A bot's thoughts: lines of its stderr, each with the turn in which it was said, and nothing that harms a reader."""

from __future__ import annotations

import pytest

from arena.bots.session.thoughts import (
    MOST_BYTES,
    MOST_LETTERS,
    MOST_LINES,
    MOST_MOVES,
    BotThought,
    by_turn,
    thought_of,
)
from arena.bots.session.wire import CAME_BACK, FULL
from arena.match.wire_messages import Direction, Message


def said(*pieces: tuple[int, bytes], way: Direction = "err") -> list[Message]:
    return [(0.0, way, data, ply) for ply, data in pieces]


@pytest.mark.parametrize(
    ("line", "thought"),
    [
        (b"#eval 0.3 #pv 4 4 3", BotThought("+0.30", "4 4 3")),
        (b"#pv a1-b2+c3 5r\r", BotThought(moves="a1-b2+c3 5r")),
        (b"#eval -12", BotThought("-12.00")),
        (b"#say The middle is mine. #eval 1e-05", BotThought("+0.00", words="The middle is mine.")),
        (b"#say #1 is what I play", BotThought(words="#1 is what I play")),
        (b"#eval 1 #eval 2", BotThought("+2.00")),
        ("#say Schön, \N{GRINNING FACE}".encode(), BotThought(words="Schön, \N{GRINNING FACE}")),
        (b"#say <script>alert(1)</script>", BotThought(words="<script>alert(1)</script>")),
        ("#say a\N{RIGHT-TO-LEFT OVERRIDE}b\0\x1b[31mc".encode(), BotThought(words="ab[31mc")),
        (b"#say caf\xe9 au lait", BotThought(words="caf au lait")),
        (b"#eval NaN #pv 4", BotThought(moves="4")),
        (b"#eval 0.3 #pv <b>4</b>", BotThought("+0.30")),
        (b"#eval " + b"9" * 10_000 + b" #pv 4", None),
        (b"#eval inf", None),
        (b"#eval 0x10", None),
        (b"#eval", None),
        (b"#say \xff\x00", None),
        (b"#evaluated 0.3", None),
        (b" #eval 0.3", None),
        (b"eval 0.3", None),
    ],
)
def test_a_line_is_a_thought_or_stays_what_it_is(line: bytes, thought: BotThought | None) -> None:
    assert thought_of(line) == thought


def test_a_thought_is_short() -> None:
    shown = thought_of(b"#say " + b"x" * MOST_BYTES)
    assert shown is not None and shown.words == "x" * MOST_LETTERS
    shown = thought_of(b"#pv " + b"4 " * MOST_BYTES)
    assert shown is not None and shown.moves.split() == ["4"] * MOST_MOVES


def test_the_last_thought_of_each_turn_is_shown() -> None:
    wire = said(
        (2, b"#eval 1\n#eval 2\nTraceback\n"), (4, b"#eval NaN\n"), (4, b"#eval 4\n#eval NaN\n"), (6, b"#pv ?\n")
    )
    assert by_turn(wire) == {2: BotThought("+2.00"), 4: BotThought("+4.00")}
    assert by_turn(said((2, b"#eval 1\n"), way="in")) == {}


def test_a_line_that_comes_in_pieces_belongs_to_the_turn_in_which_it_begins() -> None:
    wire = said((2, b"#eval 0"), (2, b".2"), (4, b"5 #p"), (4, b"v 4\n#eval 4\n#eval"))
    assert by_turn(wire) == {2: BotThought("+0.25", "4"), 4: BotThought("+4.00")}, (
        "a line that has not ended is not shown"
    )
    assert by_turn([*wire, *said((6, b" 5\n#eval 6\n"))])[4] == BotThought("+5.00")


def test_what_the_arena_writes_there_is_no_part_of_a_line() -> None:
    wire = said((2, b"#eval"), (2, CAME_BACK), (2, b"#eval 2\n#pv 4"), (2, FULL))
    assert by_turn(wire) == {2: BotThought("+2.00")}


def test_a_line_without_end_is_read_no_further_than_it_is_shown() -> None:
    wire = said((2, b"#say "), *[(2, b"x" * 64)] * 4000, (2, b"\n"))
    assert by_turn(wire) == {2: BotThought(words="x" * MOST_LETTERS)}


def test_of_many_lines_of_a_turn_the_newest_are_read() -> None:
    many = b"#say \n" * MOST_LINES
    assert by_turn(said((2, b"#eval 1\n#eval 2\n" + many[:-6]), (4, b"#eval 4\n" + many))) == {2: BotThought("+2.00")}
