"""Webhooks and their messages. An address may contain a secret, and messages may be about private matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse

from arena.admin import known
from arena.admin.acting import Acting, Action, Unasked
from arena.admin.audit import acts_on
from arena.admin.record import RawRecord
from arena.models import Delivery, Webhook
from arena.web.match import staff
from arena.work.webhooks import rows

MOST_SENT = 12
TOLD = {
    rows.MATCH_OVER: "a match of its owner, their bots or their events is over",
    rows.BOT_OFFLINE: "a bot of its owner has been offline for a minute",
    rows.BOT_QUARANTINED: "a bot of its owner is put into quarantine",
    rows.BEGUN: "an event of its owner begins, or one in which they or their bots take part",
    rows.FINAL: "the table of such an event is final",
}


def _standing(webhook: Webhook) -> Iterator[known.KnownLine]:
    """Whether it gets messages, and its owner."""
    failing = f"nothing has been accepted since {webhook.failing:{known.WHEN}}" if webhook.failing else ""
    if webhook.off is None:
        yield known.KnownLine("State", "on", facts=failing)
    else:
        who = "by staff" if webhook.by_staff else "by the server"
        facts = ", ".join(filter(None, (f"since {webhook.off:{known.WHEN}}", failing)))
        yield known.KnownLine("State", f"switched off {who}", quote=webhook.why, facts=facts)
    yield known.KnownLine("Receiver", webhook.receiver)
    yield known.KnownLine("Account", str(webhook.user), reverse("admin:auth_user_change", args=[webhook.user_id]))
    yield known.KnownLine("Made", f"{webhook.made:%Y-%m-%d %H:%M}")


def _told(webhook: Webhook) -> Iterator[known.KnownLine]:
    for kind in webhook.events.split():
        yield known.KnownLine("", kind, words=TOLD.get(kind, ""))


def _sent(delivery: Delivery) -> known.KnownLine:
    tries = "one attempt" if delivery.tries == 1 else f"{delivery.tries} attempts"
    answered = f"{delivery.status or ''} {delivery.said}".strip()
    return known.KnownLine(
        *(f"{delivery.at:{known.WHEN}}", delivery.name, known.page_of("delivery", delivery.pk)),
        *(f"{delivery.kind}: {delivery.state}", answered, tries),
    )


def _progress(delivery: Delivery) -> Iterator[known.KnownLine]:
    """How the last attempt went, and when the next one is."""
    since = f"since {delivery.settled:{known.WHEN}}" if delivery.settled else ""
    yield known.KnownLine("State", delivery.get_state_display().lower(), facts=since)
    tried = f"the first at {delivery.tried:{known.WHEN}}" if delivery.tried else ""
    yield known.KnownLine("Attempts", str(delivery.tries or "none"), facts=tried)
    if delivery.status or delivery.said:
        answered = f"status {delivery.status}" if delivery.status else ""
        yield known.KnownLine("Result", answered, quote=delivery.said)
    if delivery.state == rows.State.WAITING:
        yield known.KnownLine("Next", f"{delivery.due:{known.WHEN}}")
    webhook = known.page_of("webhook", delivery.webhook_id)
    yield known.KnownLine("Webhook", delivery.webhook.receiver, webhook, facts=f"of {delivery.webhook.user}")


def _subject(delivery: Delivery) -> Iterator[known.KnownLine]:
    """What happened, to what, and when."""
    yield known.KnownLine("Event", delivery.kind, facts=TOLD.get(delivery.kind, "requested by its owner"))
    about = delivery.kind.partition(".")[0]
    if delivery.subject:
        yield known.KnownLine(about.title(), delivery.subject, known.page_of(about, delivery.subject))
    yield known.KnownLine("Happened", f"{delivery.at:%Y-%m-%d %H:%M:%S}")


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
        fields = {"reason": said["reason"], "receiver": webhook.receiver}
        staff.record(request.user, "webhook switched on", webhook.user, **fields)
    return "it is switched on."


@admin.register(Webhook)
class WebhookAdmin(RawRecord, Acting):
    list_display = ("receiver", "user", "events", "made", "failing", "off", "by_staff", "why")
    list_select_related = ("user",)
    finds = ("user__username",)
    fields = ("user", "url", "events", "made", "failing", "off", "by_staff", "why")
    ordering = ("-id",)
    told_in_words = True
    own_actions = (
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
            lambda webhook: (
                f"{webhook.receiver} gets messages again from now on; those given up meanwhile are not sent."
            ),
            *(_on, Unasked),
            why_not=lambda user, webhook: "It is not switched off." if webhook.off is None else "",
        ),
    )

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def subject_of(self, row: Webhook) -> str:
        """Its owner, because an address may contain a secret and more people read the audit."""
        return str(row.user)

    def shown_with(self, request: HttpRequest, obj: Webhook) -> dict[str, Any]:
        """Its messages, newest first, how they were answered, and the actions on it."""
        newest = obj.deliveries.defer("body").order_by("-pk")[:MOST_SENT]
        own = [act for act in acts_on(self.subject_of(obj)) if act.data.get("receiver") == obj.receiver]
        return {
            **self.acts_on_page(request, obj),
            "left": known.KnownPanel("Newest messages", [_sent(each) for each in newest]),
            "panels": [
                known.KnownPanel("Status", list(_standing(obj))),
                known.KnownPanel("Events it receives", list(_told(obj))),
                known.acts(own),
            ],
        }


@admin.register(Delivery)
class DeliveryAdmin(RawRecord):
    list_display = ("name", "webhook", "kind", "subject", "at", "state", "tries", "due", "status", "said")
    list_select_related = ("webhook",)
    finds = ("name",)
    search_help_text = "Id of a message, as its receiver sees it: msg_…"
    fields = ("webhook", "name", "kind", "subject", "at", "body", "state", "tries", "tried", "due", "status", "said")
    ordering = ("-id",)
    told_in_words = True
    change_form_template = "admin/with_acts.html"

    def shown_with(self, request: HttpRequest, obj: Delivery) -> dict[str, Any]:
        """Its progress, subject and contents."""
        body = known.KnownLine(quote=obj.body) if obj.body else known.KnownLine("", "written at the first attempt")
        return {
            "left": known.KnownPanel("Status", list(_progress(obj))),
            "panels": [
                known.KnownPanel("Subject", list(_subject(obj))),
                known.KnownPanel("Contents", [body]),
            ],
        }
