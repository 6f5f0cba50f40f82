"""Puzzles and mistakes, both from the analysis of matches; who has tried which puzzle, and how good they are.

`arena/work/analyses.py` adds puzzles and mistakes, `arena/ratings/puzzles.py` writes what follows from answers.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone

import games
from arena.models.match import Match
from arena.models.player import Player
from arena.models.rating import Ladder


class Puzzle(Ladder):
    """A position of a public match in which exactly one move keeps the win: `arena.analysis.puzzles` finds them.

    `key` is the same for mirror images, of which only one is kept. `values` are those of the legal moves, as
    `arena.analysis.matches` writes them. On its ladder a puzzle wins against players who do not solve it.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="puzzles")
    ply = models.PositiveSmallIntegerField()
    variant = models.CharField(max_length=40, choices=games.choices)
    key = models.CharField(max_length=32, unique=True)
    position = models.CharField(max_length=200)
    values = models.JSONField()
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["variant", "points", "id"], name="puzzle_by_points"),
        ]

    def __str__(self) -> str:
        return f"{self.pk} ({self.variant})"

    def get_absolute_url(self) -> str:
        return f"/puzzles/{self.pk}/"


class PuzzleStanding(Ladder):
    """How good a player is at puzzles, and on how many days in a row they have solved the puzzle of the day.

    `solved_day` is the last of these days (UTC), `best` the longest streak so far.
    """

    player = models.OneToOneField(Player, primary_key=True, on_delete=models.CASCADE, related_name="puzzle_standing")
    streak = models.PositiveIntegerField(default=0)
    best = models.PositiveIntegerField(default=0)
    solved_day = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.points:.0f}"


class PuzzleTry(models.Model):
    """A player has tried a puzzle: the first answer counts. `solved` is None while there is none, after a hint.

    `before` and `after` are the player's points. `day` is the day on which it was the daily puzzle and was answered.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="puzzle_tries", db_index=False)
    puzzle = models.ForeignKey(Puzzle, on_delete=models.CASCADE, related_name="tries")
    hinted = models.BooleanField(default=False)
    solved = models.BooleanField(null=True, blank=True)
    before = models.FloatField(null=True, blank=True)
    after = models.FloatField(null=True, blank=True)
    day = models.DateField(null=True, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "puzzle tries"
        constraints = [
            models.UniqueConstraint(fields=["player", "puzzle"], name="puzzle_tried_once"),
        ]

    def __str__(self) -> str:
        return f"{self.player} at {self.puzzle_id}"


class Mistake(models.Model):
    """Move `ply` of a match, by this player, changed the result for the worse. A person is asked again when it is `due`
    (None: nothing is left to learn); `step` counts right answers in a row.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="mistakes", db_index=False)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="mistakes")
    ply = models.PositiveIntegerField()
    step = models.PositiveSmallIntegerField(default=0)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "match", "ply"], name="mistake_once"),
        ]
        indexes = [
            models.Index(fields=["player", "due"], name="mistake_due"),
            models.Index(fields=["player", "-id"], name="mistake_of_player"),
        ]

    def __str__(self) -> str:
        return f"move {self.ply} of {self.match_id}"

    def get_absolute_url(self) -> str:
        return f"/mistakes/{self.pk}/"
