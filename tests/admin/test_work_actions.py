"""Orders about work and workers from the admin: rows say them, and the audit who gave them."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import Audit, Machine, Work


@pytest.fixture
def machine(db: None) -> Machine:
    said = {"machine_class": "c5", "slots": 2, "speed": 90, "rules": "r", "version": "1", "sandbox": 3}
    return Machine.objects.create(name="one", seen=timezone.now(), **said)


def act(client: Client, table: str, name: str, row: Machine | Work, reason: str = "") -> str:
    said = {"action": name, "_selected_action": str(row.pk), "confirmed": "yes", "reason": reason}
    page = client.post(f"/admin/arena/{table}/", said, follow=True).content.decode()
    row.refresh_from_db()
    return page


def test_a_worker_is_drained_takes_work_again_and_is_trusted_with_a_reason(superuser: Client, machine: Machine) -> None:
    assert "it takes nothing new, within 5 s." in act(superuser, "machine", "drain", machine) and machine.draining
    assert "It is already draining. Nothing was done." in act(superuser, "machine", "drain", machine)
    act(superuser, "machine", "take", machine)
    assert not machine.draining
    Machine.objects.update(distrusted="pairing:1:1: it lied")
    act(superuser, "machine", "trust", machine)
    assert machine.distrusted, "a reason is missing"
    act(superuser, "machine", "trust", machine, "its disk was replaced")
    assert machine.distrusted == ""
    told = list(Audit.objects.order_by("pk").values_list("act", "data__reason"))
    assert told == [("worker drained", ""), ("worker takes work", ""), ("worker trusted", "its disk was replaced")]


def test_work_is_run_again_or_cancelled_with_a_reason(superuser: Client) -> None:
    work = Work.objects.create(kind="analyse", key="analyse:1", state="failed", faults=3, why="its process died")
    assert "it waits." in act(superuser, "work", "again", work) and (work.state, work.faults) == ("waiting", 0)
    assert "only its organiser can re-run it. Nothing was done." in act(superuser, "work", "again", work)
    act(superuser, "work", "cancel", work)
    assert work.state == "waiting", "a reason is missing"
    act(superuser, "work", "cancel", work, "the event is over")
    assert work.state == "cancelled"


def test_other_staff_order_nothing(staff: Client, machine: Machine) -> None:
    chosen = {"action": "drain", "_selected_action": "one", "confirmed": "yes"}
    assert staff.post("/admin/arena/machine/", chosen).status_code == 403
    machine.refresh_from_db()
    assert not machine.draining and not Audit.objects.exists()
