"""Chat lines beside matches, reports of them, and who has muted whom."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from arena.models.match import Match
from arena.models.player import Player


class ChatLine(models.Model):
    """One line. `among_players`: it was said between the two players, and nobody else ever reads it.

    `name` is a copy, as in a seat. A line that staff have `removed` stays here for them and is on no page.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="chat", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="chat_lines")
    name = models.CharField(max_length=64)
    among_players = models.BooleanField()
    text = models.CharField(max_length=200)
    at = models.DateTimeField(default=timezone.now)
    removed = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(text=""), name="chat_line_says_something"),
        ]
        indexes = [
            models.Index(fields=["match", "-id"], name="chat_of_match"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


class ChatReport(models.Model):
    """Somebody wants staff to look at a line. `decided` is when staff did."""

    line = models.ForeignKey(ChatLine, on_delete=models.CASCADE, related_name="reports", db_index=False)
    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="chat_reports")
    at = models.DateTimeField(default=timezone.now)
    decided = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["line", "by"], name="chat_report_once"),
        ]
        indexes = [
            models.Index(fields=["at"], condition=models.Q(decided=None), name="chat_report_open"),
        ]

    def __str__(self) -> str:
        return str(self.line)


class Mute(models.Model):
    """`by` reads no line of `whom`."""

    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    whom = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["by", "whom"], name="mute_once"),
            models.CheckConstraint(condition=~models.Q(by=models.F("whom")), name="mute_of_somebody_else"),
        ]

    def __str__(self) -> str:
        return f"{self.by} mutes {self.whom}"
