"""Matches for the tests of pages: a log and its state, made by the functional core."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from arena.match.commands import Command, Play, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import evolve
from arena.match.state import Kind, LogEvent, MatchState, SeatSetup, Setup, first_state
from arena.web.match.scene import Scene, make_scene

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
PEOPLE = (SeatSetup("Mira", player=1), SeatSetup("gravity-9", "bot", 2, "droidcon"))


class Played:
    """A match whose log grows: `play` moves, `do` anything else, `scene` what an audience sees of it."""

    def __init__(self, variant: str = "connect-four-7x6", moves: Iterable[str] = "", **setup: Any) -> None:
        self.setup = Setup(variant, **({"seats": PEOPLE, "clock": "2m"} | setup))
        self.state: MatchState = first_state(self.setup)
        self.events: list[LogEvent] = list(open_match(self.setup, AT))
        self.do(Start())
        self.play(moves)

    def do(self, *commands: Command) -> Played:
        for command in commands:
            for event in decide(self.state, command, AT, 1200 if isinstance(command, Play) else 0):
                self.state = evolve(self.state, event)
                self.events.append(event)
        return self

    def play(self, moves: Iterable[str]) -> Played:
        for move in moves:
            seat = self.state.to_move
            assert seat is not None, f"{move}: the match is over"
            self.do(Play(seat, self.state.position.ply + 1, move))
        return self

    def write(self, kind: Kind, **fields: Any) -> Played:
        """A line of the log that no command of these tests makes."""
        event = LogEvent(self.state.seq + 1, AT, kind, **fields)
        self.state = evolve(self.state, event)
        self.events.append(event)
        return self

    def scene(self, audience: str = "", **more: Any) -> Scene:
        return make_scene("abc", self.state, self.events, audience, **more)
