"""Work and workers in `/metrics`."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.utils import timezone

from arena.host import Host
from arena.models import Machine
from arena.web.system import metrics
from arena.work import rows
from arena.work.rules_version import rules_version
from tests.kit.browsing import Person, text

pytestmark = pytest.mark.django_db(transaction=True)


@sync_to_async
def _fill() -> None:
    rows.submit("analyse", [("analyse:a", {}), ("analyse:b", {})], 0)
    said = {"speed": 90, "sandbox": 3, "seen": timezone.now(), "lost": 1, "answered": 7}
    lacking = {"lacks": "pairing:1:1: no room", "lacked": timezone.now()}
    Machine.objects.create(name="one", slots=2, rules=rules_version(), **said, **lacking)
    Machine.objects.create(name="two", slots=4, rules="another", **said)


async def test_work_and_workers_are_counted(host: Host) -> None:
    await _fill()
    lines = text(await Person().get("/metrics")).splitlines()
    for line in (
        'arena_work{kind="analyse",state="waiting"} 2',
        'arena_workers{state="idle"} 1',
        'arena_workers{state="other rules"} 1',
        "arena_worker_slots 2",
        "arena_worker_slots_used 0",
        "arena_workers_lacking 1",
        "arena_worker_answers 14",
        "arena_worker_lost 2",
        "arena_worker_late 0",
    ):
        assert line in lines, lines


def test_without_the_database_the_other_numbers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(metrics, "counts", fail)
    assert metrics.of_work() == []
