from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.processes import until_closed
from tests.kit.server import ROOT
from tests.kit.until import blocked_until

STARTS_ONE = """
import time
from tests.kit.processes import Postgres, Redis

server, other = Postgres(), Redis()
server.start()
other.start()
print(server.port, other.port, server._folder, flush=True)
time.sleep(3600)
"""


@pytest.mark.service
def test_a_run_that_is_killed_leaves_no_server_behind() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS_ONE], cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None, "asked for"
        *ports, folder = run.stdout.readline().split()
        run.kill()
    for port in ports:
        until_closed(int(port))
    blocked_until(lambda: not Path(folder).exists())
