"""`manage.py doctor` as people run it: on a fresh folder, on a good one, beside a running server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.commands import manage
from tests.kit.ports import free_port
from tests.kit.server import migrate

pytestmark = pytest.mark.service


def test_a_fresh_folder_is_told_to_migrate_and_a_migrated_one_is_fine(tmp_path: Path) -> None:
    fresh = manage(tmp_path, "doctor", "--port", str(free_port()))
    assert fresh.returncode == 1
    assert "wrong    database" in fresh.stdout and "To do: run manage.py migrate" in fresh.stdout
    assert not (tmp_path / "arena.sqlite3").exists()

    migrate(tmp_path)
    asked = ("doctor", "--json", "--port", str(free_port()), *_free_doors())
    answer = manage(tmp_path, *asked)
    said = json.loads(answer.stdout)
    wrong = [finding for finding in said["findings"] if finding["state"] == "wrong"]
    assert (answer.returncode, said["ok"], wrong) == (0, True, [])
    assert {"about": "tables", "state": "ok", "words": "of this version", "todo": ""} in said["findings"]


def _free_doors() -> list[str]:
    from arena.protocols import protocols

    return [word for slug in protocols() for word in ("--door", f"{slug}={free_port()}")]
