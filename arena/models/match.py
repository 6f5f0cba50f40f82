"""Matches and their logs, which only the ledger appends to: `unique(match, seq)` is the one lock. An hour after its end
a log is packed; `arena.models.whole_logs` reads either form.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

import games
from arena import protocols
from arena.match.endings import UNCOUNTED, Termination, result
from arena.models.fields import RowNumberField
from arena.models.player import Player
from arena.models.room import Room
from arena.models.tournament import Pairing

# In a CHECK, `seat IN (0, 1)` lets NULL pass: if a value is needed, the constraints ask for it as well.
SEATS = (0, 1)


def public(match: str = "") -> models.Q:
    """Those without a room, or in one that is not private. `match` leads to the match, such as `match__`."""
    return models.Q(**{f"{match}room": None}) | models.Q(**{f"{match}room__private": False})


class Match(models.Model):
    """One match of a variant. From `started` on it repeats what its events say, for lists; moves never touch it.

    `rules` is the version of the rules by which it was played.
    """

    class Kind(models.TextChoices):
        SCREEN = "screen", "two at one screen"
        SAMPLE = "sample", "of a sample event"

    id = models.CharField(max_length=10, primary_key=True)
    room = models.ForeignKey(Room, null=True, blank=True, on_delete=models.PROTECT, related_name="matches")
    pairing = models.ForeignKey(
        Pairing, null=True, blank=True, on_delete=models.PROTECT, related_name="matches", db_index=False
    )
    series = models.PositiveIntegerField(default=1)
    round = models.PositiveIntegerField(default=1)
    variant = models.CharField(max_length=40, choices=games.choices)
    rules = models.PositiveSmallIntegerField(default=1)
    settings = models.JSONField(default=dict, blank=True)
    clock = models.CharField(max_length=40, default="none")
    rated = models.BooleanField(default=False)
    # NULL for an ordinary match: only those are in lists of other people's matches. Without a default, as in
    # `Event.epoch`.
    kind = models.CharField(max_length=10, choices=Kind, null=True, blank=True)
    opened = models.DateTimeField()
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    termination = models.CharField(max_length=20, null=True, blank=True)
    reason = models.TextField(default="", blank=True)
    plies = models.PositiveIntegerField(default=0)
    # `arena.match.record.head`, from the transaction that stored the ending or the last ruling. NULL if that was before
    # there were records; without a default, as in `Event.epoch`.
    head = models.CharField(max_length=64, null=True, blank=True, editable=False)

    class Meta:
        verbose_name_plural = "matches"
        permissions = [("see_private", "Can see private matches and wires")]
        constraints = [
            # A round that ended by a fault of ours is void and is played again under the same number.
            models.UniqueConstraint(
                fields=["room", "series", "round"],
                condition=Q(termination=None) | ~Q(termination=Termination.SERVER_ABORT),
                name="match_round",
            ),
            # A pairing is played once: there is another match only if one had no result. No such match is abandoned.
            models.UniqueConstraint(
                fields=["pairing"],
                condition=Q(termination=None) | ~Q(termination__in=sorted(UNCOUNTED - {Termination.ABANDONED})),
                name="match_of_pairing",
            ),
            models.CheckConstraint(
                condition=Q(ended=None, termination=None) | Q(ended__isnull=False, termination__isnull=False),
                name="match_ended_has_termination",
            ),
            models.CheckConstraint(
                condition=Q(winner=None) | Q(winner__in=SEATS, ended__isnull=False), name="match_winner_is_a_seat"
            ),
        ]
        indexes = [
            models.Index(fields=["opened"], condition=Q(ended=None), name="match_running"),
            models.Index(fields=["opened"], name="match_opened"),
            models.Index(fields=["variant", "-id"], condition=Q(ended__isnull=False), name="match_of_variant"),
            models.Index(fields=["pairing"], condition=Q(pairing__isnull=False), name="match_pairing"),
        ]

    def __str__(self) -> str:
        return f"{self.id}, {self.get_variant_display()}"

    def get_absolute_url(self) -> str:
        return f"/m/{self.id}/"

    @property
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` while running and if nothing counts; rulings are ignored."""
        return result(self.winner, self.termination)

    @property
    def names(self) -> list[str]:
        """The names at its seats, in their order."""
        return [seat.name for seat in sorted(self.seats.all(), key=lambda seat: seat.seat)]


