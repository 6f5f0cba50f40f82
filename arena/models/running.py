"""Which process has which task of this database."""

from __future__ import annotations

from django.db import models


class Lease(models.Model):
    """A task that one process has at a time: the holder, its number in the line of holders, and until when it holds.

    Every taking raises the number, and what a holder writes shows it: `arena.cluster.lease`. `expires` is null if a
    lock of the kernel says who holds it.
    """

    name = models.CharField(max_length=32, primary_key=True)
    holder = models.CharField(max_length=64)
    epoch = models.PositiveIntegerField(default=1)
    expires = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.holder} (number {self.epoch})"


class Handed(models.Model):
    """The log of a match played by somebody without the lease, left for the host to take in: `arena.core.played`.

    `answer` is null until the host has examined it, then why it was not accepted, "" if it was.
    """

    match = models.CharField(max_length=10, primary_key=True)
    log = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(null=True, blank=True)

    class Meta:
        verbose_name, verbose_name_plural = "match handed in", "matches handed in"

    def __str__(self) -> str:
        return self.match


class Drain(models.Model):
    """The order to begin nothing new from `at` on and to stop when matches are over; at most one row."""

    number = models.PositiveSmallIntegerField(primary_key=True, default=1)
    at = models.DateTimeField()
    actor = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} UTC"


class Minute(models.Model):
    """What the host did in one minute, for graphs: its state at the end, and what happened in it.

    Commits in microseconds, the time that bots think in milliseconds, null if there were none. `lines` are its last
    errors: `{"at", "logger", "message", "match"}` each. `arena.figures` writes it.
    """

    at = models.DateTimeField(primary_key=True)
    matches = models.PositiveIntegerField()
    rooms = models.PositiveIntegerField()
    bots = models.PositiveIntegerField()
    viewers = models.PositiveIntegerField()
    moves = models.PositiveIntegerField()
    think_median_ms = models.PositiveIntegerField(null=True)
    think_p99_ms = models.PositiveIntegerField(null=True)
    commits = models.PositiveIntegerField()
    commit_median_us = models.PositiveIntegerField(null=True)
    commit_p99_us = models.PositiveIntegerField(null=True)
    errors = models.PositiveIntegerField()
    lines = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M}"
