"""Expanding Nim with resets: take stones in turn; the player who takes the last one wins.

Source: the NYU protocol text and Dennis Shasha's course page (CSCI-GA.2965). A player may take 1 to b + 1 stones, where
b is the largest take so far and at least 2; after the opponent's reset 1 to 3, in that turn only. A reset changes
neither b nor anything later. The course allows four resets a player, but the protocol names no limit, so `resets` is a
setting. Taking more stones than remain is illegal, as in the protocol's own judge.

Moves are `"3"`, or `"3r"` to take three and reset.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from reprlib import repr as shortened

from games.game import Board, Cell, Game, IllegalMove, InvalidMove, Outcome, Position, Setting, Variant

_MOVE = re.compile(r"(-?(?:0|[1-9][0-9]{0,9}))(r?)")
_MOST_STONES = 1000
_SMALLEST_LARGEST = 2
_RESET_TAKE = 3
_ROW = 10
_LAST = "last stone"
# Legal moves are a slice of this, so that the cost of a move does not grow with the stones.
_TEXTS = tuple(text for take in range(1, _MOST_STONES + 1) for text in (f"{take}", f"{take}r"))


@dataclass(frozen=True, slots=True, repr=False)
class NimPosition(Position):
    """One state. `largest` is b; `reset_bound` is true when the other seat has just reset.

    `start` and `resets_each` are the settings; `stones` and `resets` (by seat) are what is left, None for unlimited.
    """

    start: int
    resets_each: int | None
    stones: int
    largest: int
    reset_bound: bool
    resets: tuple[int | None, int | None]
    ply: int = field()  # without `field()`, the contract's property would be taken for a default

    @property
    def to_move(self) -> int | None:
        return self.ply & 1 if self.stones else None

    @property
    def most(self) -> int:
        """The most stones that may be taken in this turn."""
        return min(self.stones, _RESET_TAKE if self.reset_bound else self.largest + 1)

    def legal_moves(self) -> tuple[str, ...]:
        return _TEXTS[: 2 * self.most] if self.resets[self.ply & 1] != 0 else _TEXTS[: 2 * self.most : 2]

    def play(self, move: str) -> NimPosition:
        read = _MOVE.fullmatch(move)
        if read is None:
            raise InvalidMove(
                "received {what}: expected a number of stones, or with a reset '3r'", what=shortened(move)
            )
        take, reset = int(read[1]), bool(read[2])
        self._check(take, reset)
        return NimPosition(
            start=self.start,
            resets_each=self.resets_each,
            stones=self.stones - take,
            largest=max(self.largest, take),
            reset_bound=reset,
            resets=self._spend() if reset else self.resets,
            ply=self.ply + 1,
        )

    def outcome(self) -> Outcome | None:
        return None if self.stones else Outcome(1 - (self.ply & 1), _LAST)

    def board(self) -> Board:
        """Rows of ten stones. Each is named by the number of stones from it to the end; choosing it takes those."""
        stones = [Cell(str(n), text="●", label=f"stone {n} from the end") for n in range(self.stones, 0, -1)]
        rows = tuple(tuple(stones[i : i + _ROW]) for i in range(0, len(stones), _ROW))
        return Board(rows=rows, choices={move: _path(move) for move in self.legal_moves()})

    def __str__(self) -> str:
        """For example `100 4/4 31 b7 c0 s1 2/4 p12`; the ply is included because nothing else tells it."""
        each, (first, second) = _count(self.resets_each), map(_count, self.resets)
        settings = f"{self.start} {each}/{each}"
        wire = f"{self.stones} b{self.largest} c{self.reset_bound:d}"
        return f"{settings} {wire} s{self.ply & 1} {first}/{second} p{self.ply}"

    def _check(self, take: int, reset: bool) -> None:
        if not self.stones:
            raise IllegalMove("taking {take} was not played: the match is over ({reason})", take=take, reason=_LAST)
        if not 1 <= take <= self.most:
            raise self._too_many(take)
        if reset and self.resets[self.ply & 1] == 0:
            raise IllegalMove(
                "no reset is left: each seat has {each}; take {take} without a reset", each=self.resets_each, take=take
            )

    def _too_many(self, take: int) -> IllegalMove:
        values = {"take": take, "most": self.most}
        if self.most == self.stones:
            return IllegalMove("{take} stones may not be taken: from 1 to {most} may, no more are left", **values)
        if self.reset_bound:
            return IllegalMove("{take} stones may not be taken: from 1 to {most} may, as the other has reset", **values)
        return IllegalMove(
            "{take} stones may not be taken: from 1 to {most} may, one more than the largest so far ({largest})",
            **values,
            largest=self.largest,
        )

    def _spend(self) -> tuple[int | None, int | None]:
        first, second = self.resets
        return (first, _one_less(second)) if self.ply & 1 else (_one_less(first), second)


def _one_less(resets: int | None) -> int | None:
    return None if resets is None else resets - 1


def _path(move: str) -> tuple[str, ...]:
    return (move.removesuffix("r"), "reset") if move.endswith("r") else (move,)


def _count(resets: int | None) -> str:
    return "-" if resets is None else str(resets)


def _limit(text: str) -> int | None:
    return None if text == "-" else int(text)


def _begin(stones: int, resets: int | None) -> NimPosition:
    return NimPosition(stones, resets, stones, _SMALLEST_LARGEST, False, (resets, resets), 0)


_TEXT = re.compile(r"(\d{1,4}) (\d|-)/(?:\d|-) (\d{1,4}) b(\d{1,4}) c([01]) s[01] (\d|-)/(\d|-) p(\d{1,4})", re.ASCII)


def _read(text: str) -> NimPosition:
    """The position written as `text`. Raises ValueError for text that is malformed or unreachable in play."""
    read = _TEXT.fullmatch(text)
    if read is None:
        raise ValueError(f"received {shortened(text)}: expected a text like '100 4/4 31 b7 c0 s1 2/4 p12'")
    start, each, stones, largest, bound, first, second, ply = read.groups()
    position = NimPosition(
        start=int(start),
        resets_each=_limit(each),
        stones=int(stones),
        largest=int(largest),
        reset_bound=bound == "1",
        resets=(_limit(first), _limit(second)),
        ply=int(ply),
    )
    if str(position) != text or not _is_reachable(position):
        raise ValueError(f"received {shortened(text)}: no match gets there")
    return position


def _is_reachable(position: NimPosition) -> bool:
    """Whether the counts are consistent: at least one stone a ply, and resets only where there are some."""
    taken = position.start - position.stones
    if not 1 <= position.start <= _MOST_STONES or position.largest < _SMALLEST_LARGEST:
        return False
    if position.ply == 0:
        return position == _begin(position.start, position.resets_each)
    if taken < position.ply or position.largest > max(taken, _SMALLEST_LARGEST):
        return False
    each = position.resets_each
    if each is None:
        return position.resets == (None, None)
    return all(left is not None and left <= each for left in position.resets)


EXPANDING_NIM = Game(
    "expanding-nim",
    "Expanding Nim",
    (
        Variant(
            slug="expanding-nim",
            title="Expanding Nim",
            game="expanding-nim",
            begin=_begin,
            read=_read,
            settings=(
                Setting("stones", int, default=100, low=1, high=_MOST_STONES, label="Stones"),
                Setting("resets", int, default=4, low=0, high=9, label="Resets each", unlimited=True),
            ),
        ),
    ),
)
