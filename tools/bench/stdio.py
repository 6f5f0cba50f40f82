"""Matches of two child processes that speak `fiar`, against a bare loop over their pipes with the same bots and rules.

With fresh processes for each match, and with kept ones. Batches of both sides take turns on one core. The ratios are
those of matches per second of processor time, of this process and its children; the median and the worst are shown.

Arena's bots have a terminal for their output, those of the bare loop a pipe, which costs both the bot and its reader
less: so one figure is for pipes on Arena's side too (`--no-pty`). The bare loop would wait forever for a bot that
hangs. The last figure shows the cost of a deadline for each answer: the same loop on asyncio, without referee, log,
clocks and wire. Nothing on asyncio can come closer to the bare loop.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import games
from arena.play.driver import Log, Watcher, play
from arena.play.pool import play_on
from arena.play.spec import CommandSeat, Spec
from tools.bench.figures import Figure, repeated

VARIANT = "connect-four-7x6"
SAMPLE = Path(__file__).parents[2] / "arena" / "protocols" / "fiar" / "bot.py"
BOT = (sys.executable, str(SAMPLE))
GOAL_KEPT, GOAL_FRESH, GOAL_A_SECOND = 0.75, 0.9, 1000.0
DEADLINE_S = 5.0
SIGNS = str.maketrans("xo", "@O")
# How many times as many matches a batch of kept processes has as one of fresh ones, whose matches take far longer, and
# the same for a batch on all cores.
KEPT, ON_ALL = 4, 40

Batch = Callable[[int], None]


def run(batches: int = 5, matches: int = 12) -> Iterator[Figure]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            fresh, kept = (partial(_arena, Path(folder), keep) for keep in (False, True))
            yield _compare("fresh processes, arena", batches, matches, _bare_fresh, fresh, GOAL_FRESH)
            yield _compare("kept processes, arena", batches, KEPT * matches, _bare_kept, kept, GOAL_KEPT)
            on_pipes = partial(kept, pty=False)
            yield _compare("kept, on pipes too, arena", batches, KEPT * matches, _bare_kept, on_pipes, None)
            yield _compare("kept processes, asyncio alone", batches, KEPT * matches, _bare_kept, _patient, None)
    finally:
        os.sched_setaffinity(0, cores)
    for pty, where in ((True, ""), (False, " on pipes")):
        rates = [_games_a_second(len(cores), ON_ALL * matches, pty) for _ in range(batches)]
        name = f"kept{where}, games a second on {len(cores)} cores"
        yield repeated(name, rates, GOAL_A_SECOND, f"load {os.getloadavg()[0]:.1f}")


def _games_a_second(processes: int, matches: int, pty: bool) -> float:
    """Games a second of wall time, without the start of the processes: from the end of each one's first match to that
    of its last.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        seat, clock = CommandSeat("fiar", BOT), _Clock()
        spec = Spec(VARIANT, (seat, seat), matches, "5s", cwd=folder, concurrency=processes, keep=True, pty=pty)
        play_on(processes, spec, clock)
    assert len(clock.ends) == matches, "every match is played to its end"
    return (matches - processes) / (clock.ends[-1] - clock.ends[processes - 1])


class _Clock(Watcher):
    """Notes when each match ended."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def ended(self, log: Log) -> None:
        assert log.state.termination == "normal", log.state.reason
        self.ends.append(time.perf_counter())


def _compare(name: str, batches: int, matches: int, bare: Batch, other: Batch, goal: float | None) -> Figure:
    rates = [(_rate(bare, matches), _rate(other, matches)) for _ in range(batches)]
    loop, found = (median(rate) for rate in zip(*rates, strict=True))
    ratios = [ours / theirs for theirs, ours in rates]
    return repeated(f"{name} / bare pipe loop", ratios, goal, f"{found:.1f} and {loop:.1f} matches/s")


def _rate(batch: Batch, matches: int) -> float:
    begin = _cpu()
    batch(matches)
    return matches / (_cpu() - begin)


def _cpu() -> float:
    """The processor time of this process and of the children that it has reaped, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


# -- the arena ---------------------------------------------------------------------------------------------------------


def _arena(folder: Path, keep: bool, matches: int, pty: bool = True) -> None:
    seat = CommandSeat("fiar", BOT)
    logs = play(Spec(VARIANT, (seat, seat), matches, "5s", cwd=str(folder), keep=keep, pty=pty))
    assert [log.state.termination for log in logs] == ["normal"] * matches, "every match is played to its end"


# -- the bare loop -----------------------------------------------------------------------------------------------------


def _bare_fresh(matches: int) -> None:
    for _ in range(matches):
        _bare_kept(1)


def _bare_kept(matches: int) -> None:
    bots = [_start(), _start()]
    for number in range(matches):
        _play(bots[number % 2], bots[1 - number % 2])
    for bot in bots:
        _end(bot)


def _start() -> subprocess.Popen[bytes]:
    """Start a bot, with unbuffered output, because that goes to a pipe; what it thinks goes nowhere."""
    environment = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(BOT, stdin=pipe, stdout=pipe, stderr=null, bufsize=0, env=environment)


def _end(bot: subprocess.Popen[bytes]) -> None:
    assert bot.stdin is not None and bot.stdout is not None
    bot.kill()
    bot.wait()
    bot.stdin.close()
    bot.stdout.close()


def _play(first: subprocess.Popen[bytes], second: subprocess.Popen[bytes]) -> None:
    position = games.variant(VARIANT).start()
    while position.to_move is not None:
        bot = (first, second)[position.to_move]
        assert bot.stdin is not None and bot.stdout is not None
        bot.stdin.write(_question(position))
        position = position.play(str(int(bot.stdout.readline())))


def _question(position: games.Position) -> bytes:
    places = str(position).split(" ")[1].translate(SIGNS)
    return f"{'@O'[position.to_move or 0]} {places}\n".encode()


# -- the same with a deadline for each answer --------------------------------------------------------------------------


def _patient(matches: int) -> None:
    asyncio.run(_play_patiently(matches))


async def _play_patiently(matches: int) -> None:
    lines = [_Lines(_start()), _Lines(_start())]
    for number in range(matches):
        position = games.variant(VARIANT).start()
        while position.to_move is not None:
            answer = await lines[(position.to_move + number) % 2].ask(_question(position))
            position = position.play(str(int(answer)))
    for line in lines:
        line.close()


class _Lines:
    """The requests to one bot and its answers."""

    def __init__(self, bot: subprocess.Popen[bytes]) -> None:
        assert bot.stdin is not None and bot.stdout is not None
        self._bot, self._stdin, self._stdout = bot, bot.stdin, bot.stdout
        self._loop = asyncio.get_running_loop()
        self._begun = b""
        self._answered: asyncio.Future[bytes]
        self._loop.add_reader(self._stdout, self._read)

    async def ask(self, question: bytes) -> bytes:
        self._answered = self._loop.create_future()
        self._stdin.write(question)
        async with asyncio.timeout(DEADLINE_S):
            return await self._answered

    def _read(self) -> None:
        self._begun += os.read(self._stdout.fileno(), 4096)
        if self._begun.endswith(b"\n"):
            line, self._begun = self._begun, b""
            self._answered.set_result(line)

    def close(self) -> None:
        self._loop.remove_reader(self._stdout)
        _end(self._bot)
