"""What `worker --check` says of the way to the database and to the pages; the rights stand in test_worker.py."""

from __future__ import annotations

import pytest

from arena.management import worker_checks
from arena.management.findings import Severity
from arena.management.worker_checks import _way
from arena.work.workers import rights


@pytest.mark.parametrize(
    ("encrypted", "local", "state"),
    [(True, False, Severity.OK), (False, True, Severity.OK), (False, False, Severity.WRONG)],
)
def test_what_leaves_the_machine_is_encrypted(
    monkeypatch: pytest.MonkeyPatch, encrypted: bool, local: bool, state: Severity
) -> None:
    monkeypatch.setattr(rights, "is_encrypted", lambda: encrypted)
    monkeypatch.setattr(rights, "is_local", lambda: local)
    assert [finding.state for finding in _way()] == [state]


@pytest.mark.django_db
def test_the_rules_are_named() -> None:
    assert "a host with another version gives no work" in worker_checks._rules().words
