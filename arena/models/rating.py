"""Ratings, one of each player in each variant, and how matches changed them. `arena/ratings/book.py` writes both.

A player with a rating cannot be deleted: the ratings of all opponents depend on theirs.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

import games
from arena.match.ladder import SETTLED
from arena.models.match import Match
from arena.models.player import Player


class Ladder(models.Model):
    """A rating, and what a match made of it: the fields of `arena.match.ladder.LadderStanding`."""

    points = models.FloatField(default=1500.0)
    deviation = models.FloatField(default=350.0)
    volatility = models.FloatField(default=0.06)
    matches = models.PositiveIntegerField(default=0)
    won = models.PositiveIntegerField(default=0)
    drawn = models.PositiveIntegerField(default=0)
    last = models.CharField(max_length=10, default="", blank=True)
    at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def lost(self) -> int:
        return self.matches - self.won - self.drawn


class Rating(Ladder):
    """A player's current standing in a variant: a copy of their last change."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="ratings", db_index=False)
    variant = models.CharField(max_length=40, choices=games.choices)
    # A column, because SQLite does not use an index for a condition with a number: it read 100 000 rows to count them.
    settled = models.GeneratedField(
        expression=Q(matches__gte=SETTLED),  # type: ignore[arg-type]  # the stubs do not know that it may be a Q
        output_field=models.BooleanField(),
        db_persist=True,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "variant"], name="rating_of_player"),
        ]
        indexes = [
            models.Index(fields=["variant", "-points", "player"], condition=Q(settled=True), name="rating_table"),
            models.Index(
                fields=["variant", "-points", "player"], condition=Q(settled=False), name="rating_not_settled"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.points:.0f}"


class RatingChange(Ladder):
    """What one match did to one player: `before` are the points before it, the rest is the standing after it.

    `order` is the number of the row of the `ended` event: matches ended in the order of the log.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rating_changes", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="rating_changes", db_index=False)
    variant = models.CharField(max_length=40, choices=games.choices)
    order = models.BigIntegerField()
    before = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "player"], name="rating_change_once"),
        ]
        indexes = [
            models.Index(fields=["player", "variant", "order"], name="rating_change_history"),
            models.Index(fields=["variant", "order"], name="rating_change_order"),
        ]

    def __str__(self) -> str:
        return f"{self.before:.0f} → {self.points:.0f}"
