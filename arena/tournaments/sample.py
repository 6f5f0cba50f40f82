"""A sample: an event of the built-in players, made with one click to see how one works, and deleted with another."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from arena.models import Tournament
from arena.play.thinking import title
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
from games.players import LEVELS

# Fifteen matches of some thirty moves, three at a time: about three minutes.
PACE_MS = 700
AT_ONCE = 3


def of(organiser: Any) -> Tournament | None:
    """The sample that this account has made and not deleted."""
    return Tournament.objects.filter(organiser=organiser, settings__sample=True).first()


def make(organiser: Any, name: str, variant: str) -> Tournament:
    """An event of every built-in player against every other, started; an existing sample is used. Raises Refusal."""
    if there := of(organiser):
        return there
    spec = TournamentSpec(
        name=name,
        variant=variant,
        format=Tournament.Format.ROUND_ROBIN,
        entries=tuple(EntrySpec(title(level), "builtin", level=level) for level in reversed(LEVELS)),
        legs=1,
        pace_ms=PACE_MS,
        concurrency=AT_ONCE,
    )
    with transaction.atomic():
        made = actions.create(spec, organiser)
        made.settings = {**made.settings, actions.SAMPLE: True}
        made.save(update_fields=["settings"])
        actions.start(made, str(organiser.get_username())[:64])
    return made
