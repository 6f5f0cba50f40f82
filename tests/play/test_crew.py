"""Processes that play one match after the other, whatever they are given."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.play.crew import Crew, Done
from arena.play.driver import play
from arena.play.pool import MOST_DEATHS, PoolBroke
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S

pytestmark = pytest.mark.long

ANSWERS = "for n, line in enumerate(open(0)): print(1 + n % 3)"
SLEEPS = "import time; time.sleep(3600)"


def spec(code: str, cwd: Path) -> Spec:
    bot = CommandSeat("fiar", (sys.executable, "-c", code), "anna", str(cwd))
    further = {"opening": "4 4", "pairing": 7}
    return Spec("connect-four-7x6", (bot, BuiltinSeat("random", "bert", 5)), wires=True, further=further)


@contextmanager
def crew(size: int) -> Iterator[Crew]:
    made = Crew(size)
    try:
        yield made
    finally:
        made.stop()


def children() -> list[str]:
    return Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text().split()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def one_of(crew: Crew) -> Done:
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        for done in crew.wait(DEADLINE_S):
            return done
    raise AssertionError("nothing was over")


def test_it_plays_what_one_process_plays_under_names_and_dice_of_the_seats(tmp_path: Path) -> None:
    (alone,) = play(spec(ANSWERS, tmp_path))
    with crew(2) as both:
        for key in range(4):
            both.give(key, spec(ANSWERS, tmp_path))
            assert both.playing and both.free == 2 - len(both.playing)
            if not both.free:
                done = one_of(both)
                assert done.log is not None and done.key not in both.playing
                assert [event[2:6] for event in done.log.events] == [event[2:6] for event in alone.events]
                setup = done.log.state.setup
                assert ([seat.name for seat in setup.seats], setup.pairing) == (["anna", "bert"], 7)
                assert done.log.wires is not None and done.log.wires[0].number
    assert processes_of(tmp_path) == []


def test_no_two_of_it_give_their_matches_the_same_name(tmp_path: Path) -> None:
    with crew(2) as both:
        for key in range(2):
            both.give(key, spec(ANSWERS, tmp_path))
        over: list[Done] = []
        while both.playing:
            over += both.wait(DEADLINE_S)
    assert len({done.log.match[-1] for done in over if done.log}) == 2, "each has its own last letter"


def test_what_cannot_be_played_is_said_and_the_process_goes_on(tmp_path: Path) -> None:
    with crew(1) as one:
        one.give(1, spec(ANSWERS, tmp_path)._replace(further={"opening": "9"}))
        done = one_of(one)
        assert (done.key, done.log, one.free) == (1, None, 1) and "9" in done.why
        one.give(2, spec(ANSWERS, tmp_path))
        assert one_of(one).log is not None


def test_a_process_that_is_killed_is_said_and_replaced_and_takes_its_bots_along(tmp_path: Path) -> None:
    with crew(1) as one:
        one.give(1, spec(SLEEPS, tmp_path))
        wait_until(lambda: bool(processes_of(tmp_path)))
        os.kill(int(children()[-1]), signal.SIGKILL)
        done = one_of(one)
        assert (done.key, done.log, done.lost, one.free) == (1, None, True, 1)
        wait_until(lambda: not processes_of(tmp_path))
        os.kill(int(children()[-1]), signal.SIGKILL)  # it has nothing to do
        one.give(2, spec(ANSWERS, tmp_path))
        done = one_of(one)
        if done.lost:  # it has not been found dead before it was given something
            one.give(2, spec(ANSWERS, tmp_path))
            done = one_of(one)
        assert done.key == 2 and done.log is not None


def test_processes_that_die_again_and_again_are_said(tmp_path: Path) -> None:
    with crew(1) as one, pytest.raises(PoolBroke):
        for _ in range(MOST_DEATHS):
            one.give(1, spec(SLEEPS, tmp_path))
            os.kill(int(children()[-1]), signal.SIGKILL)
            one_of(one)


def test_who_stops_it_hears_what_was_over_and_leaves_no_process(tmp_path: Path) -> None:
    before = children()
    both = Crew(2)
    both.give(1, spec(ANSWERS, tmp_path))
    both.give(2, spec(SLEEPS, tmp_path))
    poll = select.poll()  # one of them has told something that nobody has read
    for hand in both._hands:
        poll.register(hand.lines, select.POLLIN)
    assert poll.poll(DEADLINE_S * 1000)
    wait_until(lambda: len(processes_of(tmp_path)) == 1)
    assert [done.key for done in both.stop()] == [1]
    assert (processes_of(tmp_path), children()) == ([], before)
