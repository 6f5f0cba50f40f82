from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.commands import ROOT, environment
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate

AS_NOBODY_KNOWN = ["unshare", "--user", "--map-user=54321"]


@pytest.mark.service
@pytest.mark.skipif(
    subprocess.run([*AS_NOBODY_KNOWN, "true"], capture_output=True).returncode != 0, reason="no user namespace here"
)
def test_a_user_without_a_name_may_give_orders(tmp_path: Path) -> None:
    """As in a container that runs under a number of its own."""
    migrate(tmp_path)
    command = [*AS_NOBODY_KNOWN, sys.executable, str(ROOT / "manage.py"), "drain", "--cancel"]
    said = subprocess.run(
        command, env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert said.stderr == "CommandError: Nobody has asked this server to drain. Nothing was done.\n"
