"""How child processes are started without asyncio: what they get, what they do not, and that they die with us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.play.start import Child, Keeper, keeper, start
from tests.kit.children import alive
from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[str]:
    yield str(tmp_path)
    keeper.close()


def python(code: str, folder: str, pty: bool = True) -> Child:
    return start([sys.executable, "-c", code], folder, {"PATH": os.environ["PATH"], "A": "b"}, pty)


def all_of(child: Child) -> bytes:
    """What it says until it ends; a terminal announces that as an error."""
    said = b""
    try:
        while data := os.read(child.stdout, 4096):
            said += data
    except OSError:
        pass
    os.close(child.stdout)
    return said


def ended(child: Child) -> int:
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    keeper.release(child.pid)
    status = child.poll()
    child.stdin.close()
    child.stderr.close()
    assert status is not None
    return status


@pytest.mark.parametrize("pty", [True, False])
def test_it_has_its_folder_its_environment_and_nothing_of_ours(folder: str, pty: bool) -> None:
    ours = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(ours, True)
    code = (
        "import os\n"
        "files = [f for f in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{f}')]\n"
        "names = sorted({*os.environ} - {'LC_CTYPE'})\n"
        "print(os.getcwd(), *names, *sorted(files), os.isatty(1), os.getsid(0) == os.getpid())\n"
    )
    child = python(code, folder, pty)
    assert all_of(child).decode() == f"{folder} A PATH 0 1 2 {pty} True\n"
    assert ended(child) == 0
    os.close(ours)


def test_it_ignores_no_signal(folder: str) -> None:
    """Python itself ignores two, and a child would inherit that. What whoever started us ignores stays as it is."""
    child = start(["grep", "SigIgn", "/proc/self/status"], folder, {"PATH": os.environ["PATH"]})
    said = all_of(child)
    assert ended(child) == 0
    ours = next(line for line in Path("/proc/self/status").read_bytes().splitlines() if line.startswith(b"SigIgn:"))
    by_python = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1
    assert ignored(said) == ignored(ours) & ~by_python


def ignored(line: bytes) -> int:
    return int(line.removeprefix(b"SigIgn:"), 16)


def test_its_terminal_is_raw(folder: str) -> None:
    child = python("print(input()); import sys; sys.stderr.write('why')", folder)
    child.stdin.write(b"4\n")
    assert all_of(child) == b"4\n"
    assert child.stderr.read() == b"why"
    assert ended(child) == 0


def test_how_it_ended_is_its_status_or_the_signal(folder: str) -> None:
    child = python("import os; os.kill(os.getpid(), 11)", folder)
    assert all_of(child) == b"" and ended(child) == -signal.SIGSEGV


def test_what_cannot_be_run_says_so_on_its_stderr(folder: str) -> None:
    child = start(["./nothing"], folder, {"PATH": "/nowhere"})
    assert all_of(child) == b"" and b"./nothing" in child.stderr.read()
    assert ended(child) != 0


STARTS = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from arena.play.start import keeper, start
code = "import os, time; os.fork() or os.fork() or os.setsid(); print(os.getpid(), flush=True); time.sleep(3600)"
child = start([sys.executable, "-c", code], "/", {{"PATH": os.environ["PATH"]}})
said = b""
while said.count(b"\\n") < 3:
    said += os.read(child.stdout, 100)
print(child.pid, *said.decode().split(), flush=True)
input()
"""


def test_all_of_it_dies_with_us_even_if_we_are_killed() -> None:
    """What the bot has started as well, also what has left its session."""
    words = [sys.executable, "-c", STARTS]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pids = [int(pid) for pid in run.stdout.readline().split()]
        assert len(set(pids)) == 3 and all(map(alive, pids))
        run.kill()
    for pid in pids:
        with open_pid(pid) as file:
            file.wait()


class open_pid:
    """A process that is not ours, until it has ended."""

    def __init__(self, pid: int) -> None:
        try:
            self._file = os.pidfd_open(pid)
        except ProcessLookupError:
            self._file = -1

    def __enter__(self) -> open_pid:
        return self

    def wait(self) -> None:
        import select

        if self._file >= 0:
            assert select.select([self._file], [], [], DEADLINE_S)[0]

    def __exit__(self, *error: object) -> None:
        if self._file >= 0:
            os.close(self._file)


def test_threads_that_start_their_first_bots_at_once_have_one_keeper(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second one would hold the first one's pipe open, and closing it would wait forever."""
    keeper, pipe, made = Keeper(), os.pipe, list[tuple[int, int]]()

    def slow_pipe() -> tuple[int, int]:
        time.sleep(0.05)  # lets the other threads in
        made.append(pipe())
        return made[-1]

    monkeypatch.setattr(os, "pipe", slow_pipe)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: keeper.begin(), range(4)))
    assert len(made) == 1 and keeper.pid
    keeper.close()
    assert not keeper.pid
