"""Who takes part in an event and what they have scored, as pages write it in the language that is spoken now."""

from __future__ import annotations

from django.utils.formats import get_format
from django.utils.translation import gettext as _

from arena.models import Entry
from arena.play.thinking import title as level_title
from arena.tournaments.spec import EntrySpec
from arena.tournaments.tiebreaks import points
from arena.web.words import level_name


def stored_name(level: str) -> str:
    """What a built-in player is called in the rows, which are English."""
    return f"Built-in {level_title(level).lower()}"


def called(entry: EntrySpec | Entry) -> str:
    """The name of an entry; of a built-in player in the language spoken now, unless somebody has chosen it."""
    if entry.level and entry.name == stored_name(entry.level):
        return _("Built-in {level}").format(level=level_name(entry.level))
    return entry.name


def scored(number: float) -> str:
    """Points as they are written here: `7½`, `10.25`."""
    return points(number).replace(".", get_format("DECIMAL_SEPARATOR"))
