"""Tables that belong to an account rather than to its player."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from arena.models.fields import LowerCaseField


class KeptName(models.Model):
    """The name of a closed account: logs name its player, so nobody else may take it, and no row says who it was."""

    slug = LowerCaseField(primary_key=True, max_length=64)

    def __str__(self) -> str:
        return str(self.slug)


class OneTimeCode(models.Model):
    """A code with which the owner of an account sets a new password, once. Only its SHA-256 is kept.

    Staff create it in the admin and pass it on: no e-mail address is asked for, so none can be used.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="one_time_code"
    )
    code_sha256 = models.CharField(max_length=64, editable=False)
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return f"code for {self.user}"


class AccessToken(models.Model):
    """A program uses it to act for an account through the API, within `scopes` and until `ends`.

    Only its SHA-256 is kept. `used` is when it was last used, to the minute.
    """

    class Scope(models.TextChoices):
        PLAY = "play", "open rooms and challenge bots"
        EVENTS = "events", "enter and withdraw own entries"
        ORGANISE = "organise", "run own events"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.CharField(max_length=40, help_text="Words with blanks between them.")
    made = models.DateTimeField(default=timezone.now)
    used = models.DateTimeField(null=True, blank=True)
    ends = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
