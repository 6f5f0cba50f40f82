"""Under which address a tournament is found, and the names of its players."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef

from arena.models import Entry, Player, Tournament


def named(name: str, **fields: Any) -> Tournament:
    """Create a tournament under a free slug: the next one if another of this name was made at the same moment."""
    while True:
        slug = free_slug(name)
        try:
            with transaction.atomic():
                return Tournament.objects.create(slug=slug, name=name, **fields)
        except IntegrityError:
            if slug == free_slug(name):
                raise


def free_slug(name: str) -> str:
    """A free slug for this name: `nim-cup`, `nim-cup-2` …; the size of a board becomes `7x6`."""
    base = (Player.slug_of(name.replace(" × ", "x")) or "tournament")[:58]
    taken = {"new", "sample"} | set(Tournament.every.filter(slug__startswith=base).values_list("slug", flat=True))
    return base if base not in taken else next(slug for n in range(2, 10_000) if (slug := f"{base}-{n}") not in taken)


def renamed(player: int, name: str) -> None:
    """Show the new name of this player on the pages of its events; the old one stays where another entry has that name.

    Within a transaction. The tournaments come first, as in every act on them.
    """
    same = Entry.objects.filter(tournament=OuterRef("tournament"), name=name)
    entries = Entry.objects.filter(player=player).exclude(Exists(same))
    tournaments = Tournament.every.filter(pk__in=list(entries.values_list("tournament", flat=True)))
    tournaments.update(version=F("version") + 1)
    entries.update(name=name)
