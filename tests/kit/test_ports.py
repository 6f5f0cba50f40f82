from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port

ROOT = Path(__file__).parents[2]
TWO_HUNDRED = "from tests.kit.ports import free_port\nprint(*(free_port() for _ in range(200)), flush=True)\ninput()"


def test_no_port_is_given_twice_not_even_to_another_process() -> None:
    words = [sys.executable, "-c", TWO_HUNDRED]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        given = [*map(int, other.stdout.readline().split()), *(free_port() for _ in range(200))]
        other.communicate(timeout=DEADLINE_S)
    assert len(set(given)) == 400


def test_the_kernel_gives_it_to_nobody_and_whoever_asks_can_listen_there() -> None:
    given = free_port()
    with socket.create_server(("127.0.0.1", given)):
        lowest, _ = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
        assert given < int(lowest)
