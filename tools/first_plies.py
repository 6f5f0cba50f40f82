"""Make `arena/analysis/first_plies.bin`: the score of every position of Connect Four 7x6 in the first plies.

Usage: python -m tools.first_plies [--check]
The positions of the last of these plies are scored by a search to the book, the earlier ones from their children.
With --check nothing is written: exit 1 if the file differs. Takes a minute or two.
"""

from __future__ import annotations

import sys

import games
from arena.analysis.book import FIRST, FIRST_PLIES, Book, codes, first_plies
from games.connect_four import ConnectFourPosition
from games.players.connect_four_exact import HIGHEST, LOWEST, Reference

Layer = dict[int, ConnectFourPosition]  # by the smaller code of a mirror pair


def scores(book: Book) -> dict[int, int]:
    """The score of one of each mirror pair. Nobody can have four stones in a row before ply 7."""
    layers = _layers()
    solver = Reference(book.score)
    found = {}
    for code, position in layers[-1].items():
        found[code], high = solver.narrow(*_words(position), LOWEST, HIGHEST, 1 << 40)
        assert found[code] == high
    for layer in reversed(layers[:-1]):
        for code, position in layer.items():
            found[code] = max(-found[_code(position.play(move))] for move in position.legal_moves())
    return found


def main(arguments: list[str]) -> int:
    """Make and write, or compare. The exit status."""
    made = first_plies(scores(Book()))
    if "--check" in arguments:
        same = FIRST.exists() and FIRST.read_bytes() == made
        print(f"{FIRST.name}: {'the same bytes' if same else 'other bytes'}")
        return 0 if same else 1
    FIRST.write_bytes(made)
    print(f"{FIRST.name}: {len(made)} bytes")
    return 0


def _layers() -> list[Layer]:
    start = games.variant("connect-four-7x6").start()
    assert isinstance(start, ConnectFourPosition)
    layers: list[Layer] = [{_code(start): start}]
    for _ in range(FIRST_PLIES):
        children = [position.play(move) for position in layers[-1].values() for move in position.legal_moves()]
        layers.append({_code(child): child for child in children})
    return layers


def _code(position: ConnectFourPosition) -> int:
    return min(codes(*_words(position)))


def _words(position: ConnectFourPosition) -> tuple[int, int]:
    return position.stones[position.ply % 2], position.stones[0] | position.stones[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
