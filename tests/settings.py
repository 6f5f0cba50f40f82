"""The settings of the tests: `arena.settings` with a data folder of its own, gone at the end.

Set before `arena.settings` is read, and only where the environment does not say otherwise, so that a server which a
test starts as a process of its own can be given its own folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

if "mypy" in sys.modules:
    # It reads the settings for their types and ends without cleaning up: what they write stays beside what it writes.
    _kept = Path(__file__).parents[1] / ".mypy_cache" / "data"
    _kept.mkdir(parents=True, exist_ok=True)
    os.environ["ARENA_DATA"] = str(_kept)
elif "ARENA_DATA" not in os.environ:
    _folder = tempfile.TemporaryDirectory(prefix="arena-tests-")
    os.environ["ARENA_DATA"] = _folder.name
os.environ.setdefault("SECRET_KEY", "only-for-tests")
# Analysis takes processor time after every match: the tests that are about it ask for it.
os.environ.setdefault("ARENA_WORK_SLOTS", "0")
os.environ.setdefault("ARENA_WORK_NICE", "0")
os.environ.setdefault("ARENA_EXHIBITIONS", "0")
# So do those about matches of events that are played by processes of their own.
os.environ.setdefault("ARENA_PLAY_SLOTS", "0")
# Tests that run side by side do not take each other's ports between a stop and the next start. Workers inherit the
# environment of the process that starts them, and with it the ports of that.
_worker = os.environ.get("PYTEST_XDIST_WORKER", "all")
if os.environ.get("ARENA_TESTS_PORTS", _worker) != _worker:
    del os.environ["ARENA_SEAT_PORTS"], os.environ["ARENA_BOT_PORTS"]
os.environ["ARENA_TESTS_PORTS"] = _worker
_port = 10_000 + os.getpid() % 200 * 50
os.environ.setdefault("ARENA_SEAT_PORTS", f"{_port}-{_port + 39}")
os.environ.setdefault("ARENA_BOT_PORTS", f"{_port + 40}-{_port + 49}")

from arena.settings import *  # noqa: E402, F403
from arena.settings import ARENA_DATA, DATABASES, MIDDLEWARE  # noqa: E402

# A file, because the ledger's thread and the server's threads must see the same rows: ":memory:" belongs to one.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(ARENA_DATA / "test.sqlite3")}
    # No power is cut beneath a test: a commit that waits for no disk takes a tenth of the computing.
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous = NORMAL;"
# The real one takes a quarter of a second a password.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

_slow = MIDDLEWARE.index("arena.web.system.static_files.ReadWhenAsked")
MIDDLEWARE[_slow] = "tests.kit.static_files.ListedOnce"
# Whatever test asks the API, what it is answered is what the OpenAPI document says.
MIDDLEWARE.insert(0, "tests.web.api.conforming.Conforming")
