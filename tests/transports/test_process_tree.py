"""Nobody of a process and its descendants is left alive."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.transports.process_tree import kill_all, kill_family, stand_still, stop_family
from tests.kit.children import alive
from tests.kit.until import blocked_until

# Every child says its number, then sleeps; `leave` is what it does to get out of sight first.
PARENT = """
import os, sys, time
def child(leave):
    if os.fork() == 0:
        leave()
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(600)
child(lambda: None)
child(os.setsid)
child(lambda: os.setpgid(0, 0))
child(lambda: os.fork() and os._exit(0))
time.sleep(600)
"""


def test_children_grandchildren_and_those_who_left_the_session_die() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        pids = [int(leader.stdout.readline()) for _ in range(4)]
        assert all(map(alive, pids))
        kill_all(leader.pid)
        blocked_until(lambda: not any(map(alive, [leader.pid, *pids])))
        assert leader.wait() == -signal.SIGKILL


def test_a_family_dies_with_its_leader_and_who_had_lost_its_parents_after_it() -> None:
    """Three of these descend from the leader, however they left its session; the orphan is of its session yet."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        pids = [int(leader.stdout.readline()) for _ in range(4)]
        kill_family(leader.pid)
        blocked_until(lambda: not alive(leader.pid))
        kill_all(leader.pid)
        blocked_until(lambda: not any(map(alive, pids)))


def test_children_of_other_threads_and_of_children_are_of_the_family() -> None:
    script = """
import os, threading, time
def child():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(600)
    time.sleep(600)
threading.Thread(target=child).start()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        pids = [int(leader.stdout.readline()) for _ in range(2)]
        assert not stand_still({leader.pid, *pids})
        assert {leader.pid, *pids} <= stop_family(leader.pid)
        blocked_until(lambda: all(map(is_stopped, [leader.pid, *pids])))
        blocked_until(lambda: stand_still({leader.pid, *pids}))
        kill_family(leader.pid)
        blocked_until(lambda: not any(map(alive, [leader.pid, *pids])))
        blocked_until(lambda: stand_still({leader.pid, *pids}))


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_orphans_are_found_by_their_session_while_the_dead_leader_is_not_reaped() -> None:
    script = "import os, time\nif os.fork() == 0:\n os.write(1, b'%d\\n' % os.getpid())\n time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        orphan = int(leader.stdout.readline())
        blocked_until(lambda: not alive(leader.pid))
        assert alive(orphan)
        kill_all(leader.pid)
        blocked_until(lambda: not alive(orphan))


def test_nobody_else_is_touched() -> None:
    with (
        subprocess.Popen(["sleep", "600"], start_new_session=True) as one,
        subprocess.Popen(["sleep", "600"], start_new_session=True) as other,
    ):
        kill_all(one.pid)
        assert one.wait() == -signal.SIGKILL
        assert other.poll() is None
        assert alive(os.getpid())
        kill_all(other.pid)


def test_a_name_with_brackets_and_blanks_confuses_nobody(tmp_path: Path) -> None:
    command = tmp_path / "a) Z 1 (b"
    command.symlink_to("/bin/sleep")
    with subprocess.Popen([command, "600"], start_new_session=True) as leader:
        kill_all(leader.pid)
        assert leader.wait() == -signal.SIGKILL


@pytest.mark.parametrize("stop", [signal.SIGSTOP, signal.SIGTERM])
def test_neither_stopped_nor_stubborn_processes_survive(stop: signal.Signals) -> None:
    script = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(1, flush=True)\ntime.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        leader.stdout.readline()
        leader.send_signal(stop)
        kill_all(leader.pid)
        assert leader.wait() == -signal.SIGKILL
