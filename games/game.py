"""The contract of a game: rules as pure functions of immutable values.

A game is one module of this package. It defines one ``Game``, whose variants start positions; a position is immutable,
knows its legal moves, and its `play` returns a new one. Nothing here reads a clock, rolls a die or uses a network.

Words: *ply* n is the position after n moves. Seats are 0 (moves first) and 1. A move is a string (`"4"`, `"3r"`,
`"b2-c1+d2"`), the same in logs, URLs and pages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from reprlib import repr as shortened

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class RefusedMove(ValueError):
    """A refused move. `template` and `values` make the message, which pages translate; alone, `template` is it."""

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template = template
        self.values = values


class InvalidMove(RefusedMove):
    """The text cannot be read as a move of this game. The message says what was expected."""


class IllegalMove(RefusedMove):
    """The text is a move, but the rules do not allow it here. The message says why."""


class Outcome(NamedTuple):
    """The winner (0 or 1, None for a draw) and the rule that ended the match (`"four in a row"`)."""

    winner: int | None
    reason: str


class Cell(NamedTuple):
    """One place on a board: `seat` owns the piece on it, `level` is its height, `label` its description in words."""

    id: str
    seat: int | None = None
    text: str = ""
    level: int = 0
    label: str = ""


class Board(NamedTuple):
    """All that a page needs to draw any game and to make it clickable.

    `rows` begin with the top row. `choices` maps each legal move to its path of targets, which are cell ids or words:
    `{"4": ("4",), "3r": ("3", "reset"), "b2-c1+d2": ("b2", "c1", "d2")}`. `marks` are all cells of a finished line.
    """

    rows: tuple[tuple[Cell, ...], ...]
    choices: Mapping[str, tuple[str, ...]]
    marks: tuple[str, ...] = ()


class Setting(NamedTuple):
    """One parameter of a variant: `low` and `high` are inclusive; with `unlimited`, None is also allowed."""

    name: str
    type: type
    default: Any
    low: int | None = None
    high: int | None = None
    label: str = ""
    unlimited: bool = False

    def check(self, value: Any) -> Any:
        """Return `value`, or raise ValueError naming what was received and what is allowed."""
        if value is None and self.unlimited:
            return value
        in_type = isinstance(value, self.type) and not (self.type is int and isinstance(value, bool))
        low_enough = self.high is None or (in_type and value <= self.high)
        high_enough = self.low is None or (in_type and value >= self.low)
        if in_type and low_enough and high_enough:
            return value
        bounds = f" from {self.low} to {self.high}" if self.low is not None or self.high is not None else ""
        also = " or unlimited" if self.unlimited else ""
        raise ValueError(f"{self.name}={shortened(value)}: expected {self.type.__name__}{bounds}{also}")

    def read(self, text: str) -> Any:
        """The checked value written as `text` (`"100"`, `"unlimited"`). `"+3"`, `" 3"` and `"1_0"` are not numbers."""
        if self.unlimited and text == "unlimited":
            return None
        try:
            value = self.type(text)
        except ValueError:
            value = text
        return self.check(value if str(value) == text else text)


class Position(ABC):
    """One immutable state of a match. Positions compare by value; `str` gives one complete line."""

    __slots__ = ("_followed_by",)

    _followed_by: tuple[str, Position] | None

    @property
    @abstractmethod
    def to_move(self) -> int | None:
        """The seat to move, or None when the match is over."""

    @property
    @abstractmethod
    def ply(self) -> int:
        """The number of moves played."""

    @abstractmethod
    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves in a fixed order; empty when the match is over."""

    @abstractmethod
    def play(self, move: str) -> Position:
        """The position after `move`. Raises InvalidMove (unreadable) or IllegalMove (not allowed), both saying why."""

    def after(self, move: str) -> Position:
        """The result of `play`, remembered: a move is played once to judge it and again once it is in the log."""
        known: tuple[str, Position] | None = getattr(self, "_followed_by", None)
        if known is not None and known[0] == move:
            return known[1]
        after = self.play(move)
        object.__setattr__(self, "_followed_by", (move, after))  # a position may be a frozen dataclass
        return after

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome, or None while the match goes on."""

    @abstractmethod
    def board(self) -> Board:
        """The board that a page draws and makes clickable."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class Variant(NamedTuple):
    """A game with its parameters, e.g. `connect-four-7x6`.

    `begin` makes the first position from the checked settings; `read` is the inverse of `str(position)`.
    """

    slug: str
    title: str
    game: str
    begin: Callable[..., Position]
    read: Callable[[str], Position]
    settings: tuple[Setting, ...] = ()

    @property
    def printed(self) -> str:
        """The title with its size as people write it: `Connect Four 7 × 6`."""
        name, _, size = self.title.rpartition(" ")
        width, _, height = size.partition("x")
        return f"{name} {width}\u00a0×\u00a0{height}" if width.isdigit() and height.isdigit() else self.title

    def start(self, **settings: Any) -> Position:
        """The first position. Raises ValueError for an unknown setting or a value outside its bounds."""
        return self.begin(**self.complete(settings))

    def complete(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """All settings with their values, checked, with defaults filled in. Raises ValueError as `start` does."""
        known = {setting.name: setting for setting in self.settings}
        for name in settings:
            if name not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise ValueError(f"{self.slug} has no setting {name!r}; {has}")
        return {name: setting.check(settings.get(name, setting.default)) for name, setting in known.items()}

    def parse(self, text: str) -> Position:
        """The position written as `text`: `parse(str(p)) == p`. Raises ValueError for bad or unreachable ones."""
        return self.read(text)


class Game(NamedTuple):
    """A set of rules: one per module of this package, found by discovery."""

    slug: str
    title: str
    variants: tuple[Variant, ...]
