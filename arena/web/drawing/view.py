"""What an artist is asked to draw, and what one is: the contract of the modules beside this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from django.utils.safestring import SafeString

from games import Board

OOB_MORPH = ' hx-swap-oob="morph"'


class View(NamedTuple):
    """One position, the same for everyone who looks. `last` is the text of the move that led to it."""

    board: Board
    ply: int = 0
    last: str | None = None
    title: str = ""


class Choice(NamedTuple):
    """Who chooses: `seat` None (a watcher) gets no controls, without `enabled` they are there but say no.

    `chosen` are the targets picked so far of a move that takes several.
    """

    seat: int | None = None
    enabled: bool = False
    chosen: tuple[str, ...] = ()


class Artist(Protocol):
    """A module that draws the boards of one game. It escapes every text; what it returns goes on a page."""

    GAME: str
    MOVES_ABREAST: int  # how many moves stand in one row of the move list
    KEYS: SafeString  # how the board is played from the keyboard

    def frame(self, board: Board) -> str:
        """The classes of the stage."""

    def defs(self, board: Board) -> SafeString:
        """Drawings that `pieces` refers to by id: needed once a page for each shape of board."""

    def pieces(self, view: View, oob: str = "") -> SafeString:
        """The whole `<svg id="pieces">`; `oob` is the htmx attribute of an update."""

    def controls(self, view: View, choice: Choice) -> SafeString:
        """What lies in `#controls`: buttons named `move` whose value is the text of a move."""

    def reader(self, view: View) -> SafeString:
        """The position as a table, for those who listen."""

    def mini(self, board: Board) -> SafeString:
        """A small picture for a list, without words."""

    def notes(self, board: Board, moves: Sequence[str]) -> list[str]:
        """What the move list adds to each of `moves`, the last ones before `board`: "row 3"; "" for nothing."""

    def named(self, move: str) -> str:
        """The move inside a sentence: "column 6"."""

    def spoken(self, move: str, note: str) -> str:
        """What a player did, read aloud after the name: "dropped in column 6, row 3"."""

    def finish(self, board: Board, reason: str) -> str:
        """How it ended, as a sentence; "" where the reason says it all."""
