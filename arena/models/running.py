"""Which process is the host of this database."""

from __future__ import annotations

from django.db import models


class Host(models.Model):
    """The one row of the process that referees: who it is, its number in the line of hosts, until when it holds."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    holder = models.CharField(max_length=64)
    epoch = models.PositiveIntegerField(default=1)
    expires = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="host_is_one"),
        ]

    def __str__(self) -> str:
        return f"{self.holder} (epoch {self.epoch})"
