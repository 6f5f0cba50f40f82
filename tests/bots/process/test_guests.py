"""Matches of registered bots in a process of the engine: in the sandbox, from the folder of their hash."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process import guests
from arena.bots.process.packing import pack, sha256_of, unpack
from arena.bots.process.sandbox import NotSandboxed, best_level
from arena.match.returned import why_not
from arena.play.driver import Log, play
from arena.play.setups import setup_of
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from tests.bots.sandboxed import groups_left
from tests.tournaments.working import LEFT

pytestmark = pytest.mark.service

# Says on standard error what it finds around it before it plays.
CURIOUS = "import os, sys\nprint(os.getcwd(), os.path.exists('/root/.'), os.getuid(), file=sys.stderr)\n" + LEFT


@pytest.fixture
def kept() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def job(kept: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A program against a built-in player."""
    files = kept / "files"
    files.mkdir()
    (files / "left.py").write_text(CURIOUS)
    packed = pack(files)
    sha256 = sha256_of(packed)
    unpack(packed, kept / "programs" / "left" / sha256)
    (kept / "programs").chmod(0o755)
    monkeypatch.setenv(guests.FOLDER, str(kept / "programs"))
    monkeypatch.setenv(guests.LEVEL, str(int(best_level())))
    seat = CommandSeat("fiar", ("python3", "left.py"), "Left", player=7, owner=3, program=sha256)
    spec = Spec("connect-four-7x6", (seat, BuiltinSeat("random", "dice", 5)), clock="60s", wires=True, freeze=True)
    programs = {sha256: {"of": "left", "at": "http://127.0.0.1:9/none"}}
    return {"spec": spec.to_data(), "programs": programs, "sandbox": 2}


def test_a_bot_plays_in_the_sandbox_and_is_who_it_was_said_to_be(job: dict[str, Any]) -> None:
    (data,) = guests.played(job)["logs"]
    log = Log.from_data(data)
    assert log.state.termination == "normal", log.state.reason
    assert why_not(log.events, setup_of(Spec.from_data(job["spec"]), 1)) == ""
    seat = log.state.setup.seats[0]
    assert (seat.name, seat.player, seat.owner, seat.verified) == ("Left", 7, 3, True)
    said = b"".join(message.data for message in (log.wires or ([], []))[0] if message.way == "err")
    assert said.startswith(b"/bot False "), "it sees its own folder, and no home of ours"
    assert groups_left() == []


def test_a_bot_that_dies_loses_by_what_the_sandbox_saw(job: dict[str, Any], kept: Path) -> None:
    job["spec"]["seats"][0]["argv"] = ["python3", "-c", "x = 'a' * (1 << 31)"]
    (data,) = guests.played(job)["logs"]
    log = Log.from_data(data)
    assert (log.state.termination, log.state.reason, log.state.winner) == ("resource_limit", "memory", 1)
    assert why_not(log.events, setup_of(Spec.from_data(job["spec"]), 1)) == ""


def test_below_the_minimum_of_the_sandbox_nothing_is_run(job: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(guests.LEVEL, "1")
    with pytest.raises(NotSandboxed, match="level 1 of the sandbox"):
        guests.played(job)


def test_nobody_plays_a_program_without_a_sandbox(job: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="runs in a sandbox, and nobody here has one"):
        play(Spec.from_data(job["spec"]))
