"""Matches of registered bots in a process of the engine: in the sandbox, from the folder of their hash."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process import guests
from arena.bots.process.guests import NotHere
from arena.bots.process.packing import pack, sha256_of, unpack
from arena.bots.process.sandbox import best_level
from arena.match.returned import why_not
from arena.play.driver import Log, play
from arena.play.setups import setup_of
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.work.slot import LACKS
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
    """A program against a built-in player, as the host hands it out."""
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
    spec = Spec(
        "connect-four-7x6", (seat, BuiltinSeat("random", "dice", 5)), clock="60s", wires=True, freeze=True, stall_ms=50
    )
    programs = {sha256: {"of": "left", "at": "http://127.0.0.1:9/none"}}
    return {"spec": spec.to_data(), "programs": programs, "sandbox": 2}


def test_a_bot_plays_in_the_sandbox_and_is_who_it_was_said_to_be(job: dict[str, Any]) -> None:
    (data,) = guests.played(job)["logs"]
    log = Log.from_data(data)
    assert log.state.termination == "normal", log.state.reason
    assert why_not(log.events, setup_of(Spec.from_data(job["spec"]), 1)) == ""
    seat = log.state.setup.seats[0]
    assert (seat.name, seat.player, seat.owner, seat.verified) == ("Left", 7, 3, True)
    assert log.wires is not None, "they were asked for"
    said = b"".join(data for _, way, data, _ in log.wires[0].messages if way == "err")
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
    with pytest.raises(NotHere, match="level 1 of the sandbox") as raised:
        guests.played(job)
    assert _lacks(raised.value), "another machine may do better"


def test_a_bot_whose_interpreter_is_missing_here_has_not_lost(job: dict[str, Any]) -> None:
    job["spec"]["seats"][0]["argv"] = ["no-such-interpreter", "left.py"]
    with pytest.raises(NotHere, match="Left cannot be started here: .*no such program in the sandbox") as raised:
        guests.played(job)
    assert _lacks(raised.value) and groups_left() == []


def test_a_bot_whose_own_program_is_not_among_its_files_has_lost(job: dict[str, Any]) -> None:
    job["spec"]["seats"][0]["argv"] = ["./left"]
    (data,) = guests.played(job)["logs"]
    log = Log.from_data(data)
    assert (log.state.termination, log.state.winner) == ("crash", 1) and "no such program" in log.state.reason


@pytest.mark.parametrize(
    "first", ["#!/opt/no-such-ruby\n", "#!/usr/bin/env no-such-ruby\n", "#!/usr/bin/env -S no-such-ruby -w\n"]
)
def test_a_script_whose_interpreter_is_missing_here_has_not_lost(job: dict[str, Any], kept: Path, first: str) -> None:
    _script(job, kept, first)
    with pytest.raises(
        NotHere, match=r"\./script asks for an interpreter that is not here: '.*no-such-ruby'"
    ) as raised:
        guests.played(job)
    assert _lacks(raised.value) and groups_left() == []


def test_a_bot_whose_library_is_missing_on_the_machine_of_a_worker_has_not_lost(
    job: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker shows the proof of its run to the host. There, nobody has tried the program before."""
    starts = job["spec"]["seats"][0]["argv"]
    job["shown"] = "1.1.secret"
    job["spec"]["seats"][0]["argv"] = ["python3", "-c", "import no_such_library"]
    said = "Left does not start here: it stopped with exit code 1 .*No module named 'no_such_library'"
    with pytest.raises(NotHere, match=said) as raised:
        guests.played(job)
    assert _lacks(raised.value) and groups_left() == []
    job["spec"]["seats"][0]["argv"] = starts
    for times in (1, 0):
        tried = len(guests._started)
        (data,) = guests.played(job)["logs"]
        assert Log.from_data(data).state.termination == "normal"
        assert len(guests._started) - tried == times, "it is tried once"


@pytest.mark.parametrize("first", ["#!/usr/bin/env python3\r\n", "#!/usr/bin/env python3 -u\n"])
def test_a_script_that_runs_nowhere_has_lost(job: dict[str, Any], kept: Path, first: str) -> None:
    _script(job, kept, first)
    (data,) = guests.played(job)["logs"]
    assert (log := Log.from_data(data)).state.winner == 1 and log.state.termination == "crash"


def _script(job: dict[str, Any], kept: Path, first: str) -> None:
    """Let the first seat run this script of its own folder."""
    (folder,) = (kept / "programs" / "left").iterdir()
    folder.chmod(0o755)
    script = folder / "script"
    script.write_text(f"{first}print(4)\n")
    script.chmod(0o755)
    job["spec"]["seats"][0]["argv"] = ["./script"]


def _lacks(why: Exception) -> bool:
    return isinstance(why.__cause__, OSError) and why.__cause__.errno in LACKS


def test_nobody_plays_a_program_without_a_sandbox(job: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="runs in a sandbox, and nobody here has one"):
        play(Spec.from_data(job["spec"]))
