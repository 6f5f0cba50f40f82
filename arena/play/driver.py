"""`play(spec) -> logs`: whole matches of programs and built-in players in one blocking process, without a server. A
`Bout` referees each match, a `Watcher` is told about them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from arena.match.commands import Abort, Fault, Start
from arena.match.evolve import replay
from arena.match.export import from_rows, to_rows
from arena.match.ids import Ids
from arena.match.series import goes_on, side_of
from arena.match.state import LogEvent, MatchState, Setup
from arena.play.bout import Bout, BoutTurn
from arena.play.loop import Loop
from arena.play.program import Program
from arena.play.slicing import Slicer
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat, Spec
from arena.play.stalls import StallWatch
from arena.play.start import keeper
from arena.protocols import protocol
from games import variant
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from arena.match.wire_pack import BothWires
    from arena.play.port import MatchPort
    from arena.play.program import Launched
    from arena.play.slicing import SendSlice
    from arena.play.start import Child
    from arena.play.thinker import Thinker
    from arena.protocols.adapter import BotMove

    # Starts the program of a seat; its output is a terminal if the second argument is true, else a pipe.
    Launch = Callable[[CommandSeat, bool], Launched]


class Log(NamedTuple):
    """One played match: its name, its log, and the resulting state.

    `passed` holds the last messages on the connections of both seats (`in`, `out`, `err`); `reads_input` tells whether
    their processes waited for input when one was late; both help to explain why a bot failed. `wires` are all messages,
    if the spec asks for them, with times that count from the opening, packed as they are stored; `stalled_ms` is how
    long this process was suspended in a turn.
    """

    match: str
    events: tuple[LogEvent, ...]
    state: MatchState
    passed: tuple[tuple[tuple[str, bytes], ...], tuple[tuple[str, bytes], ...]] = ((), ())
    reads_input: tuple[bool | None, bool | None] = (None, None)
    wires: BothWires | None = None
    stalled_ms: int = 0

    def to_data(self) -> dict[str, Any]:
        """The log as JSON values, without the state, which follows from its events."""
        return {
            "match": self.match,
            "events": to_rows(self.events),
            "passed": [[[way, data.decode("latin-1")] for way, data in seat] for seat in self.passed],
            "reads_input": list(self.reads_input),
            "wires": [wire.to_data() for wire in self.wires or ()],
            "stalled_ms": self.stalled_ms,
        }

    @classmethod
    def from_data(
        cls, data: Mapping[str, Any], known: tuple[LogEvent, ...] = (), state: MatchState | None = None
    ) -> Log:
        """The inverse of `to_data`; the events may already be `known`, and so may the `state` after them."""
        events = known or from_rows(data["events"])
        first, second = (tuple((way, said.encode("latin-1")) for way, said in seat) for seat in data["passed"])
        waited = data["reads_input"]
        log = cls(data["match"], events, state or replay(events), (first, second), (waited[0], waited[1]))
        if data["wires"]:
            from arena.match.wire_pack import both_from

            log = log._replace(wires=both_from(data["wires"]))
        return log._replace(stalled_ms=data.get("stalled_ms", 0))


class Watcher:
    """Is told about matches while they are played; does nothing by itself. An exception ends all play and is raised."""

    def listening(self, seat: SocketSeat) -> None:
        """The seat's port is open."""

    def started(self, log: Log) -> None:
        """A match has been opened, and both seats are taken."""

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """These events of a match were logged, and this turn begins."""

    def sent(self, bout: Bout, seat: int, data: bytes) -> None:
        """This was written to the program on that seat."""

    def answered(self, bout: Bout, seat: int, move: BotMove) -> None:
        """The program on that seat makes this move, which has yet to be judged."""

    def complained(self, data: bytes) -> None:
        """A program has written this to its standard error."""

    def silent(self, bout: Bout, seat: int, waits: bool | None, seconds: float) -> None:
        """The program to move was silent for `seconds` without a clock. `waits` for input itself, None if unknown."""

    def ended(self, log: Log) -> None:
        """A match is over."""


