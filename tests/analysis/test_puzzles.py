"""What is a puzzle and what is not, and which positions look the same."""

from __future__ import annotations

from random import Random

import pytest

import games
from arena.analysis import puzzles
from arena.analysis.marks import Judged, Worth
from arena.analysis.matches import analyse, judged, played
from games import Position

WIN, LOSS, SOON = Worth(1, 5), Worth(-1, 8), Worth(-1, 2)


def choice(*values: Worth, legal: int | None = None) -> Judged:
    known = {str(n): value for n, value in enumerate(values, 1)}
    return Judged(0, "", len(values) if legal is None else legal, known)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (choice(LOSS, WIN, LOSS), "2"),
        (choice(Worth(0), WIN, LOSS), "2"),
        (choice(WIN._replace(plies=3), SOON, LOSS), "1"),
        (choice(WIN._replace(plies=9), SOON, LOSS), "1"),
        (choice(WIN, Worth(1, 7), LOSS), ""),  # two moves win
        (choice(WIN._replace(plies=1), LOSS, LOSS), ""),  # the win is at hand
        (choice(WIN._replace(plies=11), LOSS, LOSS), ""),
        (choice(WIN._replace(plies=None), LOSS, LOSS), ""),
        (choice(WIN, SOON, SOON), ""),  # it is a block
        (choice(WIN, LOSS), ""),
        (choice(WIN, LOSS, LOSS, legal=4), ""),  # not all is proved
        (choice(Worth(0), LOSS, LOSS), ""),
    ],
)
def test_exactly_one_move_wins_soon_but_not_at_once(asked: Judged, answer: str) -> None:
    assert puzzles.answer(asked) == answer


def test_the_puzzle_of_a_match_is_found_with_its_analysis() -> None:
    spec = {"variant": "connect-four-7x6", "settings": {}, "moves": list("7371153442")}
    found = analyse(spec)
    [[ply, key]] = found["puzzles"]
    position = played(spec)[ply]
    assert (ply, puzzles.answer(judged(position, found["values"][ply]))) == (7, "4")
    assert key == puzzles.key("connect-four-7x6", position) != puzzles.key("connect-four-8x8", position)
    mirrored = {**spec, "moves": [str(8 - int(move)) for move in "7371153442"]}
    assert analyse(mirrored)["puzzles"] == [[7, key]]


def test_nim_counts_from_whoever_is_to_move() -> None:
    start = games.variant("expanding-nim").start(stones=20)
    one, other = (line(start, moves) for moves in (["1", "2"], ["2", "1"]))
    assert puzzles.key("nim", one) == puzzles.key("nim", other)
    assert puzzles.key("nim", one) != puzzles.key("nim", line(start, ["1", "2r"]))


@pytest.mark.parametrize("slug", ["santorini-5x5", "santorini-6x6"])
def test_turned_and_mirrored_boards_of_santorini_are_one(slug: str) -> None:
    kind, dice = games.variant(slug), Random(13)
    size, position, moves = int(slug[-1]), kind.start(), []
    for _ in range(12):
        moves.append(dice.choice(position.legal_moves()))
        position = position.play(moves[-1])
    keys = {puzzles.key(slug, line(kind.start(), [turned(move, size) for move in moves])), puzzles.key(slug, position)}
    assert len(keys) == 1
    assert puzzles.key(slug, line(kind.start(), moves[:-1])) not in keys


def turned(move: str, size: int) -> str:
    """The move on a board that was given a quarter turn and a mirror: files become ranks."""
    square = "".join
    found, n = [], 0
    while n < len(move):
        if move[n].isalpha():
            file, rank = "abcdef".index(move[n]), int(move[n + 1]) - 1
            found.append(square(("abcdef"[rank], str(file + 1))))
            n += 2
        else:
            found.append(move[n])
            n += 1
    return "".join(found)


def line(position: Position, moves: list[str]) -> Position:
    for move in moves:
        position = position.play(move)
    return position
