"""The attacks succeed where nothing holds them back: otherwise they would prove nothing."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.process.cgroups import Events
from arena.bots.process.launch import SandboxLevel
from arena.bots.process.probes import DAEMON, PROBES, Probe, ProbeResult, Target, attack, judge, target
from tests.bots.sandboxed import processes
from tests.kit.server import ROOT
from tests.kit.until import blocked_until

pytestmark = pytest.mark.service

# The limits hold at every level, and as root also the rights on files and signals. A survivor is waited for five
# seconds, so it is met once, in `test_sandbox.py`.
OPEN_AT_L0 = {"network", "project file", "writing", "system calls"}
OPEN_AT_L0 |= set() if os.getuid() == 0 else {"private file", "signals"}
# Root's own folder is closed to others, so to the bots that root starts: there the rights hold for the project as well.
if os.getuid() == 0 and not all(folder.stat().st_mode & stat.S_IXOTH for folder in (ROOT, *ROOT.parents)):
    OPEN_AT_L0 -= {"project file"}


def named(name: str) -> Probe:
    return next(probe for probe in PROBES if probe.name == name)


def test_there_are_eleven() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES) == 11


def test_a_process_that_is_killed_leaves_no_target_behind() -> None:
    script = (
        "from arena.bots.process.probes import target\nwith target() as aim: print(aim.folder, flush=True); input()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None, "a pipe"
        folder = Path(process.stdout.readline().strip()).parent
        assert folder.name.startswith("arena-probe-") and folder.is_dir()
        process.kill()
    blocked_until(lambda: not folder.exists())


@pytest.mark.parametrize("name", sorted(OPEN_AT_L0))
def test_without_a_sandbox_the_attack_succeeds_and_does_no_harm(name: str) -> None:
    with target() as aim:
        found = attack(named(name), SandboxLevel.L0, aim)
        assert not found.held
        assert not found.words.startswith("the probe did not work")
        assert [pid for pid in processes(aim.marker) if pid != aim.pid] == []
        assert list(aim.folder.iterdir()) == []
        assert not [path for folder in ("/tmp", "/dev/shm") for path in Path(folder).glob(f"{aim.marker}?*")]


@pytest.mark.parametrize(
    "name", [probe.name for probe in PROBES if probe.name in ("processes", "open files", "memory")]
)
def test_limits_hold_also_without_a_sandbox(name: str) -> None:
    with target() as aim:
        assert attack(named(name), SandboxLevel.L0, aim).held


@pytest.mark.parametrize(
    ("script", "argument"),
    [
        (named("network").script, lambda aim: str(aim.port)),
        (named("private file").script, lambda aim: str(aim.secret)),
        (named("signals").script, lambda aim: str(aim.pid)),
    ],
)
def test_as_the_server_itself_every_aim_is_reached(script: str, argument: object) -> None:
    with target() as aim:
        said = subprocess.run(Probe("", "", script, argument).command(aim), capture_output=True)  # type: ignore[arg-type]
        assert not judge(said.returncode, Events(), said.stdout).held


def test_an_aim_ends_with_whoever_made_it() -> None:
    """It would hold the output of a server that was killed meanwhile, and a program that starts the server again would
    wait.
    """
    made = """
import sys
from arena.bots.process.probes import target
with target() as aim:
    print(aim.pid, flush=True)
    sys.stdin.read()
"""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", made], stdin=pipe, stdout=pipe, cwd=ROOT, text=True) as maker:
        assert maker.stdout is not None, "it is a pipe"
        aim = Path("/proc", maker.stdout.readline().strip())
        assert aim.exists()
        maker.kill()
    blocked_until(lambda: not aim.exists())


def test_nothing_is_left_of_an_aim() -> None:
    with target() as aim:
        folder, pid = aim.secret.parent, aim.pid
    assert not folder.exists()
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("exit_status", "events", "said", "found"),
    [
        (0, Events(), b"held back: no\n", ProbeResult(True, "no")),
        (0, Events(), b"a warning\nOPEN: read it\n", ProbeResult(False, "read it")),
        (152, Events(), b"", ProbeResult(True, "stopped: cpu")),
        (137, Events(killed_for_memory=1), b"", ProbeResult(True, "stopped: memory")),
        (137, Events(), b"", ProbeResult(False, "the probe did not work: killed by SIGKILL")),
        (0, Events(), b"", ProbeResult(False, "the probe did not work: exit code 0")),
        (1, Events(), b"bwrap: no\n", ProbeResult(False, "the probe did not work: exit code 1 bwrap: no")),
        (-9, Events(), DAEMON, ProbeResult(False, "the probe did not work: killed by SIGKILL a daemon is left")),
    ],
)
def test_what_is_not_known_to_be_held_back_counts_as_open(
    exit_status: int, events: Events, said: bytes, found: ProbeResult
) -> None:
    assert judge(exit_status, events, said) == found


def test_every_probe_is_told_what_to_aim_at() -> None:
    aim = Target(4200, 77, Path("/secret"), Path("/bot"), "marker")
    for probe in PROBES:
        *_, argument, marker = probe.command(aim)
        assert marker == "marker"
        assert bool(argument) == (probe.name in {"network", "private file", "project file", "signals", "system calls"})
