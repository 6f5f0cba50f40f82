"""A slot by itself: what it says to which line, and that it is in nobody's way."""

from __future__ import annotations

import errno
import importlib
import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from arena.bots.process.guests import NotHere
from arena.transports.own_process import command
from arena.work.slot import LEAST_URGENT, _answer, give_way
from tests.kit.deadline import DEADLINE_S

pytestmark = pytest.mark.long

HERE = "tests.work.test_slot"


def shout(words: list[str]) -> str:
    print("this is no answer")
    return " ".join(words).upper()


def test_every_line_is_answered_with_one_and_what_a_function_prints_is_none() -> None:
    jobs = [[f"{HERE}:shout", ["not", "łike", "this"]], [f"{HERE}:whisper", None], [f"{HERE}:shout", 3]]
    done = subprocess.run(
        [*command("arena.work.slot"), str(os.getpid()), "0"],
        input="".join(f"{json.dumps(job)}\n" for job in jobs), capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    begun, first, second, third = map(json.loads, done.stdout.splitlines())
    assert begun == {}
    assert first == {"answer": "NOT ŁIKE THIS"}
    assert second["failed"].startswith("AttributeError: ") and "whisper" in second["failed"]
    assert third["failed"].startswith("TypeError: ")
    assert done.stderr == "this is no answer\nthis is no answer\n"


def starve(_: Any) -> None:
    raise MemoryError


def miss(_: Any) -> None:
    importlib.import_module("no_such_part_of_arena")


def be_locked_out(_: Any) -> None:
    raise PermissionError(errno.EACCES, "not yours", "/var/lib/arena")


@pytest.mark.parametrize(("job", "lacks"), [(starve, True), (miss, True), (be_locked_out, True), (shout, False)])
def test_what_another_machine_may_have_is_told_from_what_fails_everywhere(
    job: Callable[[Any], Any], lacks: bool
) -> None:
    said = _answer(f"{HERE}:{job.__name__}", 3)
    assert said["lacks"] is lacks and "failed" in said


def misses_a_program(_: Any) -> None:
    raise NotHere("Left cannot be started here: no such program.")


def test_what_we_say_ourselves_is_a_sentence_without_the_name_of_its_class() -> None:
    assert _answer(f"{HERE}:misses_a_program", 3)["failed"] == "Left cannot be started here: no such program."


def test_it_gives_way_to_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, or a busy machine would never let it say so."""
    nicer: list[int] = []
    policies: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "nice", nicer.append)
    monkeypatch.setattr(os, "sched_setscheduler", lambda process, policy, _: policies.append((process, policy)))
    give_way(LEAST_URGENT)
    assert (nicer, policies) == ([19], [(0, os.SCHED_IDLE)])
