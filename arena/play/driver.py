"""`play(spec) -> logs`: whole matches in one blocking process, without a server.

The seats of a round are programs and built-in players; each match is refereed by a `Bout`. `Watcher` is told of each
match while it is played.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from arena.match.commands import Fault, Start
from arena.match.ids import Ids
from arena.match.series import side_of
from arena.match.state import LogEvent, MatchState, Setup
from arena.play.bout import Bout, BoutTurn
from arena.play.loop import Loop
from arena.play.program import Program
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.play.start import keeper
from arena.protocols import protocol
from games import variant

if TYPE_CHECKING:
    from random import Random

    from arena.play.start import Child
    from arena.play.thinker import Thinker


class Log(NamedTuple):
    """One match that was played: its name, its log, and what that adds up to.

    `passed` is what went last over the connections of both seats (`in`, `out`, `err`), `reads_input` whether their
    processes waited for input when somebody was late; both for whoever asks why a bot failed.
    """

    match: str
    events: tuple[LogEvent, ...]
    state: MatchState
    passed: tuple[tuple[tuple[str, bytes], ...], tuple[tuple[str, bytes], ...]] = ((), ())
    reads_input: tuple[bool | None, bool | None] = (None, None)


class Watcher:
    """Is told of matches while they are played; nobody by itself. What it raises ends everything, and is raised."""

    def started(self, log: Log) -> None:
        """A match has been opened, and both seats are taken."""

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """These events are in the log of this match, and this turn begins."""

    def sent(self, bout: Bout, seat: int, data: bytes) -> None:
        """This was written to the program on that seat."""

    def silent(self, bout: Bout, seat: int, waits: bool | None, seconds: float) -> None:
        """That long nothing has come from the program whose turn it is, without a clock.

        `waits`: whether it waits for input itself, None where that cannot be seen.
        """

    def ended(self, log: Log) -> None:
        """A match is over."""


def play(spec: Spec, watcher: Watcher | None = None, begun: Sequence[Child] = ()) -> list[Log]:
    """Play everything, and return the logs in the order of the rounds.

    `begun` are the processes of the first round where they have been started already. Raises KeyError or ValueError for
    a spec that cannot be played, and what the watcher raises. However it ends, no process of a bot is left.
    """
    return _Driver(spec, watcher or Watcher(), begun).play()


class _Driver:
    """Plays one spec: at each table one match after the other, until there is none left."""

    def __init__(self, spec: Spec, watcher: Watcher, begun: Sequence[Child]) -> None:
        self.spec = spec
        self.watcher = watcher
        self.loop = Loop()
        self.ids = Ids()
        self.rounds = iter(range(1, spec.rounds + 1))
        self.programs: set[Program] = set()
        self.begun: Iterator[Child] = iter(begun)
        self.logs: dict[int, Log] = {}
        self.failed: Exception | None = None
        self._dice: Random | None = None

    def play(self) -> list[Log]:
        tables = [_Table(self).play() for _ in range(min(self.spec.concurrency, self.spec.rounds))]
        try:
            self.loop.run(lambda: self._go_on(tables))
        finally:
            self._leave_nobody()
        if self.failed is not None:
            raise self.failed
        return [self.logs[round] for round in sorted(self.logs)]

    def _go_on(self, tables: list[Iterator[None]]) -> bool:
        """Let every table do what it can. Whether there is nothing left to do."""
        for table in tuple(tables):
            if next(table, self) is self:
                tables.remove(table)
        return not tables or self.failed is not None

    def watch(self, tell: Callable[..., None], *news: object) -> None:
        """Tell the watcher. What it raises is not taken for a fault of a bot that has just said something."""
        try:
            tell(*news)
        except Exception as why:
            self.failed = self.failed or why

    def dice(self) -> Random:
        """Those that give each built-in player its own."""
        if self._dice is None:
            from random import Random

            self._dice = Random(self.spec.seed)
        return self._dice

    def _leave_nobody(self) -> None:
        """After an interruption processes may still run: all of them are ended, and their matches with them. Nobody is
        told of that: whoever has interrupted may do so again at each word, and processes would be left."""
        self.watcher = Watcher()
        left = [program.child for program in self.programs if program.child is not None and not program.over]
        if left:
            for child in left:
                child.abort()
            self.loop.run(lambda: all(program.over for program in self.programs))
        keeper.close()


class _Table:
    """Where one match after the other is played by two sides."""

    def __init__(self, driver: _Driver) -> None:
        self._driver = driver
        self._round = 0
        self._sides: list[Program | Thinker] = []
        self._bout: Bout | None = None

    def play(self) -> Iterator[None]:
        """Play rounds until there is none. Whenever it yields, something has to happen first."""
        for round in self._driver.rounds:
            self._round = round
            self._sides = [self._player(side) for side in (0, 1)]
            while not all(player.settled for player in self._sides):
                yield
            bout = self._begin()
            while not bout.over:
                yield
            self._ended(bout)
            leaving = [player for player in self._sides if not self._is_kept(player)]
            for player in leaving:
                player.end()
            while not all(player.over for player in leaving):
                yield
        for player in self._sides:
            player.end()
        while not all(player.over for player in self._sides):
            yield

    def _player(self, side: int) -> Program | Thinker:
        driver, seat = self._driver, self._driver.spec.seats[side]
        if isinstance(seat, BuiltinSeat):
            from arena.play.thinker import Thinker

            seed = None if driver.spec.seed is None else driver.dice().getrandbits(32)
            return Thinker(driver.loop, seat.level, seed)
        if self._sides and self._is_kept(self._sides[side]):
            kept = self._sides[side]
            kept.go_on()
            return kept
        return self._program(side, seat)

    def _program(self, side: int, seat: CommandSeat) -> Program:
        driver, spec = self._driver, self._driver.spec
        program = Program(driver.loop, protocol(seat.protocol), spec.name(side))
        program.sent = self._sent
        driver.programs = {other for other in driver.programs if not other.over} | {program}
        program.begin(seat.argv, spec.cwd, spec.pty, next(driver.begun, None))
        return program

    def _is_kept(self, player: Program | Thinker) -> bool:
        return self._driver.spec.keep and player.may_go_on()

    def _begin(self) -> Bout:
        """Open the match, seat both sides and start it."""
        driver, spec = self._driver, self._driver.spec
        seats = [self._sides[side_of(seat, self._round)] for seat in (0, 1)]
        settings = variant(spec.variant).complete(spec.settings)
        both = (seats[0].setup, seats[1].setup)
        setup = Setup(spec.variant, both, settings, spec.clock, round=self._round, rounds=spec.rounds)
        bout = self._bout = Bout(driver.loop, driver.ids.new(time.time()), setup, spec.silence_s, self._silent)
        driver.watch(driver.watcher.started, self._log(bout))
        for seat, player in enumerate(seats):
            player.take_seat(bout, seat, self._is_last)
        bout.followers.append(self)
        for player in self._sides:
            if player.failed and not bout.over:
                bout.post(Fault(seats.index(player), "crash", player.failed))
        if not bout.over:  # over before it began: a seat that was not ready has lost already
            bout.post(Start())
        return bout

    def _is_last(self, termination: str) -> bool:
        """Whether a process plays no other match after one that ended so."""
        spec = self._driver.spec
        return not spec.keep or (termination != "server_abort" and self._round >= spec.rounds)

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """As a follower of the match, behind both players: tell the watcher."""
        self._driver.watch(self._driver.watcher.follow, bout, events, turn)

    def _sent(self, program: Program, data: bytes) -> None:
        bout = self._bout
        if bout is not None and program.bout is bout and not bout.over:
            self._driver.watch(self._driver.watcher.sent, bout, program.seat, data)

    def _silent(self, bout: Bout, seat: int) -> None:
        player, spec = self._sides[side_of(seat, self._round)], self._driver.spec
        waits = player.waits_for_input()
        self._driver.watch(self._driver.watcher.silent, bout, seat, waits, spec.silence_s)

    def _ended(self, bout: Bout) -> None:
        log = self._driver.logs[self._round] = self._log(bout)
        self._driver.watch(self._driver.watcher.ended, log)

    def _log(self, bout: Bout) -> Log:
        first, second = (self._sides[side_of(seat, self._round)] for seat in (0, 1))
        passed = (tuple(first.passed), tuple(second.passed))
        return Log(bout.id, tuple(bout.events), bout.state, passed, (first.reads_input, second.reads_input))
