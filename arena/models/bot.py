"""Bots, and the traffic of their connections."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models

import games
from arena import protocols
from arena.models.match import Seat
from arena.models.player import Player


class Bot(models.Model):
    """A player that is a program: one version of a family, speaking one protocol, playing one variant.

    `command` is the argument list of a bot that the arena starts itself, None for one that connects; `program` is the
    SHA-256 of its files if they may travel. Only the SHA-256 of its token is kept. `port` is its own: whatever connects
    there is this bot.
    """

    class Wire(models.TextChoices):
        """Who may read the traffic of its connections."""

        OWNER = "owner", "its owner"
        AFTER = "after", "everyone, after the match"
        PUBLIC = "public", "everyone"

    class OpenTo(models.TextChoices):
        """Who may enter it into an event; its owner always may."""

        NOBODY = "nobody", "nobody"
        STAFF = "staff", "staff"
        EVERYONE = "everyone", "everyone"

    player = models.OneToOneField(Player, primary_key=True, on_delete=models.CASCADE, related_name="bot")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="bots"
    )
    variant = models.CharField(max_length=40, choices=games.choices)
    protocol = models.CharField(max_length=20, choices=protocols.choices)
    family = models.CharField(max_length=64)
    version = models.CharField(max_length=32, default="1")
    token_sha256 = models.CharField(max_length=64, unique=True, null=True, blank=True, editable=False)
    port = models.PositiveIntegerField(unique=True, null=True, blank=True)
    command = models.JSONField(null=True, blank=True, help_text='The program and its arguments: ["python3", "bot.py"].')
    program = models.CharField(max_length=64, blank=True, default="", editable=False)
    wire = models.CharField(max_length=6, choices=Wire, default=Wire.OWNER)
    open_to = models.CharField("open to events of", max_length=8, choices=OpenTo, default=OpenTo.STAFF)
    enabled = models.BooleanField(default=True)
    why_disabled = models.CharField(max_length=200, blank=True)
    # Since when it has been disabled for failing again and again. Failures before `cleared` are forgiven.
    quarantined = models.DateTimeField(null=True, blank=True, editable=False)
    cleared = models.DateTimeField(null=True, blank=True, editable=False)
    # Its last passed check: what was checked, when, and by which rules (arena.bots.conformance.passes).
    passed = models.JSONField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["family", "version"], name="bot_family_version"),
        ]
        indexes = [
            models.Index(
                fields=["quarantined"], condition=models.Q(quarantined__isnull=False), name="bot_in_quarantine"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.family} {self.version}"

    def clean(self) -> None:
        words = self.command
        if words is not None and not (
            words and isinstance(words, list) and all(isinstance(word, str) for word in words)
        ):
            raise ValidationError({"command": f'{words!r}: expected a list of words such as ["python3", "bot.py"].'})
        if wrong := [word for word in words or () if not _is_storable(word)]:
            raise ValidationError({"command": f"{wrong[0]!r} holds a NUL or half a letter, which no program is given."})
        if self.protocol and self.variant and not protocols.plays(self.protocol, self.variant):
            raise ValidationError({"variant": f"{self.protocol} does not play {self.variant}."})


def _is_storable(word: str) -> bool:
    return "\0" not in word and not any("\ud800" <= letter <= "\udfff" for letter in word)


class WireChunk(models.Model):
    """A piece of the traffic of a bot's connection in one match, at most 1 MiB a seat; for a match that is over, all of
    it.

    `packed` holds messages (arena.match.wire_pack), at most `MOST_BYTES` while the match runs, and `n` is the
    number of the last one. Rows of earlier releases have JSON lines in `jsonl` instead, and are counted.
    """

    MOST_BYTES = 64 * 1024

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="wire", db_index=False)
    n = models.PositiveIntegerField()
    jsonl = models.TextField()
    packed = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "n"], name="wire_chunk_n"),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id} #{self.n}"
