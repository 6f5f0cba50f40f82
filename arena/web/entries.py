"""The names and scores of an event's entries, as pages write them in the current language."""

from __future__ import annotations

from django.utils.formats import get_format

from arena.models import Entry
from arena.tournaments.spec import EntrySpec
from arena.tournaments.tiebreaks import points
from arena.web.words import entry_name, person_name


def called(entry: EntrySpec | Entry) -> str:
    """The name of an entry; for a built-in player in the current language, unless somebody has chosen the name."""
    return entry_name(entry.name, entry.level) if entry.level else person_name(entry.name)


def scored(number: float) -> str:
    """Points as they are written here: `7½`, `10.25`."""
    return points(number).replace(".", get_format("DECIMAL_SEPARATOR"))
