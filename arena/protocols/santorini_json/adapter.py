"""`santorini-json` (004): Santorini 6×6 in JSON values over a socket.

To the bot: `["new_game", opponent]`, acknowledged with `"OK"`; `["place", [InitWorker, …]]` and `["turn", Board]`,
answered with its move; `["over", GameResult]` and, behind the last match, `["tournament_finished", [GameResult, …]]`,
both acknowledged. Its own name as an answer is a resignation. Who broke a rule gets no `over`: it is closed.

The text assumes an open socket. Its sister text registers with `["join", name]`, answered with `"OK"` or with
`["name", other]`, which the bot acknowledges; a bare `"name"` is taken as well and not answered. A bot says no name if
its program waits for its input instead, or when the time for the handshake is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from arena.protocols.adapter import Deadline, Hello
from arena.protocols.json_values import write_value
from arena.protocols.santorini_json.values import places, read_place, read_turn
from arena.protocols.santorini_player import ACK_S, WON, JsonSantorini, Sent
from arena.protocols.santorini_words import NAME, board, name_of
from games.santorini import SantoriniPosition

# The answer to a registration has no answer: this keeps new_game out of the same read.
PAUSE_S = 0.1


@dataclass(slots=True)
class SantoriniJson(JsonSantorini):
    """One player. It is ready when it has registered, or is known not to."""

    slug = "santorini-json"
    title = "Santorini (JSON)"
    port = 4204
    ack_s = ACK_S
    expects = 'one JSON value: ["place", x, y] or [["move", …], ["build", …]]'
    asks = re.compile(rb'\["(?:place|turn|new_game)"')

    _ready: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.deadline = Deadline("ready", self.ready_s)

    def tick(self, name: str) -> None:
        if name == "ready":
            self._may_be_ready()
        else:
            JsonSantorini.tick(self, name)

    @property
    def listens(self) -> bool:
        return not self._registered and self._buffer.is_empty and not self._ready and not self._is_deaf()

    def _register(self, value: object, data: bytes) -> None:
        match value:
            case ["join", str() as name]:
                self._take_name(name, answer=True)
            case str() as name if name != "OK":
                self._take_name(name, answer=False)
            case _:
                self._blame("bad_output", data, '["join", name], or nothing before ["new_game", opponent]')

    def _take_name(self, name: str, answer: bool) -> None:
        self._registered = True
        self._name = name if NAME.fullmatch(name) else name_of(name)
        self._events.append(Hello(self._name))
        if self._name != name:
            self._say(Sent.NAME, ["name", self._name])
        elif answer:
            self._out += write_value("OK")
            self.deadline = Deadline("ready", PAUSE_S)
        else:
            self._be_ready()

    def _may_be_ready(self) -> None:
        """It says no name, or it has had time to read our answer. One that is in the middle of registering is not."""
        begun = not self._registered and not self._buffer.is_empty
        if not self._ready and not begun and self._sent is Sent.NOTHING:
            self._be_ready()

    def _be_ready(self) -> None:
        self._ready = True
        self.deadline = None
        JsonSantorini._be_ready(self)

    def _acknowledged(self) -> None:
        renamed = self._sent is Sent.NAME
        self._answered()
        if renamed:
            self._be_ready()

    def _started(self) -> None:
        self._ready = True
        JsonSantorini._started(self)

    # -- its words -----------------------------------------------------------------------------------------------------

    def _new_game(self, opponent: str) -> object:
        return ["new_game", opponent]

    def _place(self, position: SantoriniPosition) -> object:
        return ["place", places(position, self._names)]

    def _turn(self, position: SantoriniPosition) -> object:
        return ["turn", board(position, self._names)]

    def _read_place(self, value: object) -> str:
        return read_place(value)

    def _read_turn(self, value: object, position: SantoriniPosition) -> str:
        return read_turn(value, position, self._names[self._seat])

    def _over(self, winner: int, termination: str) -> None:
        result = {
            "winner": self._names[winner],
            "loser": self._names[1 - winner],
            "reason": "WON" if termination in WON else "BROKEN_RULE",
        }
        self._results.append(result)
        self._say(Sent.OVER, ["over", result])

    def _finished(self) -> object:
        return ["tournament_finished", self._results]
