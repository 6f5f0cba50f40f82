"""What the process of a worker loads; how one runs from its start to its end stands in tests/work/workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, environment

PROGRAM = """
import sys, logging.config, arena.management.working
from django.conf import settings
logging.config.dictConfig(settings.LOGGING)
print(sorted(name for name in sys.modules if name.startswith(
    ("arena.analysis", "arena.models", "arena.tournaments", "arena.web", "django.apps", "django.contrib", "django.db",
     "django.forms", "django.http", "django.template", "django.views", "procrastinate.contrib"))))
"""


def test_it_loads_no_tables_no_pages_and_no_analysis(tmp_path: Path) -> None:
    """These were two fifths of its memory; a slot loads what it computes with, when it is asked to."""
    command = [sys.executable, "-c", PROGRAM]
    mine = {**environment(tmp_path), "DATABASE_URL": "postgres://arena_worker:secret@localhost/arena"}
    done = subprocess.run(command, cwd=ROOT, env=mine, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.stdout == "[]\n", done.stdout + done.stderr
