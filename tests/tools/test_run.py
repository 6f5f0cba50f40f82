from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S

RUN = Path(__file__).parent.parent.parent / "tools" / "run.sh"
# Stands for Python and the project: says what it was started with.
PYTHON = '#!/bin/sh\necho "$* in ${ARENA_DATA:-var} with $HOSTS"\n'


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").write_text(PYTHON)
    (tmp_path / ".venv/bin/python").chmod(0o755)
    return tmp_path


def run(clone: Path, *arguments: str, **environ: str) -> list[str]:
    environ = {"PATH": "/usr/bin:/bin", **environ}
    command = ["/bin/sh", str(RUN), *arguments]
    done = subprocess.run(
        command, cwd=clone, env=environ, capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    return done.stdout.splitlines()


def test_a_fresh_clone_gets_tables_matches_and_a_server(clone: Path) -> None:
    lines = run(clone, "--no-doors")
    assert lines == [
        "manage.py migrate --alone --verbosity 0 in var with ",
        "manage.py demo in var with ",
        "manage.py serve --port 8000 --no-doors in var with ",
    ]


def test_the_callers_environment_wins_over_the_file(clone: Path) -> None:
    (clone / ".env").write_text("HOSTS='from file'\nPORT=9000\nARENA_DATA=data\n")
    assert run(clone, PORT="9001")[-1] == "manage.py serve --port 9001 in data with from file"


def test_the_file_means_what_it_means_to_systemd_and_docker(clone: Path) -> None:
    """A shell would have put the address into the background, and served SQLite without a word."""
    text = "# a comment = none\n\nHOSTS=one two&three$PATH;#four\r\n1X=2\nPORT=9000\nARENA_DATA=data"
    (clone / ".env").write_bytes(text.encode())
    assert run(clone)[-1] == "manage.py serve --port 9000 in data with one two&three$PATH;#four"
