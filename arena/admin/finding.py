"""One field that finds matches, rooms, events, bots and people: `/admin/search/?q=`; whole names by an index, parts of
names in the newest rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from arena.models import Bot, Match, Player, Room, Tournament

LOOKED_THROUGH = 2000
MOST = 10
LONGEST = 100


class Subject(NamedTuple):
    """The fields of a table that hold the whole name of a row, and those in which a part of a name is looked for."""

    title: str
    model: Any
    whole: str
    part: str


SUBJECTS = (
    Subject("Matches", Match, "pk", ""),
    Subject("Rooms", Room, "code", ""),
    Subject("Events", Tournament, "slug", "name"),
    Subject("Bots", Bot, "family", "family"),
    Subject("People and players", Player, "slug", "name"),
)


class Found(NamedTuple):
    title: str
    rows: list[tuple[str, str]]
    more: str


@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """What has this name; if there is only one, its page at once."""
    term = " ".join(request.GET.get("q", "").split())[:LONGEST]
    found = [each for subject in SUBJECTS if term and (each := _found(request, subject, term)) is not None]
    if len(found) == 1 and len(found[0].rows) == 1:
        return HttpResponseRedirect(found[0].rows[0][1])
    context = {**admin.site.each_context(request), "title": f"Search: {term}" if term else "Search"}
    return TemplateResponse(request, "admin/found.html", {**context, "found": found, "term": term})


def _found(request: HttpRequest, subject: Subject, term: str) -> Found | None:
    """None if nothing has this name, or this reader may not see it."""
    listed = admin.site._registry[subject.model]
    if not listed.has_view_permission(request):
        return None
    rows = listed.get_queryset(request)
    name = Player.slug_of(term) if subject.whole == "slug" else term
    some = list(rows.filter(**{subject.whole: name})[:MOST])
    if not some and subject.part:
        some = list(_newest(subject, rows).filter(**{f"{subject.part}__icontains": term})[:MOST])
    if not some:
        return None
    meta = subject.model._meta
    page, here = (
        f"admin:{meta.app_label}_{meta.model_name}_change",
        f"admin:{meta.app_label}_{meta.model_name}_changelist",
    )
    return Found(subject.title, [(str(row), reverse(page, args=[row.pk])) for row in some], reverse(here))


def _newest(subject: Subject, rows: Any) -> Any:
    """Ordered by number: to order by name, a database would go through the names of all rows."""
    oldest = subject.model._base_manager.order_by("-pk").values_list("pk", flat=True)[LOOKED_THROUGH:].first()
    return (rows if oldest is None else rows.filter(Q(pk__gt=oldest))).order_by("-pk")
