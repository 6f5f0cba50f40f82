"""`santorini-json` (004): Santorini 6×6 in JSON values over a socket.

To the bot: `["new_game", opponent]`, acknowledged with `"OK"`; `["place", [InitWorker, …]]` and `["turn", Board]`,
answered with its move; `["over", GameResult]` and, after the last match, `["tournament_finished", [GameResult, …]]`,
both acknowledged. Its own name as an answer resigns. A bot that broke a rule is closed without an `over`.

The text assumes an open socket. A related text registers with `["join", name]`, answered with `"OK"` or with
`["name", other]`, which the bot acknowledges; a bare `"name"` is also accepted, and not answered. A bot has no name if
its program waits for input instead, or when the time for the handshake is over.
"""

from __future__ import annotations

import re

from arena.protocols.adapter import Deadline
from arena.protocols.machine import Transition
from arena.protocols.santorini_actions import ACK_S, SantoriniActions, SantoriniEvent, SantoriniState
from arena.protocols.santorini_json.values import VALUES, places
from arena.protocols.santorini_player import ACKNOWLEDGES, KEEPS, WON, JsonSantorini, Row, machine
from arena.protocols.santorini_words import board
from games.santorini import SantoriniPosition

_READY = Transition(SantoriniState.READY, SantoriniActions.be_ready)
_REGISTRATION: dict[SantoriniState, Row] = {
    SantoriniState.NAMELESS: {
        SantoriniEvent.JOIN: Transition(SantoriniState.CONFIRMED, SantoriniActions.confirm),
        SantoriniEvent.NAME: Transition(SantoriniState.READY, SantoriniActions.take_name),
        SantoriniEvent.OTHER_NAME: Transition(SantoriniState.RENAMED, SantoriniActions.rename),
        SantoriniEvent.IS_READY: _READY,
    },
    SantoriniState.CONFIRMED: {**KEEPS, SantoriniEvent.IS_READY: _READY},
}


class SantoriniJson(JsonSantorini):
    """One player. It is ready when it has registered, or evidently will not."""

    slug = "santorini-json"
    title = "Santorini (JSON)"
    port = 4204
    ack_s = ACK_S
    expects = 'one JSON value: ["place", x, y] or [["move", …], ["build", …]]'
    asks = re.compile(rb'\["(?:place|turn|new_game)"')
    values = VALUES
    machine = machine(_REGISTRATION, ACKNOWLEDGES)

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.deadline = Deadline("ready", self.ready_s)

    def tick(self, name: str) -> None:
        """After the deadline a bot is ready, unless it has only sent part of its name."""
        if name == "ready" and (self._state is not SantoriniState.NAMELESS or self.listens):
            self._step(SantoriniEvent.IS_READY)
        JsonSantorini.tick(self, name)

    @property
    def listens(self) -> bool:
        return self._state is SantoriniState.NAMELESS and self._buffer.is_empty

    def _register(self, value: object, data: bytes) -> None:
        match value:
            case ["join", str() as name]:
                self._name_or_other(name, SantoriniEvent.JOIN)
            case str() as name if name != "OK":
                self._name_or_other(name, SantoriniEvent.NAME)
            case _:
                self._wrong("bad_output", data, '["join", name], or nothing before ["new_game", opponent]')

    # -- its words -----------------------------------------------------------------------------------------------------

    def _new_name(self) -> object:
        return ["name", self._name]

    def _new_game(self, opponent: str) -> object:
        return ["new_game", opponent]

    def _place(self, position: SantoriniPosition) -> object:
        return ["place", places(position, self._names)]

    def _turn(self, position: SantoriniPosition) -> object:
        return ["turn", board(position, self._names)]

    def _note(self, winner: int, termination: str) -> None:
        result = {
            "winner": self._names[winner],
            "loser": self._names[1 - winner],
            "reason": "WON" if termination in WON else "BROKEN_RULE",
        }
        self._results.append(result)
        self._next.append((SantoriniEvent.RESULT, ["over", result]))

    def _all_results(self) -> object:
        return ["tournament_finished", self._results]
