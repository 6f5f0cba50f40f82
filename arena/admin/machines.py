"""`/admin/machines/`, *Machines and work*: who computes, what waits, and what went wrong. For superusers, from rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from arena.models import Match, Work
from arena.work import state
from arena.work.rules_version import rules_version

MOST_SHOWN = 20
# The speed of play is that of so many seconds.
MINUTE_S = 60
# As urgent as the words of the control room.
ICONS = {"works": "a", "idle": "", "draining": "w", "gone": "w", "other rules": "w", "not trusted": "d"}


@require_safe
def _machines(request: HttpRequest) -> HttpResponse:
    if not request.user.is_superuser:
        raise PermissionDenied
    if "part" in request.GET:
        return TemplateResponse(request, "admin/machines_live.html", shown())
    context = {**admin.site.each_context(request), "title": "Machines and work", **shown()}
    return TemplateResponse(request, "admin/machines.html", context)


machines = admin.site.admin_view(_machines)
machines.reads_rows = True  # type: ignore[attr-defined]


def shown() -> dict[str, Any]:
    """In a number of queries that does not grow."""
    now, rules = timezone.now(), rules_version()
    waiting = Work.objects.filter(state__in=(Work.State.WAITING, Work.State.OUT)).order_by("made")
    wrong = Work.objects.filter(state__in=(Work.State.FAILED, Work.State.CANCELLED)).order_by("-id")
    found = state.workers_seen(rules)
    here = [each for each in found if each.state in ("works", "idle")]
    played = Match.objects.filter(ended__gte=now - timedelta(seconds=MINUTE_S)).count()
    return {
        "now": now,
        "engine": settings.ARENA_ENGINE,
        "rules": rules,
        "workers": [(each, ICONS[each.state]) for each in found],
        "here": len(here),
        "slots": sum(each.machine.slots for each in here),
        "play_slots": settings.ARENA_PLAY_SLOTS,
        "work_slots": settings.ARENA_WORK_SLOTS,
        "running": sum(each.running for each in found),
        "counts": state.counts(),
        "totals": state.totals(),
        "played": f"{played / MINUTE_S:.1f}",
        "waiting": list(waiting.defer("job", "spec")[:MOST_SHOWN]),
        "wrong": list(wrong.defer("job", "spec")[:MOST_SHOWN]),
    }
