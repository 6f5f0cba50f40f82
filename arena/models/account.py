"""What belongs to an account and not to the player who sits."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class OneTimeCode(models.Model):
    """A code with which the owner of an account sets a new password, once. Only its SHA-256 is kept.

    Staff makes it in the admin and tells it: no e-mail is asked for, so none can be sent.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="one_time_code"
    )
    code_sha256 = models.CharField(max_length=64, editable=False)
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return f"code for {self.user}"
