"""A program on a seat: when it can play. How it plays and fails is told in test_driver.py."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.play.loop import Loop
from arena.play.program import Program
from arena.play.start import keeper
from arena.protocols import protocol


class Stage:
    """Programs on a loop of their own, ended with the test."""

    def __init__(self, folder: Path) -> None:
        self.loop, self.folder = Loop(), folder
        self.programs: list[Program] = []

    def program(self, slug: str, code: str, freeze: bool = False) -> Program:
        program = Program(self.loop, protocol(slug), "bot", freeze=freeze)
        self.programs.append(program)
        program.begin((sys.executable, "-c", code), str(self.folder), True)
        self.loop.run(lambda: program.settled)
        return program


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    for program in made.programs:
        program.end()
        if program.child is not None:
            program.child.abort()
    made.loop.run(lambda: all(program.over for program in made.programs))
    keeper.close()


def test_it_is_ready_when_its_protocol_says_so(stage: Stage) -> None:
    assert stage.program("fiar", "input()").ready
    hello = 'print(\'{"type": "hello", "name": "x"}\')\ninput()\ninput()'
    assert stage.program("native", hello).ready


def test_who_says_no_name_is_ready_once_it_waits_for_input(stage: Stage) -> None:
    """The protocol leaves open whether there is one: nobody waits 20 s for it."""
    program = stage.program("santorini-json", "input()")
    assert program.ready and program.waits_for_input() is not False


def test_who_ends_or_breaks_the_protocol_before_a_match_is_settled_and_not_ready(stage: Stage) -> None:
    assert not stage.program("native", "pass").ready
    assert not stage.program("native", "print('x' * 10_000)\ninput()").ready


def test_nobody_looks_again_for_a_program_that_has_ended_to_stop_it(stage: Stage) -> None:
    """By then its number may be that of another process."""
    program = stage.program("fiar", "input()", freeze=True)
    freezer = program._freezer
    assert freezer is not None and program.child is not None
    freezer.freeze_soon()
    program.child.abort()
    stage.loop.run(lambda: program.over)
    assert freezer._alarm is None and not freezer.frozen


def test_what_cannot_be_started_says_why(stage: Stage) -> None:
    program = Program(stage.loop, protocol("fiar"), "bot")
    program.begin(("./nothing",), str(stage.folder), True)
    assert program.settled and program.over and not program.ready
    assert program.failed == "no such command: ./nothing"
