"""The book of Connect Four 7x6 and the table of its first plies, against scores that others computed and each other."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import games
from arena.analysis.book import FIRST, FIRST_PLIES, PLIES, Book, FirstPlies, NoBook, book_file, codes, first_plies
from games.connect_four import ConnectFourPosition
from games.players.connect_four_exact import HIGHEST, LOWEST, Reference
from tests.kit.exact import scored, words
from tests.kit.positions import wins_in_one

START = games.variant("connect-four-7x6").start()


@pytest.fixture(scope="module")
def book() -> Book:
    return Book()


def of(position: games.Position) -> tuple[int, int]:
    assert isinstance(position, ConnectFourPosition)
    return position.stones[position.ply % 2], position.stones[0] | position.stones[1]


def after_random_moves(plies: int, count: int, seed: int) -> Iterator[games.Position]:
    rng = Random(seed)
    while count:
        position = START
        while position.ply < plies and position.to_move is not None:
            position = position.play(rng.choice(position.legal_moves()))
        if position.to_move is not None:
            yield position
            count -= 1


def test_its_scores_are_those_of_another_solver(book: Book) -> None:
    rows = scored(PLIES, PLIES)
    found = {row.moves: book.score(*words(row.moves)) for row in rows}
    assert len([score for score in found.values() if score is not None]) > 5
    assert [row.moves for row in rows if found[row.moves] not in (row.score, None)] == []


def test_it_holds_what_has_no_win_in_one_in_either_mirror_image(book: Book) -> None:
    for position in after_random_moves(PLIES, count=300, seed=1):
        score = book.score(*of(position))
        assert (score is None) == bool(wins_in_one(position)), str(position)
        mirrored = START
        assert isinstance(position, ConnectFourPosition) and isinstance(mirrored, ConnectFourPosition)
        assert score == book.score(*map(mirror, of(position)))


def mirror(stones: int) -> int:
    return sum((stones >> 7 * column & 127) << 7 * (6 - column) for column in range(7))


def test_other_plies_are_not_in_it(book: Book) -> None:
    assert book.score(0, 0) is None
    assert FirstPlies().score(*words("1234567")) is None


def test_the_first_plies_are_those_of_another_solver() -> None:
    table, rows = FirstPlies(), scored(0, FIRST_PLIES)
    wrong = [row.moves for row in rows if table.score(*words(row.moves)) != row.score]
    assert len(rows) > 20 and wrong == []
    assert [table.score(*words(move)) for move in "1234567"] == [2, 1, 0, -1, 0, 1, 2]


@pytest.mark.long
def test_every_score_of_the_first_plies_follows_from_the_next_ply() -> None:
    table, positions = FirstPlies(), 1
    layer = {min(codes(*of(START))): START}
    for _ in range(FIRST_PLIES):
        following: dict[int, games.Position] = {}
        for position in layer.values():
            children = [position.play(move) for move in position.legal_moves()]
            scores = [table.score(*of(child)) for child in children]
            assert table.score(*of(position)) == max(-score for score in scores if score is not None)
            following |= {min(codes(*of(child))): child for child in children}
        layer = following
        positions += len(layer)
    assert len(layer) == 8231  # one of each mirror pair of the 16 422 positions at ply 6 (OEIS A212693)
    assert len(FIRST.read_bytes()) == 4 * positions


def test_the_last_of_the_first_plies_follow_from_the_book(book: Book) -> None:
    table, solver = FirstPlies(), Reference(book.score)
    for position in after_random_moves(FIRST_PLIES, count=15, seed=2):
        score = table.score(*of(position))
        assert score is not None
        assert solver.narrow(*of(position), LOWEST, HIGHEST, 10**6) == (score, score), str(position)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "first_plies.bin"
    file.write_bytes(first_plies({min(codes(*words("4"))): -1, min(codes(*words("44"))): 7}))
    table = FirstPlies(file)
    assert [table.score(*words(moves)) for moves in ("4", "44", "5")] == [-1, 7, None]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bitbully_databases", None)
    with pytest.raises(NoBook, match="bitbully-databases cannot be imported"):
        Book()


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "missing"])
def test_a_broken_file_is_refused(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "book.dat"
    if damage != "missing":
        shutil.copy(book_file(), file)
        with file.open("r+b") as opened:
            if damage == "changed":
                opened.seek(1000)
                opened.write(b"\x07\x07")
            else:
                opened.truncate(1001 if damage == "cut" else 0)
    with pytest.raises(NoBook, match=r"book\.dat has the SHA-256|cannot be read"):
        Book(file)


def test_missing_first_plies_are_named(tmp_path: Path) -> None:
    with pytest.raises(NoBook, match="the first plies cannot be read"):
        FirstPlies(tmp_path / "none.bin")
