"""Webhooks and what was sent to them. An address may hold a secret of its own, and messages tell of private matches."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.record import RawRecord
from arena.models import Delivery, Webhook


@admin.register(Webhook)
class WebhookAdmin(RawRecord):
    list_display = ("receiver", "user", "events", "made", "failing", "off", "why")
    list_select_related = ("user",)
    finds = ("user__username",)
    fields = ("user", "url", "events", "made", "failing", "off", "why")
    ordering = ("-id",)


@admin.register(Delivery)
class DeliveryAdmin(RawRecord):
    list_display = ("name", "webhook", "kind", "subject", "at", "state", "tries", "due", "status", "said")
    list_select_related = ("webhook",)
    finds = ("name",)
    search_help_text = "Id of a message, as its receiver has it: msg_…"
    fields = ("webhook", "name", "kind", "subject", "at", "body", "state", "tries", "tried", "due", "status", "said")
    ordering = ("-id",)
