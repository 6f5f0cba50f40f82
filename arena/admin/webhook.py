"""Webhooks and the messages sent to them. An address may contain a secret, and messages may be about private
matches.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from arena.admin import known
from arena.admin.acting import Acting
from arena.admin.audit import acts_on
from arena.admin.record import RawRecord
from arena.admin.webhook_actions import WEBHOOK_ACTIONS
from arena.models import Delivery, Webhook

MOST_SENT = 12


def _sent(delivery: Delivery) -> known.KnownLine:
    tries = "one attempt" if delivery.tries == 1 else f"{delivery.tries} attempts"
    answered = f"{delivery.status or ''} {delivery.said}".strip()
    return known.KnownLine(
        *(f"{delivery.at:{known.WHEN}}", delivery.name, known.page_of("delivery", delivery.pk)),
        *(f"{delivery.kind}: {delivery.state}", answered, tries),
    )


@admin.register(Webhook)
class WebhookAdmin(RawRecord, Acting):
    list_display = ("receiver", "user", "events", "made", "failing", "off", "by_staff", "why")
    list_select_related = ("user",)
    finds = ("user__username",)
    fields = ("user", "url", "events", "made", "failing", "off", "by_staff", "why")
    ordering = ("-id",)
    change_form_template = "admin/with_acts.html"
    own_actions = WEBHOOK_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def subject_of(self, row: Webhook) -> str:
        """Its owner, because an address may contain a secret and more people read the audit."""
        return str(row.user)

    def shown_with(self, request: HttpRequest, obj: Webhook) -> dict[str, Any]:
        """Its messages, newest first, how they were answered, and the acts on it."""
        newest = obj.deliveries.defer("body").order_by("-pk")[:MOST_SENT]
        own = [act for act in acts_on(self.subject_of(obj)) if act.data.get("receiver") == obj.receiver]
        return {
            **self.acts_on_page(request, obj),
            "left": known.KnownPanel("Newest messages", [_sent(each) for each in newest]),
            "panels": [known.acts("What was done", own)],
        }


@admin.register(Delivery)
class DeliveryAdmin(RawRecord):
    list_display = ("name", "webhook", "kind", "subject", "at", "state", "tries", "due", "status", "said")
    list_select_related = ("webhook",)
    finds = ("name",)
    search_help_text = "Id of a message, as its receiver has it: msg_…"
    fields = ("webhook", "name", "kind", "subject", "at", "body", "state", "tries", "tried", "due", "status", "said")
    ordering = ("-id",)
