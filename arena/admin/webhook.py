"""Webhooks and what was sent to them. An address may hold a secret of its own, and messages tell of private matches."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from arena.admin.acting import Acting
from arena.admin.record import RawRecord
from arena.admin.webhook_actions import WEBHOOK_ACTIONS
from arena.models import Delivery, Webhook


@admin.register(Webhook)
class WebhookAdmin(RawRecord, Acting):
    list_display = ("receiver", "user", "events", "made", "failing", "off", "by_staff", "why")
    list_select_related = ("user",)
    finds = ("user__username",)
    fields = ("user", "url", "events", "made", "failing", "off", "by_staff", "why")
    ordering = ("-id",)
    own_actions = WEBHOOK_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


@admin.register(Delivery)
class DeliveryAdmin(RawRecord):
    list_display = ("name", "webhook", "kind", "subject", "at", "state", "tries", "due", "status", "said")
    list_select_related = ("webhook",)
    finds = ("name",)
    search_help_text = "Id of a message, as its receiver has it: msg_…"
    fields = ("webhook", "name", "kind", "subject", "at", "body", "state", "tries", "tried", "due", "status", "said")
    ordering = ("-id",)
