"""Matches on several processes: the same ones as in one, and none left however it ends."""

from __future__ import annotations

import fcntl
import gc
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from arena.play.driver import Log, Watcher, play
from arena.play.pool import MOST_DEATHS, PoolBroke, PoolWorker, Teller, parts_of, play_on
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat, Spec
from arena.play.start import keeper
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S

pytestmark = pytest.mark.long

RANDOM = BuiltinSeat("random")
ANSWERS = "for n, line in enumerate(open(0)): print(1 + n % 3)"
SLEEPS = "import time; time.sleep(3600)"


def fiar(code: str) -> CommandSeat:
    return CommandSeat("fiar", (sys.executable, "-c", code))


class Logs(Watcher):
    def __init__(self) -> None:
        self.begun: list[int] = []
        self.over: dict[int, Log] = {}

    def started(self, log: Log) -> None:
        self.begun.append(log.state.setup.round)

    def ended(self, log: Log) -> None:
        self.over[log.state.setup.round] = log


def moves(log: Log) -> list[str]:
    return [event.move for event in log.events]


def test_every_process_has_its_rounds_and_its_share() -> None:
    spec = Spec("connect-four-7x6", (RANDOM, RANDOM), rounds=7, concurrency=5)
    parts = list(parts_of(spec, 2))
    assert [(part.only, part.concurrency) for part in parts] == [((1, 2, 5, 6), 3), ((3, 4, 7), 2)]
    assert list(parts_of(spec._replace(rounds=1), 1))[0].only == (1,)


@pytest.mark.parametrize("processes", range(1, 6))
@pytest.mark.parametrize("rounds", range(1, 24))
def test_every_round_is_in_one_process_of_equally_many_and_pairs_are_split_at_the_end_only(
    rounds: int, processes: int
) -> None:
    spec = Spec("connect-four-7x6", (RANDOM, RANDOM), rounds=rounds, concurrency=processes)
    parts = [part.only for part in parts_of(spec, processes)]
    assert sorted(sum(parts, ())) == list(range(1, rounds + 1)) and all(part == tuple(sorted(part)) for part in parts)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1 and len(parts) == min(rounds, processes)
    split = [each for part in parts for each in part if each % 2 and each < rounds and each + 1 not in part]
    assert all(each > rounds - processes for each in split), "else one would have no work while others play two"


def all_of(worker: PoolWorker) -> tuple[str, list[dict[str, Any]]]:
    """How it ended, and what it has said: to its end, for one that is slow to say it would be stopped."""
    said = [line for lines in iter(worker.read, None) for line in lines]
    return worker.reap(), said


class InACircle:
    """Is forgotten, and its file closed, when the garbage collector comes."""

    def __init__(self) -> None:
        self.me = self
        self.file = select.epoll()


def test_what_the_fork_forgets_closes_no_file_of_its_own() -> None:
    def work(teller: Teller) -> None:
        ours = [number for _ in range(100) for number in os.pipe()]  # they have the numbers that are free
        gc.collect()
        for number in ours:
            os.fstat(number)
        teller.tell(whole=True)

    keeper.begin()
    gc.disable()
    try:
        InACircle()
        worker = PoolWorker(work)
        assert all_of(worker) == ("exit code 0", [{"whole": True}, {"done": True}])
    finally:
        gc.enable()
        keeper.close()


def test_a_file_beyond_a_limit_that_was_lowered_is_given_up_too() -> None:
    """As by a shell with files of its own: every process of the pool died at its start, without a word."""
    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    far = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, min(limit, 4096) - 1)
    keeper.begin()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (far, most))
        worker = PoolWorker(lambda teller: teller.tell(kept=os.path.exists(f"/proc/self/fd/{far}")))
        assert all_of(worker) == ("exit code 0", [{"kept": False}, {"done": True}])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
        os.close(far)
        keeper.close()


def test_a_pool_plays_the_matches_of_one_process(tmp_path: Path) -> None:
    seats = (fiar(ANSWERS), RANDOM)
    spec = Spec("connect-four-7x6", seats, rounds=4, seed=3, concurrency=2, cwd=str(tmp_path), wires=True)
    told = Logs()
    play_on(2, spec, told)
    assert sorted(told.begun) == sorted(told.over) == [1, 2, 3, 4]
    alone = play(spec)
    assert [moves(told.over[log.state.setup.round]) for log in alone] == [moves(log) for log in alone]
    lanes = [told.over[round].match[-1] for round in (1, 2, 3, 4)]
    assert lanes[0] == lanes[1] != lanes[2] == lanes[3], "no two processes give the same name"
    log = told.over[1]
    assert log.wires is not None and log.wires[0].messages[0][1] == "out" and not log.wires[1].number
    assert Log.from_data(log.to_data()) == log
    assert processes_of(tmp_path) == []


def test_the_times_of_wires_count_from_the_opening_because_others_have_another_clock(tmp_path: Path) -> None:
    began = time.monotonic()
    (log,) = play(Spec("connect-four-7x6", (fiar(ANSWERS), RANDOM), cwd=str(tmp_path), wires=True))
    took = time.monotonic() - began
    assert log.wires is not None and log.wires[0].number
    assert all(-took <= stamp <= took for stamp, *_ in log.wires[0].messages)


class Kills(Logs):
    """Kills the process of the pool that was started last, as soon as a match is being played, so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def started(self, log: Log) -> None:
        super().started(log)
        if self.times:
            self.times -= 1
            children = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text().split()
            os.kill(int(children[-1]), signal.SIGKILL)


def test_a_process_of_the_pool_that_is_killed_costs_the_match_that_it_was_playing(tmp_path: Path) -> None:
    spec = Spec("connect-four-7x6", (fiar(ANSWERS), RANDOM), rounds=6, seed=3, concurrency=2, cwd=str(tmp_path))
    told = Kills(2)
    play_on(2, spec, told)
    assert sorted(told.over) == [1, 2, 3, 4, 5, 6] and 6 <= len(told.begun) <= 8
    assert [moves(told.over[log.state.setup.round]) for log in play(spec)] == [moves(told.over[n]) for n in range(1, 7)]
    wait_until_nobody_plays(tmp_path)


def test_processes_that_die_again_and_again_are_said_and_take_their_bots_along(tmp_path: Path) -> None:
    spec = Spec("connect-four-7x6", (fiar(SLEEPS), RANDOM), cwd=str(tmp_path))
    with pytest.raises(PoolBroke, match="has ended .killed by SIGKILL."):
        play_on(1, spec, Kills(MOST_DEATHS))
    wait_until_nobody_plays(tmp_path)


def wait_until_nobody_plays(folder: Path) -> None:
    """Who is killed leaves its bots to its keeper."""
    end = time.monotonic() + DEADLINE_S
    while processes_of(folder):
        assert time.monotonic() < end, processes_of(folder)
        time.sleep(0.01)


class Interrupts(Watcher):
    def started(self, log: Log) -> None:
        raise KeyboardInterrupt


def test_who_interrupts_a_pool_leaves_no_process(tmp_path: Path) -> None:
    spec = Spec("connect-four-7x6", (fiar(SLEEPS), fiar(SLEEPS)), rounds=2, concurrency=2, cwd=str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        play_on(2, spec, Interrupts())
    assert processes_of(tmp_path) == []


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        seat = SocketSeat("droidcon", taken.getsockname()[1])
        with pytest.raises(OSError, match="Address already in use"):
            play_on(1, Spec("connect-four-7x6", (seat, RANDOM)), Watcher())
