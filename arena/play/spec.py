"""What is to be played, as values that can be sent as JSON: all that `play(spec)` needs."""

from __future__ import annotations

import os

from arena.transports.programs import that_run
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arena.match.state import SeatSetup

# After these words, the next word of an interpreter is the program itself.
CODE = frozenset({"-c", "-e", "--eval"})
# After these words, the next word of Java is no program but the folder with its classes.
CLASSES = frozenset({"-cp", "-classpath", "--class-path"})
# Words before a program's name that are not its name.
INTERPRETERS = ("python", "node", "ruby", "perl", "guile", "java", "bash", "sh", "env", "lua", "deno", "php")

_NOTHING: Mapping[str, Any] = {}


class BuiltinSeat(NamedTuple):
    """A built-in player of a level; `called` overrides its name. `dice` seeds its random choices."""

    level: str
    called: str = ""
    dice: int | None = None


class CommandSeat(NamedTuple):
    """A child process; `argv` is split as by a shell, though no shell runs it.

    It is named `called`, or else by its program; it runs in `cwd`, or else in the folder of its spec. A registered bot
    is this `player` of this `owner` and runs in the folder with its files, whose SHA-256 is `program`.
    """

    protocol: str
    argv: tuple[str, ...]
    called: str = ""
    cwd: str = ""
    player: int | None = None
    owner: int | None = None
    program: str = ""

    def known(self, setup: SeatSetup) -> SeatSetup:
        """The seat's setup for a registered bot: it was started by us, so it needs no proof."""
        if self.player is None:
            return setup
        return setup._replace(player=self.player, owner=self.owner, verified=True)

    @property
    def name(self) -> str:
        """Its given name, or else the program's name: `gravity` for `python3 bots/gravity.py -v`, `python3` for
        `python3 -c CODE`. Bytes of it that are not UTF-8 become U+FFFD: no database stores them.
        """
        if self.called:
            return self.called
        name = self.argv[0]
        words = that_run(self.argv)
        for before, word in zip(("", *words), words, strict=False):
            if word in CODE:
                break
            if not word.startswith("-") and before not in CLASSES:
                name = word
                if not _file(word).lower().startswith(INTERPRETERS):
                    break
        return os.fsencode(os.path.splitext(_file(name))[0]).decode(errors="replace")[:32]


def _file(word: str) -> str:
    return os.path.basename(word.rstrip("/"))


class SocketSeat(NamedTuple):
    """A bot that connects to 127.0.0.1:`port`: one started for it with `argv`, or any other."""

    protocol: str
    port: int
    argv: tuple[str, ...] = ()


SeatSpec = BuiltinSeat | CommandSeat | SocketSeat


class Spec(NamedTuple):
    """`rounds` matches between the same two sides, which swap seats every round, `concurrency` at a time; `only` limits
    them to these rounds.

    `keep`: a process plays several matches. Its output is a terminal, or without `pty` a pipe: that is faster, but a
    bot that does not flush appears silent. `seed` makes built-in players repeatable. Commands run in `cwd`. Without a
    clock, the watcher is told after `silence_s` of waiting for an answer. A socket seat may stay empty for `connect_s`.
    With `wires`, the logs include all messages of bots' connections. `further` are other fields of the matches'
    `Setup`, such as the tournament's pairing. Each pair of rounds begins with the next of the `openings`.

    `patient`: a program that has exited loses when it is to move, as with the original runners; else it loses at once.
    `freeze`: a program is suspended outside its turns. `stall_ms`: a match is void if this process itself was suspended
    for that long while a program was to move; without that, such time is given back.
    """

    variant: str
    seats: tuple[SeatSpec, SeatSpec]
    rounds: int = 1
    clock: str = "none"
    settings: Mapping[str, Any] = _NOTHING
    seed: int | None = None
    concurrency: int = 1
    keep: bool = False
    pty: bool = True
    cwd: str = "."
    silence_s: float = 60.0
    connect_s: float = 60.0
    wires: bool = False
    only: tuple[int, ...] = ()
    further: Mapping[str, Any] = _NOTHING
    patient: bool = False
    freeze: bool = False
    stall_ms: int = 0
    openings: tuple[str, ...] = ()

    def further_in(self, round: int) -> Mapping[str, Any]:
        """The other fields of this round's `Setup`."""
        if not self.openings:
            return self.further
        return {**self.further, "opening": self.openings[(round - 1) // 2 % len(self.openings)]}

    def alone(self, round: int) -> Spec:
        """This round, without what only other rounds need."""
        return self._replace(only=(round,), openings=(), further=self.further_in(round))

    def dice(self, side: int, round: int) -> int | None:
        """The seed for this side in this round, the same in any process and order. None without one."""
        seat = self.seats[side]
        if isinstance(seat, BuiltinSeat) and seat.dice is not None:
            return seat.dice
        if self.seed is None:
            return None
        from random import Random

        return Random(f"{self.seed} {side} {round}").getrandbits(32)

    def name(self, side: int) -> str:
        """The name of this side's program; equal names are told apart."""
        mine, other = self.seats[side], self.seats[1 - side]
        assert isinstance(mine, CommandSeat), "built-in players have names of their own"
        same = not mine.called and isinstance(other, CommandSeat) and other.name == mine.name
        return f"{mine.name}-{side + 1}" if same else mine.name

    def to_data(self) -> dict[str, Any]:
        """The spec as JSON values."""
        seats = [seat._asdict() for seat in self.seats]
        return {**self._asdict(), "settings": dict(self.settings), "further": dict(self.further), "seats": seats}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Spec:
        """The inverse of `to_data`. Raises KeyError or TypeError if a field is missing or unknown."""
        first, second = (_seat(seat) for seat in data["seats"])
        rounds, openings = tuple(data["only"]), tuple(data["openings"])
        return cls(**{**data, "seats": (first, second), "only": rounds, "openings": openings})


def _seat(data: Mapping[str, Any]) -> SeatSpec:
    if "level" in data:
        return BuiltinSeat(**data)
    kind = SocketSeat if "port" in data else CommandSeat
    return kind(**{**data, "argv": tuple(data["argv"])})
