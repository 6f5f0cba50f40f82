"""What staff and owners did that is not in any match's log."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Audit(models.Model):
    """One act: `actor` did `act` to `subject`, as words that stay when the rows they name are gone."""

    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=64)
    act = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name_plural = "audit"
        indexes = [
            models.Index(fields=["at"], name="audit_at"),
        ]

    def says(self) -> str:
        """What was said with it, above all why: `pairing: p1 - p2 (1.2.1); to: a; reason: it never came`."""
        return "; ".join(f"{name}: {value}" for name, value in self.data.items())

    def __str__(self) -> str:
        return f"{self.actor}: {self.act} {self.subject}"
