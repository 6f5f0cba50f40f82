from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Audit, Delivery, Webhook
from arena.work.webhooks import rows


def act(client: Client, name: str, reason: str = "it is flooded") -> int:
    said = {"action": name, "_selected_action": str(Webhook.objects.get().pk), "confirmed": "yes", "reason": reason}
    return client.post("/admin/arena/webhook/", said, follow=True).status_code


def test_one_is_switched_off_with_a_reason_and_on_again(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    rows.switch_on(Webhook.objects.get())
    act(superuser, "switch_off", "")
    assert not Webhook.objects.get().by_staff, "a reason is missing"
    assert act(superuser, "switch_off") == 200
    webhook = Webhook.objects.get()
    assert webhook.off is not None and (webhook.by_staff, webhook.why) == (True, "it is flooded")
    assert not Delivery.objects.filter(state=Delivery.State.WAITING).exists()
    audit = Audit.objects.get(act="webhook switched off")
    assert audit.data == {"reason": "it is flooded", "receiver": webhook.receiver} and "https" not in audit.subject
    rows.switch_off(webhook, "It answered 410.")
    assert Webhook.objects.get().why == "it is flooded", "an attempt was on its way"
    act(superuser, "switch_on")
    webhook = Webhook.objects.get()
    assert (webhook.off, webhook.by_staff, webhook.why) == (None, False, "")


def test_other_staff_switch_none_off(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert act(staff, "switch_off") == 403 and not Webhook.objects.get().by_staff
