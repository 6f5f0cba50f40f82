"""The contract of the modules beside this one: what an artist draws, and what it must provide."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from django.utils.html import escape
from django.utils.safestring import SafeString

from arena.web.tongue import gettext
from games import Board, Position

OOB_MORPH = ' hx-swap-oob="morph"'


@lru_cache(maxsize=256)
def board_of(position: Position) -> Board:
    """Made once per position, not once per audience: 49 µs for a 7 x 6 board."""
    return position.board()


class View(NamedTuple):
    """One position, the same for all readers; `last` is the text of the move that led to it, `names` are those of the
    seats. `chosen` is that of `Choice` on a page without a script.
    """

    position: Position
    last: str | None = None
    title: str = ""
    names: tuple[str, str] = ("Orange", "Blue")
    chosen: tuple[str, ...] = ()

    @property
    def board(self) -> Board:
        return board_of(self.position)

    @property
    def ply(self) -> int:
        return self.position.ply


def after_move(view: View) -> str:
    """The accessible name of the picture: the game and the number of moves."""
    return escape(gettext("{title}, after move {number}").format(title=view.title, number=view.ply))


def board_after(view: View) -> str:
    """The accessible name of the table."""
    return escape(gettext("Board after move {number}").format(number=view.ply))


class Choice(NamedTuple):
    """The reader's choice: `seat` None (a watcher) gets no controls; without `enabled` they are there but disabled.

    `chosen` are the targets picked so far of a move that takes several, `hint` is a requested hint.
    """

    seat: int | None = None
    enabled: bool = False
    chosen: tuple[str, ...] = ()
    hint: str = ""


class Artist(Protocol):
    """A module that draws the boards of one game. It escapes every text, and returns HTML for a page."""

    GAME: str
    MOVES_ABREAST: int  # how many moves stand in one row of the move list
    KEYS: str  # HTML: how the board is played from the keyboard; "" if a panel takes the place of the line that says it
    SCRIPT: str  # what the names of script and style sheet end with that help to choose here, "" if none does
    VIEWS: tuple[tuple[str, str], ...]  # values of `data-view` with their words; the second drawing has its value as id

    def frame(self, position: Position) -> str:
        """The classes of the stage."""

    def defs(self, position: Position) -> SafeString:
        """Drawings that `pieces` refers to by id: needed once a page for each shape of board."""

    def pieces(self, view: View, oob: str = "") -> SafeString:
        """The whole `<svg id="pieces">`; `oob` is the htmx attribute of an update."""

    def controls(self, view: View, choice: Choice) -> SafeString:
        """The contents of `#controls`: buttons named `move` whose value is the text of a move."""

    def ready(self, position: Position, seat: int) -> SafeString:
        """What lies over the picture of an invitation: the first move of whoever takes this seat; "" for nothing."""

    def reader(self, view: View) -> SafeString:
        """The position as a table, for screen readers."""

    def mini(self, position: Position) -> SafeString:
        """A small picture for a list, without words."""

    def notes(self, position: Position, moves: Sequence[str]) -> list[str]:
        """The move list's notes on each of `moves`, the last ones before `position`: "row 3"; "" for none."""

    def listed(self, move: str, note: str) -> SafeString:
        """The move in the move list, with its note."""

    def named(self, move: str) -> str:
        """The move inside a sentence: "column 6"."""

    def subject(self, move: str) -> str:
        """The move as the subject of "wins" or "loses": "column 6", "taking 3 stones"."""

    def spoken(self, move: str, note: str, name: str = "") -> str:
        """A player's move, read aloud, "" for the listener: "gravity-9 dropped in column 6, row 3."."""

    def asked(self, position: Position) -> str:
        """What the player to move must know before choosing, as a sentence: "You may take 1 to 3."; "" for nothing."""

    def finish(self, position: Position, reason: str) -> str:
        """How it ended, as a sentence; "" if the reason says it all."""
