"""Who can sit down: a person, a guest, a bot or a built-in player."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from arena.common import names
from arena.models.fields import LowerCaseField


class Player(models.Model):
    """`slug` is the name in addresses. It has one spelling, so nobody can pose as `Mira` under the name `mira`."""

    class Kind(models.TextChoices):
        PERSON = "person"
        GUEST = "guest"
        BOT = "bot"
        BUILTIN = "builtin", "built-in"

    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=64)
    slug = LowerCaseField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="players"
    )

    # What a person has chosen on the settings page, by the names in arena.web.prefs; {} means all defaults.
    prefs = models.JSONField(default=dict, blank=True, editable=False)
    # How often a guest has ended the links that lead back to their seats (arena/web/match/way_back.py).
    links_ended = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(slug=""), name="player_has_a_slug"),
            models.UniqueConstraint(fields=["user"], condition=models.Q(kind="person"), name="player_person_of_user"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Where the player is found; "" for a player who has closed the account."""
        if names.is_former(self.slug):
            return ""
        return f"/bots/{self.slug}/" if self.kind == self.Kind.BOT else f"/@/{self.slug}/"

    @staticmethod
    def slug_of(name: str) -> str:
        """The slug of a name, letters of any alphabet kept: `Teal Heron` is `teal-heron`. Empty if nothing is left."""
        return names.slug(name)


class JoinedGuest(models.Model):
    """This guest was that person. Rows and logs of matches still name the guest; pages about people follow this row
    (`arena/web/joined.py`), and deleting it undoes everything.
    """

    guest = models.OneToOneField(Player, primary_key=True, on_delete=models.CASCADE, related_name="joined")
    person = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="guests")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(guest=models.F("person")), name="joined_with_somebody_else"),
        ]

    def __str__(self) -> str:
        return f"{self.guest} was {self.person}"
