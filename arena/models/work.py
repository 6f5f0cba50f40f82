"""What is to be computed away from play, and what came of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from arena.models.match import Match


class Work(models.Model):
    """A piece of work: the row is the queue. `arena.work.rows` says what its states mean, and changes them.

    `key` names its purpose, so that nothing is done twice. `token` is the number of the run that has it, `until` the
    end of that run's lease. `faults` counts the runs that were lost, `why` says how the last one was.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        OUT = "out"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=80, unique=True)
    spec = models.JSONField(default=dict)
    priority = models.SmallIntegerField(default=0)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    token = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=64, default="", blank=True)
    faults = models.PositiveSmallIntegerField(default=0)
    why = models.TextField(default="", blank=True)
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "work"
        constraints = [
            models.CheckConstraint(condition=~Q(state="out") | Q(until__isnull=False), name="work_out_has_a_lease"),
        ]
        indexes = [
            models.Index(fields=["-priority", "id"], condition=Q(state="waiting"), name="work_waiting"),
            models.Index(fields=["until"], condition=Q(state="out"), name="work_out"),
        ]

    def __str__(self) -> str:
        return f"{self.key} ({self.state})"


class Analysis(models.Model):
    """The proved values of a finished match: `arena.analysis.matches` says what `values` holds, as compressed JSON.

    Never a part of its log: it can be made again. `kernel` is the version of what proved them.
    """

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="analysis")
    kernel = models.CharField(max_length=16)
    values = models.BinaryField()
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"{self.match_id} by {self.kernel}"
