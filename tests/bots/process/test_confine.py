"""The launcher of machines without namespaces, run as it is: a child that confines itself, then becomes the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from arena.bots.process import seccomp
from arena.bots.process.confine import command, landlock_version

ENV = {"PATH": "/usr/bin:/bin"}
SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"]


def run(*argv: str, **spec: Any) -> subprocess.CompletedProcess[str]:
    given: dict[str, Any] = {
        "parent": os.getpid(),
        "env": ENV,
        "rlimits": {},
        "uid": None,
        "landlock": None,
        "seccomp": None,
    }
    return subprocess.run(command(argv, **(given | spec)), capture_output=True, text=True)


def test_the_command_takes_the_launcher_s_place_with_exactly_its_environment() -> None:
    said = run("env", env=ENV | {"SLOT": "3"})
    assert (said.returncode, said.stdout) == (0, "PATH=/usr/bin:/bin\nSLOT=3\n")


def test_a_command_that_does_not_exist_is_named() -> None:
    said = run("no-such-bot")
    assert said.returncode == 1
    assert said.stderr == "sandbox: no-such-bot: No such file or directory\n"


def test_limits_hold_in_the_command() -> None:
    said = run("sh", "-c", "ulimit -n; ulimit -t; ulimit -Ht", rlimits={"nofile": (64, 64), "cpu": (5, 6)})
    assert said.stdout.split() == ["64", "5", "6"]


def test_no_program_gives_it_back_what_it_has_lost() -> None:
    assert "NoNewPrivs:\t1" in run("cat", "/proc/self/status").stdout


def test_root_becomes_somebody_else() -> None:
    uid = 61007 if os.getuid() == 0 else None
    said = run("sh", "-c", "id -u; id -G", uid=uid)
    assert said.stdout.split()[0] == str(uid or os.getuid())
    if uid:
        assert said.stdout.split()[1:] == [str(uid)], "no group of root is left"


def test_it_does_not_start_without_the_server() -> None:
    """A server that was killed between fork and here would never be heard of again."""
    assert run("echo", "4", parent=os.getpid()).stdout == "4\n"
    assert run("echo", "4", parent=1).stdout == ""


def test_only_what_is_named_can_be_read(tmp_path: Path) -> None:
    """On a kernel without Landlock everything can be, and the self-test does not give this level."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a").write_text("mine")
    (tmp_path / "b").write_text("other")
    said = run("sh", "-c", f"cat {tmp_path}/mine/a {tmp_path}/b", landlock=[*SYSTEM, str(tmp_path / "mine")])
    assert said.stdout == ("mine" if landlock_version() else "mineother")


def test_nothing_can_be_written_but_devices(tmp_path: Path) -> None:
    said = run("sh", "-c", f"echo > /dev/null && echo > {tmp_path}/a || echo no", landlock=[*SYSTEM, str(tmp_path)])
    assert said.stdout == ("no\n" if landlock_version() else "")


def test_a_folder_that_is_not_there_is_no_obstacle() -> None:
    assert run("echo", "4", landlock=[*SYSTEM, "/no/such/folder"]).stdout == "4\n"


def test_the_filter_holds_in_the_command() -> None:
    script = "import os, socket\nfor call in (os.setsid, socket.socket):\n try: call()\n except OSError: print('no')"
    # As the child of a shell: who leads a group cannot make a session anyway.
    said = run(
        "sh", "-c", '"$0" -c "$1"; true', sys.executable, script, seccomp=seccomp.program(namespaces=False).hex()
    )
    assert said.stdout == "no\nno\n"
    assert run("sh", "-c", '"$0" -c "$1"; true', sys.executable, script).stdout == ""


def test_nothing_of_the_same_user_is_changed(tmp_path: Path) -> None:
    """Landlock judges neither rights and times of files nor limits of other processes."""
    script = """
import os, resource, sys
def attempt(call, *words):
    try: call(*words)
    except OSError: print('no')
attempt(os.chmod, sys.argv[1], 0o666)
attempt(os.utime, sys.argv[1], (1, 1))
attempt(resource.prlimit, os.getppid(), resource.RLIMIT_CORE, (0, 0))
attempt(os.sched_setaffinity, os.getppid(), os.sched_getaffinity(0))
attempt(os.setpriority, os.PRIO_PROCESS, os.getppid(), 0)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
"""
    (tmp_path / "key").write_text("")
    (tmp_path / "key").chmod(0o600)
    said = run(
        *(sys.executable, "-I", "-S", "-c", script, str(tmp_path / "key")),
        seccomp=seccomp.program(namespaces=False).hex(),
    )
    assert (said.stdout, said.stderr) == ("no\n" * 5, "")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
