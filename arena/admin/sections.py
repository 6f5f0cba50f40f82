"""The tables of the administration by subject, for the bar at the side of every page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django import template

register = template.Library()

# Tables in no section hold raw rows of the system.
SECTIONS = {
    "Play": ("Match", "Room", "Ruling", "Seat", "Move", "Event", "PackedLog", "Analysis", "Puzzle"),
    "Bots": ("Bot",),
    "Events": ("Tournament", "Pairing", "Entry"),
    "People": (
        "Player",
        "JoinedGuest",
        "KeptName",
        "User",
        "Group",
        "Rating",
        "RatingChange",
        "PuzzleStanding",
        "PuzzleTry",
        "Mistake",
        "OneTimeCode",
        "AccessToken",
        "Webhook",
        "Delivery",
        "AccessAttempt",
        "ChatReport",
        "ChatLine",
        "Mute",
    ),
}
SYSTEM = "System"


class SectionTable(NamedTuple):
    name: str
    address: str
    add_address: str
    current: bool


class Section(NamedTuple):
    title: str
    tables: list[SectionTable]


@register.simple_tag(takes_context=True)
def sections(context: dict[str, Any], available_apps: Iterable[dict[str, Any]]) -> list[Section]:
    """The tables that this user may look at, in the order of `SECTIONS`."""
    path = context["request"].path
    models = {model["object_name"]: model for app in available_apps for model in app["models"] if model["admin_url"]}
    found = []
    for title, names in SECTIONS.items():
        found.append(Section(title, [_table(models.pop(name), path) for name in names if name in models]))
    found.append(Section(SYSTEM, [_table(model, path) for _, model in sorted(models.items())]))
    return [section for section in found if section.tables]


@register.filter
def section_of(model_name: str) -> str:
    return next((title for title, names in SECTIONS.items() if model_name in names), SYSTEM)


def _table(model: dict[str, Any], path: str) -> SectionTable:
    address = model["admin_url"]
    return SectionTable(str(model["name"]), address, model["add_url"] or "", path.startswith(address))
