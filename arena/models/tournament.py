"""Tournaments: who takes part, what is paired, and how far it is; only `arena/tournaments/` writes here. Results are in
the matches, of which at most one counts for a pairing, by a constraint (match.py).
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

import games
from arena import protocols
from arena.models.fields import LowerCaseField
from arena.models.player import Player


class NotDeleted(models.Manager["Tournament"]):
    """All but those deleted after they had begun: their matches stay in the log, and no page shows them."""

    def get_queryset(self) -> models.QuerySet[Tournament]:
        return super().get_queryset().filter(deleted=None)

    def listed(self) -> models.QuerySet[Tournament]:
        """Those in lists: a sample is visible only to people who have its address."""
        return self.get_queryset().filter(settings__sample__isnull=True)


class Tournament(models.Model):
    """An event. `settings` are the fields of `arena.tournaments.spec.TournamentSpec` that have no column of their own.

    `version` grows with every action on it, so that its director notices. `why` says why it is paused or ended early.
    `published` is when its organiser called the table final.
    """

    class Format(models.TextChoices):
        ROUND_ROBIN = "round-robin"
        GAUNTLET = "gauntlet"
        SWISS = "swiss", "Swiss"
        KNOCKOUT = "knockout"

    class State(models.TextChoices):
        DRAFT = "draft"
        WAITING = "waiting"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"

    slug = LowerCaseField(max_length=64, unique=True)
    name = models.CharField(max_length=64)
    variant = models.CharField(max_length=40, choices=games.choices)
    format = models.CharField(max_length=12, choices=Format)
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="tournaments"
    )
    settings = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    version = models.PositiveIntegerField(default=1)
    why = models.CharField(max_length=200, blank=True)
    created = models.DateTimeField(default=timezone.now)
    starts = models.DateTimeField(null=True, blank=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    published = models.DateTimeField(null=True, blank=True)
    deleted = models.DateTimeField(null=True, blank=True, editable=False)

    objects = NotDeleted()
    every = models.Manager["Tournament"]()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(slug=""), name="tournament_has_a_slug"),
        ]
        indexes = [
            models.Index(fields=["state", "-created"], name="tournament_state"),
            # Where nearly all are over SQLite reads the whole table rather than the index of states.
            models.Index(fields=["created"], condition=Q(finished=None), name="tournament_not_over"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return f"/t/{self.slug}/"


class Entry(models.Model):
    """A participant. `seed` 1 is the best; a `command` is run by us in the folder `cwd`.

    `agrees`: a person plays here although bots do, and knows it. `called_by` is the account that entered it, "" for a
    command on the server. `late` is the round it came after, 0 for the start. `calls` are those it has missed since it
    last played, `absent` is when it was given up for that.
    """

    class Kind(models.TextChoices):
        PERSON = "person"
        BOT = "bot"
        BUILTIN = "builtin", "built-in player"
        COMMAND = "command"

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries", db_index=False)
    seed = models.PositiveIntegerField()
    name = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=Kind)
    player = models.ForeignKey(Player, null=True, blank=True, on_delete=models.PROTECT, related_name="entries")
    level = models.CharField(max_length=16, blank=True)
    protocol = models.CharField(max_length=20, blank=True, choices=protocols.choices)
    command = models.JSONField(null=True, blank=True)
    cwd = models.CharField(max_length=500, blank=True)
    agrees = models.BooleanField(default=False)
    called_by = models.CharField(max_length=64, blank=True, default="")
    late = models.PositiveIntegerField(default=0)
    withdrawn = models.DateTimeField(null=True, blank=True)
    calls = models.PositiveIntegerField(default=0)
    absent = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "seed"], name="entry_seed"),
            models.UniqueConstraint(fields=["tournament", "name"], name="entry_name"),
            models.UniqueConstraint(fields=["tournament", "player"], name="entry_player"),
            models.CheckConstraint(
                condition=Q(kind__in=("person", "bot"), player__isnull=False) | Q(kind__in=("builtin", "command")),
                name="entry_has_a_player",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Pairing(models.Model):
    """One match to be played: `a` moves first. `number` is the encounter's place in the round, `leg` its match.

    Its match says how it went; `state` says what is to be done with the pairing. `faults` are endings that do not count
    although the server stayed up, `calls` how often a missing player was called, `forfeited_by` who did not come;
    `by_absence`: it is open again when they are back. `attempt` counts re-runs, each of which is a pairing of its own
    beside the old one.
    """

    class State(models.TextChoices):
        OPEN = "open"  # to be played, being played or played: its match says which
        BYE = "bye"
        FORFEITED = "forfeited"
        HANDED = "handed", "handed to the organiser"
        DRAWN = "drawn", "given as a draw"
        DROPPED = "dropped"  # nobody will play it, unless it is run again
        REPLACED = "replaced"  # by a re-run

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="pairings", db_index=False)
    round = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    leg = models.PositiveIntegerField(default=1)
    attempt = models.PositiveIntegerField(default=1)
    a = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="first_in")
    b = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="second_in")
    opening = models.TextField(blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    faults = models.PositiveIntegerField(default=0)
    calls = models.PositiveIntegerField(default=0)
    forfeited_by = models.CharField(
        max_length=4, blank=True, choices=[("a", "first"), ("b", "second"), ("both", "both")]
    )
    by_absence = models.BooleanField(default=False)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "round", "number", "leg", "attempt"], name="pairing_of_round"
            ),
            models.CheckConstraint(condition=Q(state="bye", b=None) | ~Q(state="bye"), name="pairing_bye_is_alone"),
            models.CheckConstraint(
                condition=Q(state="forfeited") & ~Q(forfeited_by="") | ~Q(state="forfeited") & Q(forfeited_by=""),
                name="pairing_forfeited_by_somebody",
            ),
            models.CheckConstraint(condition=~Q(a=F("b")), name="pairing_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.a} – {self.b or 'bye'}"
