"""The names under which jobs are found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from arena.work.rows import Where
from arena.work.workers.jobs import queue, queues
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, environment


def test_a_machine_listens_to_what_it_may_have_and_to_nothing_else() -> None:
    mine = queues(("play",), "2b29eb57569e", "c5", 2)
    for where in (Where(), Where("c5"), Where("", 2), Where("c5", 1)):
        assert queue("play", "2b29eb57569e", where) in mine
    for kind, rules, where in (
        ("play", "2b29eb57569e", Where("c6")),
        ("play", "2b29eb57569e", Where("", 3)),
        ("play", "another", Where()),
        ("analyse", "2b29eb57569e", Where()),
    ):
        assert queue(kind, rules, where) not in mine


def test_no_name_is_longer_than_a_channel_may_be() -> None:
    longest = queue("k" * 16, "r" * 12, Where("n" * 32, 3))
    assert len(f"procrastinate_queue_v1#{longest}") < 63


def test_nothing_of_the_default_imports_procrastinate(tmp_path: Path) -> None:
    """Neither the server nor any command but the worker's own."""
    program = (
        "import sys, django; django.setup(); import arena.urls, arena.asgi, arena.management.commands.serve;"
        "import arena.management.commands.work, arena.management.commands.worker, arena.management.commands.doctor;"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in ('procrastinate', 'psycopg_pool')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True,
        timeout=DEADLINE_S,
    )  # fmt: skip
    assert done.stdout == "[]\n", done.stderr
