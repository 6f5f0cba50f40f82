"""Processes that are kept from match to match (`manage.py match --keep`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.core.hub import LiveMatch
from arena.play.spec import BuiltinSeat, CommandSeat, SeatSpec
from tests.kit.commands import processes_of
from tests.kit.live_matches import LocalMatches, Order
from tests.kit.samples import Sample, alone

pytestmark = pytest.mark.service

# Each start is a line in the file; plays the first column that is free. `{}` is what is different about it.
FIAR = """
import os, sys
open("starts", "a").write("x")
for number, line in enumerate(sys.stdin):
    {}
    print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == "."))
"""


def fiar(code: str = "pass") -> CommandSeat:
    return CommandSeat("fiar", (sys.executable, "-c", FIAR.format(code)))


async def played(folder: Path, *seats: SeatSpec, **order: Any) -> list[LiveMatch]:
    lives: list[LiveMatch] = []
    whole = Order("connect-four-7x6", (seats[0], seats[1]), cwd=folder, **order)
    await LocalMatches(whole, lambda round, live: None, lambda round, live: lives.append(live)).play()
    assert processes_of(folder) == []
    return lives


def starts(folder: Path) -> int:
    return len((folder / "starts").read_text())


@pytest.mark.parametrize(("keep", "concurrency", "started"), [(False, 1, 8), (True, 1, 1), (True, 3, 3)])
async def test_one_process_plays_all_that_a_worker_plays(
    keep: bool, concurrency: int, started: int, tmp_path: Path
) -> None:
    seats = (fiar(), BuiltinSeat("random"))
    lives = await played(tmp_path, *seats, rounds=8, keep=keep, concurrency=concurrency)
    assert [live.state.termination for live in lives] == ["normal"] * 8
    assert {live.state.setup.round for live in lives} == set(range(1, 9))
    assert starts(tmp_path) == started


async def test_the_time_for_starting_up_is_given_once(tmp_path: Path) -> None:
    lives = await played(tmp_path, fiar(), BuiltinSeat("random"), rounds=3, keep=True)
    grace = [live.state.setup.seats[(live.state.setup.round - 1) % 2].startup_ms for live in lives]
    assert grace == [10_000, 0, 0]


async def test_after_a_fault_the_next_match_has_a_new_process(tmp_path: Path) -> None:
    seats = (fiar("if number == 1: print('oops'); continue"), BuiltinSeat("random"))
    lives = await played(tmp_path, *seats, rounds=3, keep=True)
    assert [live.state.termination for live in lives] == ["bad_output"] * 3
    assert starts(tmp_path) == 3


async def test_after_a_crash_the_next_match_has_a_new_process(tmp_path: Path) -> None:
    seats = (fiar("number == 1 and sys.exit(3)"), BuiltinSeat("random"))
    lives = await played(tmp_path, *seats, rounds=2, keep=True)
    assert [live.state.termination for live in lives] == ["crash"] * 2
    assert starts(tmp_path) == 2


async def test_two_samples_play_many_matches_in_one_process_each(tmp_path: Path) -> None:
    seats = [CommandSeat(slug, tuple(alone(Sample(slug, "py"), tmp_path))) for slug in ("fiar", "native")]
    lives = await played(tmp_path, *seats, rounds=6, keep=True)
    assert [live.state.termination for live in lives] == ["normal"] * 6
