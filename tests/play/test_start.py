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
from tests.kit.until import blocked_until

ROOT = Path(__file__).parents[2]
BY_PYTHON = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1


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


ALONE = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from arena.play.start import start
ours, before = os.open(os.devnull, os.O_RDONLY), os.getcwd()
os.set_inheritable(ours, True)
code = (
    "import os\\n"
    "files = [f for f in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{{f}}')]\\n"
    "print(os.getcwd(), *sorted({{*os.environ}} - {{'LC_CTYPE'}}), *sorted(files), os.isatty(1),"
    " os.getsid(0) == os.getpid(), input())\\n"
)
for command in ([sys.executable, "-S", "-c", code], ["python3", "-S", "-c", code]):
    child = start(command, sys.argv[1], {{"PATH": os.path.dirname(sys.executable) + ":/usr/bin"}})
    child.stdin.write(b"heard\\n")
    print(os.read(child.stdout, 4096).decode().strip(), os.getcwd() == before)
child = start(["grep", "SigIgn", "/proc/self/status"], sys.argv[1], {{"PATH": "/usr/bin:/bin"}})
print(os.read(child.stdout, 4096).decode().strip())
child = start(["./nothing"], sys.argv[1], {{"PATH": "/nowhere"}})
print(child.stderr.read().decode().strip(), os.getcwd() == before)
"""


def test_a_process_without_threads_starts_it_without_a_copy_of_itself(folder: str) -> None:
    """It has the same as a fork, and we are where we were; what cannot be run says so as well."""
    said = subprocess.run([sys.executable, "-c", ALONE, folder], capture_output=True, text=True, check=True).stdout
    first, second, mask, missing = said.splitlines()
    assert first == second == f"{folder} PATH 0 1 2 True True heard True"
    assert ignored(mask.encode()) == ignored_here() & ~BY_PYTHON
    assert missing == "./nothing: No such file or directory True"


def test_who_is_killed_while_it_starts_a_bot_leaves_nobody() -> None:
    """The keeper has been told of its input, and of no number yet."""
    code = (
        f"import os, subprocess, sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from arena.play.start import keeper\n"
        "keeper.begin()\n"
        "theirs, ours = os.pipe()\n"
        "keeper.tell(b'?%d\\n' % os.fstat(theirs).st_ino)\n"
        "wait = [sys.executable, '-c', 'import time; time.sleep(3600)']\n"
        "print(subprocess.Popen(wait, stdin=theirs, start_new_session=True).pid, flush=True)\n"
        "input()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        pid = int(run.stdout.readline())
        assert alive(pid)
        run.kill()
    with open_pid(pid) as file:
        file.wait()


def test_it_ignores_no_signal(folder: str) -> None:
    """Python itself ignores two, and a child would inherit that. The signals that our parent ignores stay ignored."""
    child = start(["grep", "SigIgn", "/proc/self/status"], folder, {"PATH": os.environ["PATH"]})
    said = all_of(child)
    assert ended(child) == 0
    assert ignored(said) == ignored_here() & ~BY_PYTHON


def ignored(line: bytes) -> int:
    """But for two numbers that the C library keeps to itself: no program can ignore or send them."""
    return int(line.removeprefix(b"SigIgn:"), 16) & ~(1 << 32 - 1 | 1 << 33 - 1)


def ignored_here() -> int:
    ours = Path("/proc/self/status").read_bytes().splitlines()
    return ignored(next(line for line in ours if line.startswith(b"SigIgn:")))


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


OTHER = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from arena.play.start import keeper, start
sleeps = [sys.executable, "-c", "import time; time.sleep(3600)"]
pids = [start(sleeps, "/", {{"PATH": os.environ["PATH"]}}).pid]
os.kill(keeper.pid, 9)
os.waitid(os.P_PID, keeper.pid, os.WEXITED | os.WNOWAIT)
print(*pids, start(sleeps, "/", {{"PATH": os.environ["PATH"]}}).pid, flush=True)
input()
"""


def test_a_keeper_that_was_killed_is_replaced() -> None:
    """Without one, the match ended with nothing said, and without its result."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        pids = [int(pid) for pid in run.stdout.readline().split()]
        assert len(set(pids)) == 2 and all(map(alive, pids))
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


def test_a_keeper_sleeps_while_it_is_told_of_bots() -> None:
    """One that woke for each line would slow the start and the end of every bot."""
    keeper = Keeper()
    keeper.begin()
    slept = sleeps(keeper.pid)
    for bot in range(100):
        keeper.tell(b"+%d\n-%d\n" % (bot, bot))
        now = sleeps(keeper.pid)
    assert now - slept < 50, "it looks up twice a second"
    keeper.close()


def sleeps(pid: int) -> int:
    """How often this process has begun to wait, which it does again."""
    blocked_until(lambda: "State:\tS" in Path(f"/proc/{pid}/status").read_text())
    return int(Path(f"/proc/{pid}/status").read_text().partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def test_a_keeper_can_be_told_more_than_its_pipe_holds() -> None:
    keeper = Keeper()
    keeper.begin()
    for bot in range(10_000):
        keeper.tell(b"?%d\n.%d\n" % (bot, bot))
    keeper.close()
