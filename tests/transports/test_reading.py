"""A process that waits for input is told from one that computes or sleeps."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.transports.process_tree import kill_all
from arena.transports.reading import asks, reads_input, waits_for_input
from tests.kit.until import blocked_until


@contextmanager
def running(*argv: str) -> Iterator[int]:
    """The process's number, once it has said that it is up."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield process.pid
        kill_all(process.pid)


def python(script: str) -> tuple[str, ...]:
    return sys.executable, "-c", f"import os, sys\nprint('up', flush=True)\n{script}"


@pytest.mark.parametrize(
    "script",
    [
        "sys.stdin.readline()",
        "os.read(0, 10)",
        "os.read(os.dup(0), 10)",
        "os.readv(0, [bytearray(10)])",
        "import socket; a, b = socket.socketpair(); a.recv(10)",
        "import subprocess; subprocess.run(['cat'])",
        "import threading; threading.Thread(target=sys.stdin.readline).start(); threading.Event().wait()",
    ],
)
def test_who_waits_for_input_is_seen(script: str) -> None:
    with running(*python(script)) as pid:
        blocked_until(lambda: reads_input(pid) is True)


@pytest.mark.parametrize(
    ("script", "does"),
    [
        ("sys.stdin.readline()", True),
        ("os.read(os.dup(0), 10)", True),
        ("import socket; a, b = socket.socketpair(); a.recv(10)", False),
    ],
)
def test_who_asks_somebody_is_told_from_who_waits_on_a_socket(script: str, does: bool) -> None:
    with running(*python(script)) as pid:
        blocked_until(lambda: reads_input(pid) is True)
        assert asks(pid) is does


def test_a_shell_that_waits_for_its_bot_is_seen_through() -> None:
    with running("sh", "-c", "echo up; cat; true") as pid:
        blocked_until(lambda: reads_input(pid) is True)


@pytest.mark.parametrize(
    "script",
    [
        "while True: pass",
        "import time; time.sleep(600)",
        "read, write = os.pipe(); os.read(read, 1)",
        # One thread reads ahead while the other computes.
        "import threading; threading.Thread(target=sys.stdin.readline, daemon=True).start()\nwhile True: pass",
    ],
)
def test_who_computes_or_sleeps_does_not_wait_for_input(script: str) -> None:
    with running(*python(script)) as pid:
        blocked_until(lambda: reads_input(pid) is False)


EPOLL = "import select; waits = select.epoll(); waits.register({}, select.EPOLLIN); waits.poll()"


@pytest.mark.parametrize(
    ("script", "waits"),
    [
        (EPOLL.format(0), True),
        (EPOLL.format("os.dup(0)"), True),
        (EPOLL.format("os.pipe()[0]"), False),
        ("sys.stdin.readline()", True),
        ("import time; time.sleep(600)", False),
        ("import threading; threading.Thread(target=sys.stdin.readline, daemon=True).start()\nwhile True: pass", False),
    ],
)
def test_an_event_loop_that_watches_its_input_waits_for_it(script: str, waits: bool) -> None:
    """Whether it may also end at a time of its own is not known, so nothing is said of reading."""
    with running(*python(script)) as pid:
        blocked_until(lambda: reads_input(pid) is (None if "epoll" in script else waits))
        assert waits_for_input(pid) is waits


def test_who_waits_in_poll_may_wait_for_anything() -> None:
    with running(*python("import select; select.select([0], [], [])")) as pid:
        blocked_until(lambda: reads_input(pid) is None)


def test_of_nobody_nothing_is_known() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as process:
        pid = process.pid
    assert reads_input(pid) is None
