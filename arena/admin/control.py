"""The first page of the administration, read from rows and the numbers that the host publishes: what runs, what needs a
decision, the last hour, errors, staff actions. It shows only what the reader may see.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import accumulate
from typing import Any, NamedTuple

from django import template
from django.contrib import admin
from django.db.models import BooleanField, ExpressionWrapper, OuterRef, Q, Subquery
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from arena.admin.decisions import decisions
from arena.admin.graphs import graphs
from arena.admin.known import page_of
from arena.core.storage_watch import trouble
from arena.figures import Present, present
from arena.models import Audit, Event, Match, Minute, Tournament
from arena.web.guests import SEES_PRIVATE
from arena.web.words import title_of

register = template.Library()

MOST_MATCHES, MOST_EVENTS, MOST_ERRORS, MOST_ACTS = 8, 50, 8, 8


class Count(NamedTuple):
    """`words` say what `number` counts, `more` adds what is worth knowing; `trouble` is highlighted. `parts` are those
    of a bar: a tone and how many.
    """

    name: str
    number: int | str
    words: str
    more: str
    trouble: str
    address: str
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def bar(self) -> list[tuple[str, int, int]]:
        """Of a bar of a thousand: the tone of each part that is there, where it begins and how long it is."""
        whole = sum(many for _, many in self.parts)
        ends = [0, *(1000 * each // whole for each in accumulate(many for _, many in self.parts))] if whole else []
        found = zip(self.parts, ends, ends[1:], strict=False)
        return [(tone, begin, end - begin) for (tone, many), begin, end in found if many]


class RunningMatch(NamedTuple):
    number: str
    address: str
    game: str
    names: list[str]
    moves: int
    last: Any
    paused: bool


@register.inclusion_tag("admin/control.html", takes_context=True)
def control_room(context: dict[str, Any]) -> dict[str, Any]:
    """Everything on the page. Without a host in this process `counts` is empty."""
    user, now = context["request"].user, timezone.now()
    hour = list(Minute.objects.filter(at__gte=now - timedelta(hours=1, minutes=1)).order_by("-at")[:61])
    numbers, needed = present(), decisions(user)
    events = _events() if numbers and user.has_perm("arena.view_tournament") else None
    return {
        "now": now,
        "storage": trouble(),
        "may_drain": user.has_perm("arena.add_drain"),
        "drained": numbers is not None and numbers.closes is not None,
        "counts": counts(numbers, needed, events or []) if numbers else [],
        "no_event": events == [],
        "decisions": needed,
        "matches": _running(user.has_perm(SEES_PRIVATE)) if user.has_perm("arena.view_match") else None,
        "graphs": graphs(hour, now),
        "errors": [line for minute in hour for line in reversed(minute.lines)][:MOST_ERRORS],
        "errors_in_hour": max(numbers.errors if numbers else 0, sum(minute.errors for minute in hour)),
        "sees_errors": user.is_superuser,
        "acts": list(Audit.objects.order_by("-pk")[:MOST_ACTS]) if user.has_perm("arena.view_audit") else [],
    }


@require_safe
def _live(request: HttpRequest) -> HttpResponse:
    return TemplateResponse(request, "admin/control_live.html", {"request": request})


# The parts that change while the page is open.
live = admin.site.admin_view(_live)
live.reads_rows = True  # type: ignore[attr-defined]


def _events() -> list[tuple[str, str, bool]]:
    """The name and the state of events, and whether they run: those that do come first."""
    state = Tournament.State
    runs = ExpressionWrapper(Q(finished=None, state__in=(state.RUNNING, state.PAUSED)), BooleanField())
    found = Tournament.objects.annotate(runs=runs).order_by("-runs", "pk")
    return list(found.values_list("name", "state", "runs")[:MOST_EVENTS])


def counts(numbers: Present, needed: list[Any], events: list[tuple[str, str, bool]]) -> list[Count]:
    """The five numbers at the top; one query for the matches."""
    kinds = [decision.kind for decision in needed]
    running = [(name, state) for name, state, runs in events if runs]
    names = [f"{name} (paused)" if state == Tournament.State.PAUSED else name for name, state in running[:2]]
    silent, held = kinds.count("Silent match"), kinds.count("Quarantined bot")
    idle = max(0, numbers.bots - numbers.bots_playing)
    # Counted now: the published number may be a second old, and lack the very match that the reader came for.
    matches = Match.objects.filter(ended=None, started__isnull=False).count()
    paused = min(numbers.paused, matches)
    return [
        Count(
            *("Matches", matches, "running", f"{matches - paused} playing, {paused} paused"),
            *(f"{silent} silent" if silent else "", f"{list_of('match')}?state=running"),
            (("a", max(0, matches - paused - silent)), ("w", silent), ("", paused)),
        ),
        Count("Rooms", numbers.rooms, "waiting", "public rooms", "", list_of("room")),
        Count("Events", len(running), "running", ", ".join(names), "", list_of("tournament")),
        Count(
            *("Bots", numbers.bots, "connected", f"{numbers.bots_playing} playing, {idle} idle"),
            *(f"{held} held back" if held else "", list_of("bot")),
            (("a", numbers.bots_playing), ("l", idle), ("d", held)),
        ),
        Count("People", numbers.viewers, "watching", "pages on a match", "", list_of("player")),
    ]


def list_of(table: str) -> str:
    return reverse(f"admin:arena_{table}_changelist")


def _running(sees_private: bool) -> list[RunningMatch]:
    """The newest running matches."""
    log = Event.objects.filter(match=OuterRef("pk")).order_by("-seq")
    found = Match.objects.filter(ended=None, started__isnull=False)
    if not sees_private:
        found = found.exclude(room__private=True)
    rows = found.order_by("-opened").prefetch_related("seats")[:MOST_MATCHES]
    told = rows.annotate(
        last_at=Subquery(log.values("at")[:1]),
        last_kind=Subquery(log.values("kind")[:1]),
        moves=Subquery(log.filter(kind=Event.Kind.MOVE).values("ply")[:1]),
    )
    return [
        RunningMatch(
            match.pk,
            page_of("match", match.pk),
            title_of(match.variant),
            match.names,
            match.moves or 0,
            match.last_at,
            match.last_kind == "paused",
        )
        for match in told
    ]
