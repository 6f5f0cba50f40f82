"""`santorini-course`: Santorini 6×6 in JSON values, as agreed by the teams of the course behind `santorini-json`.

The bot says its name, a JSON string of small letters; `["playing-as", name]` tells it another one. To the bot: the name
of its opponent before each match; the workers placed so far, `[worker, x, y]` each, answered with `[x, y]`; the board,
answered with `[worker, EastWest, NorthSouth, EastWest, NorthSouth]`, for a winning move without the last two, or with
its own name, which is a resignation; behind the last match the list of outcomes, `[winner, loser]` or
`[winner, loser, "irregular"]` where the loser broke a rule. Who broke one hears nothing more: it is closed.

Nothing is acknowledged, so time must keep two values out of one read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from arena.protocols.adapter import Hello
from arena.protocols.santorini_course.values import places, read_place, read_turn
from arena.protocols.santorini_player import WON, JsonSantorini, Sent
from arena.protocols.santorini_words import NAME, board, name_of
from games.santorini import SantoriniPosition


@dataclass(slots=True)
class SantoriniCourse(JsonSantorini):
    """One player. It is ready when it has said its name."""

    slug = "santorini-course"
    title = "Santorini (course)"
    port = 4206
    expects = "one JSON value: [x, y] or [worker, EastWest, NorthSouth, EastWest, NorthSouth]"
    asks = re.compile(rb"\[(?:\]|\[)")
    pause_s = 0.15
    greeting = (b'"you"\n',)

    def _register(self, value: object, data: bytes) -> None:
        if not isinstance(value, str):
            self._blame("bad_output", data, "your name, a JSON string of small letters")
            return
        self._name = value if NAME.fullmatch(value) else name_of(value)
        self._events.append(Hello(self._name))
        self._be_ready()
        if self._name != value:
            self._say(Sent.NAME, ["playing-as", self._name])

    # -- its words -----------------------------------------------------------------------------------------------------

    def _new_game(self, opponent: str) -> object:
        return opponent

    def _place(self, position: SantoriniPosition) -> object:
        return places(position, self._names)

    def _turn(self, position: SantoriniPosition) -> object:
        return board(position, self._names)

    def _read_place(self, value: object) -> str:
        return read_place(value)

    def _read_turn(self, value: object, position: SantoriniPosition) -> str:
        return read_turn(value, position, self._names[self._seat])

    def _over(self, winner: int, termination: str) -> None:
        outcome = [self._names[winner], self._names[1 - winner]]
        self._results.append(outcome if termination in WON else [*outcome, "irregular"])

    def _finished(self) -> object:
        return self._results

    def _finish(self) -> None:
        """No outcomes are not said: an empty list is the request for the first worker."""
        if self._results:
            JsonSantorini._finish(self)
        else:
            self._bye()
