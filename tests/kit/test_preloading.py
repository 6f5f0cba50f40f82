"""A command that begins with its libraries loaded is the command: what it says, how it ends, whose child it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.protocols import slugs
from tests.kit import commands, server
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.preloading import PROGRAM, Preloaded

AS_EVER = Preloaded.__mro__[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    server.migrate(made)
    return made


def ended(folder: Path, kind: type[subprocess.Popen[str]], *words: str, **settings: str) -> tuple[int, str, str, bool]:
    """Its exit code, what it said, and whether it was started with its libraries loaded."""
    command, pipe = [sys.executable, str(PROGRAM), *words], subprocess.PIPE
    environment = {**commands.environment(folder), **settings}
    with kind(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        is_preloaded = b"preloading" in Path(f"/proc/{process.pid}/cmdline").read_bytes()
        out, err = process.communicate(timeout=DEADLINE_S)
    return process.returncode, out, err, is_preloaded


@pytest.mark.service
@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "words",
    [("work", "list"), ("prune", "--wires-older-than", "soon"), ("verify", "missing.json"), ("no-such-command",)],
)
def test_it_says_and_ends_as_one_that_starts_as_ever(folder: Path, words: tuple[str, ...]) -> None:
    *preloaded, is_preloaded = ended(folder, Preloaded, *words)
    *usual, is_not = ended(folder, AS_EVER, *words)
    assert preloaded == usual and is_preloaded and not is_not


NO_DATABASE = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}


@pytest.mark.service
@pytest.mark.cases(4)
@pytest.mark.parametrize(
    "settings",
    [
        {"ARENA_TRUSTED_NETS": "192.0.2.0/24"},
        {"ARENA_LIMIT_PAGES": "many"},
        {"ARENA_ENGINE": "procrastinate"},
        {"ARENA_ENGINE": "procrastinate", **NO_DATABASE},
        {"DATABASE_URL": "sqlite:///nowhere/at/all"},
        NO_DATABASE,
        {"DJANGO_SETTINGS_MODULE": "tests.kit.held_settings"},
        {"ARENA_DATA": "/dev/null"},
    ],
)
def test_its_settings_are_those_of_its_environment(folder: Path, settings: dict[str, str]) -> None:
    words = ("shell", "--verbosity", "0", "--command", SHOWS)
    *preloaded, is_preloaded = ended(folder, Preloaded, *words, **settings)
    *usual, _ = ended(folder, AS_EVER, *words, **settings)
    assert preloaded == usual and is_preloaded


# Every setting, and what a module makes of one when it is imported; a function is somewhere else in each process.
SHOWS = """
import re
from django.conf import settings
from django.db import connection
from arena.web.people.accounts import SIGNUPS
print(connection.vendor, connection.settings_dict, vars(SIGNUPS._buckets))
shown = str({name: getattr(settings, name) for name in dir(settings) if name.isupper()})
print(re.sub("0x[0-9a-f]+", "", shown))
"""


@pytest.mark.service
def test_what_plays_alone_starts_as_ever_because_how_it_starts_is_tested(folder: Path) -> None:
    assert ended(folder, Preloaded, "match", "--help")[-1] is False


@pytest.mark.service
async def test_it_is_our_child_and_hears_our_signals(folder: Path) -> None:
    process = await commands.start(folder, "serve", "--port", str(free_port()), *doors())
    assert process.stdout is not None
    while b"Ready" not in await process.stdout.readline():
        pass
    parent = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1]
    assert int(parent) == os.getpid() and Path(f"/proc/{process.pid}/cwd").readlink() == folder
    process.send_signal(signal.SIGKILL)
    assert (await commands.finished(process))[0] == -signal.SIGKILL


def doors() -> list[str]:
    return [word for slug in slugs() for word in ("--door", f"{slug}={free_port()}")]
