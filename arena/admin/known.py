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
    return KnownPanel(
        "Last failures",
        [
            KnownLine(
                f"{seat.match.ended:{WHEN}}" if seat.match.ended else "",
                *(seat.match_id, f"{page_of('match', seat.match_id)}?wires=errors", seat.match.reason),
            )
            for seat in seats
        ],
    )


def ruled(rulings: Iterable[Ruling]) -> KnownPanel:
    return KnownPanel(
        "Rulings",
        [
            KnownLine(
                *(f"{each.at:{WHEN}}", each.match_id, page_of("match", each.match_id)),
                *(f"{each.verdict}, by {each.actor}", each.reason),
            )
            for each in rulings
        ],
    )


def reported(reports: Iterable[ChatReport]) -> KnownPanel:
    return KnownPanel(
        "Reported",
        [
            KnownLine(
                *(f"{each.at:{WHEN}}", f"by {each.by}", page_of("chatreport", each.pk)),
                *("" if each.decided else "not decided", each.line.text),
            )
            for each in reports
        ],
    )


def players(title: str, rows: Iterable[Player]) -> KnownPanel:
    return KnownPanel(title, [KnownLine("", str(each), page_of("player", each.pk)) for each in rows])


def done(subject: str) -> KnownPanel:
    """Staff actions on it, with their reasons."""
    return acts(acts_on(subject))


def acts(rows: Iterable[Audit]) -> KnownPanel:
    return KnownPanel(
        "Past actions",
        [
            KnownLine(f"{act.at:{WHEN}}", words=f"{act.actor}: {act.deed()}", quote=str(act.data.get("reason") or ""))
            for act in rows
        ],
    )


def page_of(table: str, key: int | str) -> str:
    return reverse(f"admin:arena_{table}_change", args=[quote(key)])