def play(
    spec: Spec,
    watcher: Watcher | None = None,
    begun: Sequence[Child] = (),
    launch: Launch | None = None,
    send_slice: SendSlice | None = None,
    ids: Ids | None = None,
) -> list[Log]:
    """Play everything, and return the logs in the order of the rounds.

    `begun` are the processes of the first round that have already been started; `launch` starts those of registered
    bots; `send_slice` is given slices of the logs of running matches; `ids` name them. Raises KeyError or ValueError
    for a spec that cannot be played, OSError if a port is taken, and exceptions of the watcher. In any case, no process
    of a bot is left.
    """
    return _Driver(spec, watcher or Watcher(), begun, launch, send_slice, ids or Ids()).play()


# A match makes little that has to be swept, and sweeping as often as usual takes a tenth of a play.
_SWEEP_AFTER = 20_000
# Frequent events.
_NEWS = ("started", "follow", "sent", "answered", "complained")


class _Driver:
    """Plays one spec: each table plays one match after another until none is left."""

    def __init__(
        self,
        spec: Spec,
        watcher: Watcher,
        begun: Sequence[Child],
        launch: Launch | None,
        send_slice: SendSlice | None,
        ids: Ids,
    ) -> None:
        if launch is None and any(isinstance(seat, CommandSeat) and seat.program for seat in spec.seats):
            raise ValueError("the program of a registered bot runs in a sandbox, and nobody here has one")
        self.spec = spec
        self.launch = launch
        self.send_slice = send_slice
        self.watcher = watcher
        self.loop = Loop()
        self.ids = ids
        rounds = spec.only or range(1, spec.rounds + 1)
        self.rounds, self.last_round = iter(rounds), max(rounds)
        self.programs: set[Program] = set()
        self.ports: dict[int, MatchPort] = {}
        self.begun: Iterator[Child] = iter(begun)
        self.logs: dict[int, Log] = {}
        self.failed: Exception | None = None
        # The frequent events that this watcher overrides; others are not created.
        self.told = frozenset(news for news in _NEWS if getattr(type(self.watcher), news) is not getattr(Watcher, news))

    def play(self) -> list[Log]:
        usual = gc.get_threshold()
        gc.set_threshold(_SWEEP_AFTER, *usual[1:])
        try:
            self._listen()
            at_once = 1 if self.ports else min(self.spec.concurrency, self.spec.rounds)
            tables = [_Table(self).play() for _ in range(at_once)]
            self.loop.run(partial(self._go_on, tables))
        finally:
            self._leave_nobody()
            gc.set_threshold(*usual)
        if self.failed is not None:
            raise self.failed
        return [self.logs[round] for round in sorted(self.logs)]

    def _listen(self) -> None:
        """Open the ports. A bot that connects stays for all rounds, which are played one after another."""
        for side, seat in enumerate(self.spec.seats):
            if isinstance(seat, SocketSeat):
                from arena.play.port import MatchPort

                self.ports[side] = MatchPort(self.loop, seat, self.spec.cwd, self.spec.wires, self.ports.get(0))
                self.watch(self.watcher.listening, seat)
        if len(self.ports) == 2:
            for side, port in self.ports.items():
                port.opponent = self.ports[1 - side]
                port.changed = self._tell_who_is_there

    def _tell_who_is_there(self) -> None:
        there = all(port.is_taken for port in self.ports.values())
        for port in self.ports.values():
            port.tell(there)

    def _go_on(self, tables: list[Iterator[None]]) -> bool:
        """Let every table proceed as far as it can. Returns whether nothing is left to do."""
        for table in tuple(tables):
            if next(table, self) is self:
                tables.remove(table)
        return not tables or self.failed is not None

    def watch(self, tell: Callable[..., None], *news: object) -> None:
        """Tell the watcher. Its exceptions are kept apart, so that they are not taken for a fault of a bot."""
        try:
            tell(*news)
        except Exception as why:
            self.failed = self.failed or why

    def _leave_nobody(self) -> None:
        """End all processes that still run after an interruption, and with them their matches. The watcher is not told:
        another interruption at that point would leave processes behind."""
        self.watcher = Watcher()
        everybody: list[Program | MatchPort] = [*self.programs, *self.ports.values()]
        left = [each for each in everybody if not each.over]
        if left:
            for each in left:
                each.abort()
            self.loop.run(lambda: all(each.over for each in left))
        keeper.close()


