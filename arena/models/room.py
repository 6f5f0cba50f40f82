"""Rooms: places with a code where two sides play a series, and the sides that wait there."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

import games
from arena import protocols
from arena.models.fields import UpperCaseField
from arena.models.player import Player


class Room(models.Model):
    """`code` is compared without case, `shown_code` is as it was typed. `pace_ms` is the least time between turns.

    A room that a bot opened by a channel which cannot be a code has `channel`, the bytes that channels are compared by,
    and `title`, the channel as it was typed first and as pages show it: two channels may have the same title.

    `opener` is the player who opened it and may change its places; `finished` is the number of its last series that is
    over. `event` is the one for which its players were called. `opening` are moves, with blanks between them, with
    which its matches begin. `offers`: its players may ask for a takeback and offer a draw. `adjudicate`: a proved
    result that has held for this many moves ends them; with 0 none does.
    """

    code = UpperCaseField(max_length=40, unique=True)
    shown_code = models.CharField(max_length=40)
    channel = models.BinaryField(null=True, blank=True, editable=False)
    title = models.CharField(max_length=512, blank=True, default="")
    private = models.BooleanField(default=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="rooms"
    )
    opener = models.ForeignKey(Player, null=True, blank=True, on_delete=models.SET_NULL, related_name="opened_rooms")
    event = models.ForeignKey(
        "Tournament", null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="rooms"
    )
    variant = models.CharField(max_length=40, choices=games.choices)
    settings = models.JSONField(default=dict, blank=True)
    clock = models.CharField(max_length=40, default="none")
    rounds = models.PositiveIntegerField(default=1)
    rated = models.BooleanField(default=False)
    offers = models.BooleanField(default=False)
    adjudicate = models.PositiveSmallIntegerField(default=0)
    opening = models.TextField(blank=True, default="")
    pace_ms = models.PositiveIntegerField(default=0)
    finished = models.PositiveIntegerField(default=0)
    last_used = models.DateTimeField(default=timezone.now)
    closed = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(code=""), name="room_has_a_code"),
            models.CheckConstraint(condition=models.Q(rounds__gte=1), name="room_rounds_from_1"),
            models.UniqueConstraint(
                fields=["channel"], condition=models.Q(channel__isnull=False), name="room_channel_once"
            ),
        ]
        indexes = [
            models.Index(fields=["last_used"], condition=models.Q(closed__isnull=True), name="room_open"),
        ]

    def __str__(self) -> str:
        return self.shown_code

    def recorded_as(self) -> str:
        """Its name where more people read than may open it: the code of a private room is its key."""
        return f"private room {self.pk}" if self.private else self.shown_code

    def get_absolute_url(self) -> str:
        return f"/r/{self.shown_code}/"


class Place(models.Model):
    """A side of a room that waits for its player: anyone, one player, a level, a bot on its own port. `expires` ends
    what was promised (port, token); a bot that has come keeps its place, without it.
    """

    class Kind(models.TextChoices):
        ME = "me"
        ANYONE = "anyone"
        BUILTIN = "builtin", "built-in player"
        BOT = "bot"
        SOCKET = "socket"
        COMMAND = "command"

    room = models.ForeignKey(Room, on_delete=models.CASCADE, related_name="places", db_index=False)
    side = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    player = models.ForeignKey(Player, null=True, blank=True, on_delete=models.CASCADE, related_name="places")
    level = models.CharField(max_length=16, blank=True)
    protocol = models.CharField(max_length=20, blank=True, choices=protocols.choices)
    port = models.PositiveIntegerField(null=True, blank=True, unique=True)
    token_sha256 = models.CharField(max_length=64, unique=True, null=True, blank=True, editable=False)
    expires = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["room", "side"], name="place_side"),
            models.CheckConstraint(condition=models.Q(side__in=(0, 1)), name="place_side_0_or_1"),
        ]

    def __str__(self) -> str:
        return f"{self.room_id} side {self.side}: {self.get_kind_display()}"
