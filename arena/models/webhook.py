"""Programs that people want told what happens to them, and each message that was sent or is to be sent."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


def new_name() -> str:
    """`msg_` and 24 digits: a receiver recognises by it a message that came twice."""
    return f"msg_{secrets.token_hex(12)}"


def new_nonce() -> str:
    return secrets.token_hex(16)


class Webhook(models.Model):
    """An https address that is told of `events`, words separated by blanks.

    Its secret is derived from `nonce` and the server's key, and kept nowhere (`arena.work.webhooks.signing`); `sha256`
    is that of the secret as it was shown, so that a server with another key notices. `receiver` is the host and the
    port of the address: one message at a time is sent there. `failing` is since when nothing was accepted, `off` when
    it was switched off and `why` the reason; what was switched off `by_staff` its owner can neither switch on nor
    delete.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField("address", max_length=500)
    receiver = models.CharField(max_length=270)
    events = models.CharField(max_length=120)
    nonce = models.CharField(max_length=32, default=new_nonce, editable=False)
    sha256 = models.CharField(max_length=64, editable=False)
    made = models.DateTimeField(default=timezone.now)
    failing = models.DateTimeField(null=True, blank=True)
    off = models.DateTimeField(null=True, blank=True)
    why = models.CharField(max_length=200, blank=True, default="")
    by_staff = models.BooleanField("off by staff", default=False)

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One message for one webhook: the row is the queue. `arena.work.webhooks.rows` explains its states.

    `kind` and `subject` say what happened at the time `at` and to whom: the number of a match, a bot or a tournament.
    `body` is made for the first attempt, so that each attempt sends the same. `due` is when the next attempt may begin,
    `status` and `said` are how the last one went.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    name = models.CharField(max_length=28, unique=True, default=new_name)
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=20, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)
    body = models.TextField(blank=True, default="", editable=False)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    tries = models.PositiveIntegerField(default=0)
    tried = models.DateTimeField("first tried", null=True, blank=True)
    due = models.DateTimeField(default=timezone.now)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    said = models.CharField(max_length=200, blank=True, default="")
    settled = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting", settled=None) | ~Q(state="waiting") & Q(settled__isnull=False),
                name="delivery_is_settled_once",
            ),
        ]
        indexes = [
            models.Index(fields=["due"], condition=Q(state="waiting"), name="delivery_due"),
            models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
            models.Index(fields=["settled"], condition=Q(settled__isnull=False), name="delivery_settled"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.kind})"
