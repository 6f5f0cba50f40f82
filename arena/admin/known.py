"""Facts about a row, such as a bot or a room, as panels of lines above its form (templates/admin/known.html)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib.admin.utils import quote
from django.db.models import QuerySet
from django.urls import reverse

from arena.admin.audit import acts_on
from arena.models import Audit, ChatReport, Match, Player, Ruling, Seat

# As in the lists of the control room.
WHEN = "%m-%d %H:%M"


class KnownLine(NamedTuple):
    """`lead` comes first: a time or a number. `name` links to `address`, if there is one; then come words, text that
    somebody wrote, and facts in small letters.
    """

    lead: str = ""
    name: str = ""
    address: str = ""
    words: str = ""
    quote: str = ""
    facts: str = ""


class KnownPanel(NamedTuple):
    title: str
    lines: list[KnownLine]

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")


def filled(*panels: KnownPanel) -> list[KnownPanel]:
    """The panels with at least one line."""
    return [panel for panel in panels if panel.lines]


def newest(matches: QuerySet[Match]) -> KnownPanel:
    """These rows, given in any order, newest first."""
    lines = []
    for match in matches.order_by("-pk").prefetch_related("seats"):
        ending = (match.termination or "").replace("_", " ")
        facts = [match.get_variant_display(), f"{match.opened:%Y-%m-%d %H:%M}", *([ending] if ending else [])]
        words = f"{' – '.join(match.names)}, {match.result if match.ended else 'running'}"
        lines.append(KnownLine("", match.pk, page_of("match", match.pk), words, facts=", ".join(facts)))
    return KnownPanel("Newest matches", lines)


def failed(seats: Iterable[Seat]) -> KnownPanel:
    """Matches that these seats lost by a fault."""
    lines = []
    for seat in seats:
        at = f"{seat.match.ended:{WHEN}}" if seat.match.ended else ""
        address = f"{page_of('match', seat.match_id)}?wires=errors"
        lines.append(KnownLine(at, seat.match_id, address, seat.match.reason))
    return KnownPanel("Last failures", lines)


def ruled(rulings: Iterable[Ruling]) -> KnownPanel:
    lines = []
    for each in rulings:
        said = (f"{each.verdict}, by {each.actor}", each.reason)
        lines.append(KnownLine(f"{each.at:{WHEN}}", each.match_id, page_of("match", each.match_id), *said))
    return KnownPanel("Rulings", lines)


def reported(reports: Iterable[ChatReport]) -> KnownPanel:
    lines = []
    for each in reports:
        said = ("" if each.decided else "not decided", each.line.text)
        lines.append(KnownLine(f"{each.at:{WHEN}}", f"by {each.by}", page_of("chatreport", each.pk), *said))
    return KnownPanel("Reported", lines)


def players(title: str, rows: Iterable[Player]) -> KnownPanel:
    return KnownPanel(title, [KnownLine("", str(each), page_of("player", each.pk)) for each in rows])


def done(subject: str) -> KnownPanel:
    """Staff actions on it, with their reasons."""
    return acts(acts_on(subject))


def acts(rows: Iterable[Audit]) -> KnownPanel:
    lines = []
    for act in rows:
        quote = str(act.data.get("reason") or "")
        lines.append(KnownLine(f"{act.at:{WHEN}}", words=f"{act.actor}: {act.deed()}", quote=quote))
    return KnownPanel("Past actions", lines)


def page_of(table: str, key: int | str) -> str:
    return reverse(f"admin:arena_{table}_change", args=[quote(key)])
