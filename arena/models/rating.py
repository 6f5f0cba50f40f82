"""Ratings, one of each player in each variant, and how matches changed them."""

from __future__ import annotations

from django.db import models

import games
from arena.models.match import Match
from arena.models.player import Player


class Rating(models.Model):
    """Glicko-2's three numbers, beginning where its author lets them begin, and how many rated matches made them."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings", db_index=False)
    variant = models.CharField(max_length=40, choices=games.choices)
    points = models.FloatField(default=1500.0)
    deviation = models.FloatField(default=350.0)
    volatility = models.FloatField(default=0.06)
    matches = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "variant"], name="rating_of_player"),
        ]
        indexes = [
            models.Index(fields=["variant", "-points"], name="rating_table"),
        ]

    def __str__(self) -> str:
        return f"{self.points:.0f}"


class RatingChange(models.Model):
    """What one match did to one player's points. The numbers of the rows are the order in which they were applied."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rating_changes", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="rating_changes")
    before = models.FloatField()
    after = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "player"], name="rating_change_once"),
        ]

    def __str__(self) -> str:
        return f"{self.before:.0f} → {self.after:.0f}"