class Seat(models.Model):
    """Who had a seat of a match. `name` is a copy: the log outlives accounts that are renamed or gone."""

    class Kind(models.TextChoices):
        HUMAN = "human"
        BOT = "bot"
        BUILTIN = "builtin", "built-in"

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    # The index `seat_of_player` finds them, newest first.
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.SET_NULL, related_name="seats", db_index=False
    )
    name = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=Kind)
    protocol = models.CharField(max_length=20, blank=True, choices=protocols.choices)
    level = models.CharField(max_length=16, blank=True)
    verified = models.BooleanField(default=False)
    # The SHA-256 of what proves the seat: a session key or a token.
    holder = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="seat_of_match"),
            models.CheckConstraint(condition=Q(seat__in=SEATS), name="seat_0_or_1"),
        ]
        indexes = [
            models.Index(fields=["player", "-id"], name="seat_of_player"),
        ]

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    """One line of a match's log, its columns in the order of `arena.match.state.LogEvent`. Append only.

    Times are in milliseconds and may be longer than the 24 days of a 32-bit number: a match without a clock has no end.
    `epoch` is the number of the host that wrote the line: the ledger adds it as it writes, and nothing else knows it.
    """

    class Kind(models.TextChoices):
        OPENED = "opened"
        STARTED = "started"
        MOVE = "move"
        PAUSED = "paused"
        RESUMED = "resumed"
        REFUNDED = "refunded"
        ENDED = "ended"
        RULED = "ruled"
        NOTE = "note"
        OFFERED = "offered"
        DECLINED = "declined"
        WITHDREW = "withdrew"
        TAKEBACK = "takeback"
        HINT = "hint"

    id = RowNumberField(primary_key=True)
    # The index of unique(match, seq) finds a match's events; another index would cost every move a write.
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=Kind)
    ply = models.PositiveIntegerField(null=True, blank=True)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    move = models.CharField(max_length=16, default="", blank=True)
    elapsed_ms = models.PositiveBigIntegerField(null=True, blank=True)
    left0_ms = models.PositiveBigIntegerField(null=True, blank=True)
    left1_ms = models.PositiveBigIntegerField(null=True, blank=True)
    actor = models.CharField(max_length=64, default="", blank=True)
    data = models.JSONField(default=dict, blank=True)
    # Without a default: otherwise SQLite would rewrite the whole log when the column is added.
    epoch = models.PositiveIntegerField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "log event"  # for pages an event is a tournament
        constraints = [
            models.UniqueConstraint(fields=["match", "seq"], name="event_seq"),
            models.CheckConstraint(condition=Q(seq__gte=1), name="event_seq_from_1"),
            models.CheckConstraint(
                condition=Q(kind="move", ply__isnull=False, ply__gte=1, seat__isnull=False, seat__in=SEATS)
                & ~Q(move="")
                | ~Q(kind="move") & Q(move=""),
                name="event_move_is_a_move",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} #{self.seq} {self.kind}"


class PackedLog(models.Model):
    """The events before `ended` of a match that is over, packed by `arena.match.packed_log`: no rows any more."""

    # The row of `ended`. Its number as the only key: one for each match costs no index.
    ended = models.OneToOneField(Event, primary_key=True, on_delete=models.PROTECT, related_name="packed")
    events = models.BinaryField()

    def __str__(self) -> str:
        return f"packed log {self.pk}"


class MoveManager(models.Manager["Move"]):
    def get_queryset(self) -> models.QuerySet[Move]:
        return super().get_queryset().filter(kind=Event.Kind.MOVE)


class Move(Event):
    """The events that are moves, where they are rows: in matches that run, or ended within the last hour."""

    objects: ClassVar[MoveManager] = MoveManager()

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return f"{self.ply}. {self.move}"


class Ruling(models.Model):
    """What staff decided about a match after its end. The last ruling counts; the ending itself is never rewritten."""

    class Verdict(models.TextChoices):
        WIN = "win"
        DRAW = "draw"
        VOID = "void"

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rulings", db_index=False)
    n = models.PositiveIntegerField()
    verdict = models.CharField(max_length=4, choices=Verdict)
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.TextField()
    actor = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "n"], name="ruling_n"),
            models.CheckConstraint(
                condition=Q(verdict="win", winner__isnull=False, winner__in=SEATS) | ~Q(verdict="win") & Q(winner=None),
                name="ruling_win_has_winner",
            ),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(actor=""), name="ruling_says_why_and_who"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.verdict}"
