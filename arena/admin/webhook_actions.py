"""Staff actions on a webhook: switch it off with a reason that its owner reads, and on again."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest

from arena.admin.acting import Action, Unasked
from arena.models import Webhook
from arena.web.match import staff
from arena.work.webhooks import rows


def _off(request: HttpRequest, webhook: Webhook, said: dict[str, Any], stood: str) -> str:
    reason = said["reason"]
    with transaction.atomic():
        rows.switch_off_by_staff(webhook, reason)
        # By its owner and receiver: an address may contain a secret, and more people read the audit.
        staff.record(request.user, "webhook switched off", webhook.user, reason=reason, receiver=webhook.receiver)
    return "it is switched off."


def _on(request: HttpRequest, webhook: Webhook, said: dict[str, Any], stood: str) -> str:
    with transaction.atomic():
        rows.switch_on(webhook)
        known = {"reason": said["reason"], "receiver": webhook.receiver}
        staff.record(request.user, "webhook switched on", webhook.user, **known)
    return "it is switched on."


WEBHOOK_ACTIONS = (
    Action(
        *("switch_off", "Switch off", "Switch off"),
        lambda webhook: (
            f"{webhook.receiver} gets no more messages, not even those that are waiting. "
            "Only staff can switch it on again."
        ),
        _off,
        why_not=lambda user, webhook: "Staff have already switched it off." if webhook.by_staff else "",
    ),
    Action(
        *("switch_on", "Switch on", "Switch on"),
        lambda webhook: f"{webhook.receiver} gets messages again from now on; those given up meanwhile are not sent.",
        *(_on, Unasked),
        why_not=lambda user, webhook: "It is not switched off." if webhook.off is None else "",
    ),
)
