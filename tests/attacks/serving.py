"""A real server in a network of its own, where all of its usual ports are free."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from tests.attacks.elsewhere import ROOT, Elsewhere
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate

PAGES, DROIDCON, NATIVE = ("::1", 8000), ("::1", 4242), ("::1", 4205)
PAGES_IPV4 = ("127.0.0.1", 8000)
START_S = 60.0


class Served:
    """`manage.py serve` with this data folder. `settings` are variables of its environment."""

    def __init__(self, elsewhere: Elsewhere, data: Path, **settings: str) -> None:
        self._prefix = elsewhere.prefix
        self._data, self._log = data, data / "log"
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._environment = {**inherited, "ARENA_DATA": str(data), "PYTHONPATH": str(ROOT), "SECRET_KEY": "attacked"}
        self._environment |= settings

    def __enter__(self) -> Self:
        manage = [sys.executable, str(ROOT / "manage.py")]
        migrate(self._data)
        serve = [*self._prefix, *manage, "serve", "--port", "8000", "--host", "::", "--bots-host", "::"]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(serve, env=self._environment, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line == b"Ready\n":
                return self
        raise AssertionError(f"the server did not start: {self.log()}")

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(DEADLINE_S)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()

    def log(self) -> list[str]:
        """All lines that it has written."""
        return self._log.read_text(encoding="utf-8").split("\n")[:-1]

    def rss(self) -> float:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
