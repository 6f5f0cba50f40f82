"""What `worker --check` says of the way to the database and to the pages; the rights stand in test_worker.py."""

from __future__ import annotations

import pytest

from arena.management import worker_checks
from arena.management.findings import Severity
from arena.management.worker_checks import _way
from arena.work.workers import rights


@pytest.mark.parametrize(
    ("encrypted", "verified", "local", "state"),
    [
        (True, True, False, Severity.OK),
        (True, False, False, Severity.WARNING),
        (True, False, True, Severity.OK),
        (False, False, True, Severity.OK),
        (False, False, False, Severity.WRONG),
    ],
)
def test_what_leaves_the_machine_is_encrypted(
    monkeypatch: pytest.MonkeyPatch, encrypted: bool, verified: bool, local: bool, state: Severity
) -> None:
    """The machine of the tests has no other one to leave for."""
    monkeypatch.setattr(rights, "is_verified", lambda: verified)
    monkeypatch.setattr(rights, "is_encrypted", lambda: encrypted)
    monkeypatch.setattr(rights, "is_local", lambda: local)
    assert [finding.state for finding in _way()] == [state]


@pytest.mark.django_db
def test_the_rules_are_named() -> None:
    assert "a host with another version gives no work" in worker_checks._rules().words
