"""`santorini-course`: Santorini 6×6 in JSON values, as agreed by the teams of the course behind `santorini-json`.

The bot says its name, a JSON string of lower-case letters; `["playing-as", name]` tells it another one. To the bot: the
name of its opponent before each match; the workers placed so far, `[worker, x, y]` each, answered with `[x, y]`; the
board, answered with `[worker, EastWest, NorthSouth, EastWest, NorthSouth]`, where the last two, the build, count for
nothing after a winning step and may be left out, or with its own name, which resigns; after the last match the list of
results, `[winner, loser]`, or `[winner, loser, "irregular"]` if the loser broke a rule. A bot that broke one is closed
without another value.

Nothing is acknowledged, so pauses must keep two values out of one read.
"""

from __future__ import annotations

import re

from arena.protocols.machine import Transition
from arena.protocols.santorini_actions import SantoriniActions, SantoriniEvent, SantoriniState
from arena.protocols.santorini_course.values import VALUES, places
from arena.protocols.santorini_player import PAUSES, WON, JsonSantorini, Row, machine
from arena.protocols.santorini_words import board
from games.santorini import SantoriniPosition

_REGISTRATION: dict[SantoriniState, Row] = {
    SantoriniState.NAMELESS: {
        SantoriniEvent.NAME: Transition(SantoriniState.READY, SantoriniActions.take_name),
        SantoriniEvent.OTHER_NAME: Transition(SantoriniState.RENAMED, SantoriniActions.rename_ready),
    }
}


class SantoriniCourse(JsonSantorini):
    """One player. It is ready when it has said its name."""

    slug = "santorini-course"
    title = "Santorini (course)"
    port = 4206
    expects = "one JSON value: [x, y] or [worker, EastWest, NorthSouth, EastWest, NorthSouth]"
    asks = re.compile(rb"\[(?:\]|\[)")
    pause_s = 0.15
    greeting = (b'"you"\n',)
    values = VALUES

    machine = machine(_REGISTRATION, PAUSES)

    __slots__ = ()

    def _register(self, value: object, data: bytes) -> None:
        if isinstance(value, str):
            self._name_or_other(value, SantoriniEvent.NAME)
        else:
            self._wrong("bad_output", data, "your name, a JSON string of small letters")

    # -- its words -----------------------------------------------------------------------------------------------------

    def _new_name(self) -> object:
        return ["playing-as", self._name]

    def _new_game(self, opponent: str) -> object:
        return opponent

    def _place(self, position: SantoriniPosition) -> object:
        return places(position, self._names)

    def _turn(self, position: SantoriniPosition) -> object:
        return board(position, self._names)

    def _note(self, winner: int, termination: str) -> None:
        outcome = [self._names[winner], self._names[1 - winner]]
        self._results.append(outcome if termination in WON else [*outcome, "irregular"])

    def _all_results(self) -> object:
        return self._results

    def _tells_results(self) -> bool:
        """Whether there are results to send: an empty list would be the request for the first worker."""
        return bool(self._results)
