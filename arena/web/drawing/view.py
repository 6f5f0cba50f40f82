"""What an artist is asked to draw, and what one is: the contract of the modules beside this one."""

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
    """Made once a position, not once an audience: 49 µs for a 7 x 6 board."""
    return position.board()


class View(NamedTuple):
    """One position, the same for everyone who looks. `last` is the text of the move that led to it.

    `names` are those of the two seats, for sentences about them. `chosen` is what stands in `Choice` on the page of one
    who chooses without a script: their picture shows it.
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
    """The name of the picture: what is played, and how far."""
    return escape(gettext("{title}, after move {number}").format(title=view.title, number=view.ply))


def board_after(view: View) -> str:
    """The name of the table."""
    return escape(gettext("Board after move {number}").format(number=view.ply))


class Choice(NamedTuple):
    """Who chooses: `seat` None (a watcher) gets no controls, without `enabled` they are there but say no.

    `chosen` are the targets picked so far of a move that takes several, `hint` is the move that was asked for as one.
    """

    seat: int | None = None
    enabled: bool = False
    chosen: tuple[str, ...] = ()
    hint: str = ""


class Artist(Protocol):
    """A module that draws the boards of one game. It escapes every text; what it returns goes on a page."""

    GAME: str
    MOVES_ABREAST: int  # how many moves stand in one row of the move list
    KEYS: SafeString  # how the board is played from the keyboard
    SCRIPT: str  # what the names of script and style sheet end with that help to choose here, "" if none does
    VIEWS: tuple[tuple[str, str], ...]  # values of `data-view` with their words; the second drawing has its value as id

    def frame(self, position: Position) -> str:
        """The classes of the stage."""

    def defs(self, position: Position) -> SafeString:
        """Drawings that `pieces` refers to by id: needed once a page for each shape of board."""

    def pieces(self, view: View, oob: str = "") -> SafeString:
        """The whole `<svg id="pieces">`; `oob` is the htmx attribute of an update."""

    def controls(self, view: View, choice: Choice) -> SafeString:
        """What lies in `#controls`: buttons named `move` whose value is the text of a move."""

    def reader(self, view: View) -> SafeString:
        """The position as a table, for those who listen."""

    def mini(self, position: Position) -> SafeString:
        """A small picture for a list, without words."""

    def notes(self, position: Position, moves: Sequence[str]) -> list[str]:
        """What the move list adds to each of `moves`, the last ones before `position`: "row 3"; "" for nothing."""

    def listed(self, move: str, note: str) -> SafeString:
        """The move in the move list, with its note."""

    def named(self, move: str) -> str:
        """The move inside a sentence: "column 6"."""

    def subject(self, move: str) -> str:
        """The move as what wins or loses: "column 6", "taking 3 stones"."""

    def spoken(self, move: str, note: str, name: str = "") -> str:
        """What a player did, read aloud, "" for the listener: "gravity-9 dropped in column 6, row 3."."""

    def asked(self, position: Position) -> str:
        """What the one to move has to know before a choice, as a sentence: "You may take 1 to 3."; "" for nothing."""

    def finish(self, position: Position, reason: str) -> str:
        """How it ended, as a sentence; "" if the reason says it all."""