class _Table:
    """Two sides that play one match after another."""

    def __init__(self, driver: _Driver) -> None:
        self._driver = driver
        self._round = 0
        self._sides: list[Program | Thinker | MatchPort] = []
        self._seats: list[Program | Thinker | MatchPort] = []  # the same in the order of the running match
        self._bout: Bout | None = None
        self._stalls: StallWatch | None = None

    def play(self) -> Iterator[None]:
        """Play all rounds. Each yield means that something must happen before it can proceed."""
        for round in self._driver.rounds:
            self._round = round
            yield from self._until_everybody_is_there()
            if any(port.absent for port in self._driver.ports.values()):
                self._nobody_came()
                break
            self._sides = [self._player(side) for side in (0, 1)]
            self._begin_process(0)
            self._begin_process(1)
            while not all(player.settled for player in self._sides):
                yield
            bout = self._begin()
            while not bout.over:
                yield
            self._ended(bout)
            yield from self._part([player for player in self._sides if not self._is_kept(player)])
            if self._driver.ports and self._ends_series(bout.state):
                break
        yield from self._part([*self._sides, *self._driver.ports.values()])

    def _until_everybody_is_there(self) -> Iterator[None]:
        """Wait for the bots that connect. No other player gets ready before."""
        ports = self._driver.ports.values()
        for port in ports:
            port.expect(self._driver.spec.connect_s)
        while not (all(port.settled for port in ports) or any(port.absent for port in ports)):
            yield

    def _part(self, players: Sequence[Program | Thinker | MatchPort]) -> Iterator[None]:
        """Dismiss these players, and wait until nothing of them is left."""
        for player in dict.fromkeys(players):
            player.end()
        while not all(player.over for player in players):
            yield

    def _player(self, side: int) -> Program | Thinker | MatchPort:
        driver, spec = self._driver, self._driver.spec
        seat = spec.seats[side]
        if isinstance(seat, SocketSeat):
            return driver.ports[side]
        if isinstance(seat, BuiltinSeat):
            from arena.play.thinker import Thinker

            return Thinker(driver.loop, seat.level, spec.dice(side, self._round), seat.called)
        if self._sides and self._is_kept(self._sides[side]):
            kept = self._sides[side]
            kept.go_on()
            return kept
        program = Program(driver.loop, protocol(seat.protocol), spec.name(side), spec.wires, spec.freeze, spec.patient)
        program.sent = partial(driver.watch, driver.watcher.sent) if "sent" in driver.told else None
        program.answered = partial(driver.watch, driver.watcher.answered) if "answered" in driver.told else None
        program.complained = partial(driver.watch, driver.watcher.complained) if "complained" in driver.told else None
        program.setup = seat.known(program.setup)
        return program

    def _begin_process(self, side: int) -> None:
        driver, spec = self._driver, self._driver.spec
        player, seat = self._sides[side], spec.seats[side]
        if isinstance(player, Program) and isinstance(seat, CommandSeat) and player.child is None:
            driver.programs = {other for other in driver.programs if not other.over} | {player}
            launch = partial(driver.launch, seat, spec.pty) if seat.program and driver.launch else None
            player.begin(seat.argv, seat.cwd or spec.cwd, spec.pty, next(driver.begun, None), launch)

    def _is_kept(self, player: Program | Thinker | MatchPort) -> bool:
        return player.stays(self._driver.spec.keep)

    def _nobody_came(self) -> None:
        """Log the round like any other, as a match without a start."""
        from arena.play.port import NOBODY

        driver, missing = self._driver, [port for port in self._driver.ports.values() if port.absent]
        blamed = next((port for port in missing if port.absent != NOBODY), missing[0])
        texts = " and ".join(dict.fromkeys(f"{port.seat.protocol} on port {port.seat.port}" for port in missing))
        self._sides = self._sides or [self._player(side) for side in (0, 1)]
        bout = self._open()
        nobody = f"nobody connected to {texts} within {driver.spec.connect_s:g} s"
        bout.post(Abort("no_start", nobody if blamed.absent == NOBODY else blamed.absent, self._seats.index(blamed)))
        self._ended(bout)

    def _open(self) -> Bout:
        """Create the match of this round, without telling anybody."""
        driver, spec = self._driver, self._driver.spec
        seats = self._seats = [self._sides[side_of(seat, self._round)] for seat in (0, 1)]
        settings = variant(spec.variant).complete(spec.settings)
        both = (seats[0].setup, seats[1].setup)
        round, rounds = self._round, spec.rounds
        setup = Setup(spec.variant, both, settings, spec.clock, round=round, rounds=rounds, **spec.further_in(round))
        match = driver.ids.new(time.time())
        self._bout = Bout(driver.loop, match, setup, spec.silence_s, self._silent, not spec.stall_ms)
        return self._bout

    def _begin(self) -> Bout:
        """Open the match, seat both sides and start it."""
        driver, bout, seats = self._driver, self._open(), self._seats
        if "started" in driver.told:
            driver.watch(driver.watcher.started, self._log(bout))
        if driver.spec.stall_ms:
            programs = frozenset(seat for seat, player in enumerate(seats) if isinstance(player, Program))
            self._stalls = StallWatch(driver.loop, programs)
            bout.followers.append(self._stalls)
        for seat, player in enumerate(seats):
            player.take_seat(bout, seat, partial(self._is_last, player))
        if "follow" in driver.told:
            bout.followers.append(self)
        if driver.send_slice is not None:
            bout.followers.append(Slicer(driver.loop, driver.send_slice))
        for player in self._sides:
            if player.failed and not bout.over:
                bout.post(Fault(seats.index(player), "crash", player.failed))
        if not bout.over:  # a seat that was not ready has already lost
            bout.post(Start())
        return bout

    def _is_last(self, player: Program | Thinker | MatchPort, termination: str) -> bool:
        """Whether this player plays no further match after one with this termination."""
        driver = self._driver
        if isinstance(player, Program) and not driver.spec.keep:
            return True
        if driver.ports:
            assert self._bout is not None, "it has ended"
            return self._ends_series(self._bout.state)
        return termination != "server_abort" and self._round >= driver.last_round

    def _ends_series(self, state: MatchState) -> bool:
        """Whether this match ends a series with a bot on a socket."""
        assert state.termination is not None, "an ended match has a termination"
        loser = None if state.winner is None else self._seats[1 - state.winner].as_loser()
        last = self._driver.last_round
        return self._round >= last or not goes_on(self._round, last, state.winner, state.termination, loser)

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        """Follow the match after both players: tell the watcher."""
        self._driver.watch(self._driver.watcher.follow, bout, events, turn)

    def _silent(self, bout: Bout, seat: int) -> None:
        player, spec = self._seats[seat], self._driver.spec
        waits = player.waits_for_input()
        self._driver.watch(self._driver.watcher.silent, bout, seat, waits, spec.silence_s)

    def _ended(self, bout: Bout) -> None:
        log = self._log(bout)
        if self._driver.spec.wires:
            from arena.match.wire_pack import both_packed

            log = log._replace(wires=both_packed(*[seat.take_wire(bout.opened_at) for seat in self._seats]))
        self._driver.logs[self._round] = log
        self._driver.watch(self._driver.watcher.ended, log)

    def _log(self, bout: Bout) -> Log:
        one, other = self._seats
        stalled_ms = 0 if self._stalls is None else self._stalls.longest_ms
        heard = ((one.passed, other.passed), (one.reads_input, other.reads_input))
        return Log(bout.id, tuple(bout.events), bout.state, *heard, stalled_ms=stalled_ms)
