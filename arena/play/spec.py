"""What is to be played, as values that travel as JSON: `play(spec)` needs nothing else."""

from __future__ import annotations

import os

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arena.match.state import SeatSetup

# What makes the next word of an interpreter the program itself.
CODE = frozenset({"-c", "-e", "--eval"})
# Words in front of a program's name that are not its name.
INTERPRETERS = ("python", "node", "ruby", "perl", "guile", "java", "bash", "sh", "env", "lua", "deno", "php")

_NOTHING: Mapping[str, Any] = {}


class BuiltinSeat(NamedTuple):
    """A built-in player of a level, `called` so where its level does not say it. `dice` repeat its choices."""

    level: str
    called: str = ""
    dice: int | None = None


class CommandSeat(NamedTuple):
    """A child process; `argv` as a shell would split it, though no shell runs it.

    It is `called` so, or else as its program; it runs in `cwd`, or else where all of its spec run. A registered bot is
    this `player` of this `owner`, and runs in the folder with its files, whose SHA-256 is its `program`.
    """

    protocol: str
    argv: tuple[str, ...]
    called: str = ""
    cwd: str = ""
    player: int | None = None
    owner: int | None = None
    program: str = ""

    def known(self, setup: SeatSetup) -> SeatSetup:
        """This seat of a registered bot: it was started for it, and need prove nothing."""
        if self.player is None:
            return setup
        return setup._replace(player=self.player, owner=self.owner, verified=True)

    @property
    def name(self) -> str:
        """What it is called, else the program's name: `gravity` of `python3 bots/gravity.py -v`, `python3` of
        `python3 -c CODE`.
        """
        if self.called:
            return self.called
        name = self.argv[0]
        for word in self.argv:
            if word in CODE:
                break
            if not word.startswith("-"):
                name = word
                if not _file(word).lower().startswith(INTERPRETERS):
                    break
        return os.path.splitext(_file(name))[0][:32]


def _file(word: str) -> str:
    return os.path.basename(word.rstrip("/"))


class SocketSeat(NamedTuple):
    """A bot that connects to 127.0.0.1:`port`: one that is started for it with `argv`, or any that comes."""

    protocol: str
    port: int
    argv: tuple[str, ...] = ()


SeatSpec = BuiltinSeat | CommandSeat | SocketSeat


class Spec(NamedTuple):
    """`rounds` matches on the same two sides, seats swapped every round, `concurrency` of them at a time; where `only`
    names rounds, those.

    `keep`: a process plays match after match. Its output is a terminal, or without `pty` a pipe: a move costs less, and
    a bot that does not flush is silent. With a `seed` the built-in players play the same again. Commands run in `cwd`.
    Where no clock runs, somebody is told after `silence_s` of waiting for an answer. A socket seat may stay empty for
    `connect_s`. With `wires` the logs bring all that went over the connections of bots. `further` are fields of the
    `Setup` of its matches that nothing here says: an opening, the pairing of a tournament.

    `freeze`: a program stands still while it is not its turn. With a `stall_ms` a match is void in which this process
    itself stood still for so long while a program was to move.
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
    freeze: bool = False
    stall_ms: int = 0

    def dice(self, side: int, round: int) -> int | None:
        """The seed of this side's dice in this round, in any process and order. None without one."""
        seat = self.seats[side]
        if isinstance(seat, BuiltinSeat) and seat.dice is not None:
            return seat.dice
        if self.seed is None:
            return None
        from random import Random

        return Random(f"{self.seed} {side} {round}").getrandbits(32)

    def name(self, side: int) -> str:
        """What the program of this side is called; two of one name are told apart."""
        mine, other = self.seats[side], self.seats[1 - side]
        assert isinstance(mine, CommandSeat), "built-in players have names of their own"
        same = not mine.called and isinstance(other, CommandSeat) and other.name == mine.name
        return f"{mine.name}-{side + 1}" if same else mine.name

    def to_data(self) -> dict[str, Any]:
        """Values as JSON has them."""
        seats = [seat._asdict() for seat in self.seats]
        return {**self._asdict(), "settings": dict(self.settings), "further": dict(self.further), "seats": seats}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Spec:
        """What `to_data` gave. Raises KeyError or TypeError where something is missing or unknown."""
        first, second = (_seat(seat) for seat in data["seats"])
        return cls(**{**data, "seats": (first, second), "only": tuple(data["only"])})


def _seat(data: Mapping[str, Any]) -> SeatSpec:
    if "level" in data:
        return BuiltinSeat(**data)
    kind = SocketSeat if "port" in data else CommandSeat
    return kind(**{**data, "argv": tuple(data["argv"])})
