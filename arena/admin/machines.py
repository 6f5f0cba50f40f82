"""`/admin/machines/`, *Machines and work*: who computes, what waits, what went wrong. For superusers, from rows."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.timesince import timesince
from django.views.decorators.http import require_safe

from arena import paths
from arena.admin.acting import Action
from arena.admin.control import Count, list_of
from arena.admin.known import page_of
from arena.admin.work_actions import MACHINE_ACTIONS, WORK_ACTIONS
from arena.models import Match, Work
from arena.work import state
from arena.work.rules_version import rules_version
from arena.work.workers import orders

MOST_SHOWN = 20
# The speed of play is measured over this many seconds.
MINUTE_S = 60
# Matches that began longer ago are left out: so few of them end in a minute that they would not show, and no index
# finds matches by their end.
LONG = timedelta(hours=1)
# In the style of the control room's words.
ICONS = {"works": "a", "idle": "", "draining": "w", "gone": "w", "other rules": "w", "not trusted": "d"}
ACTS = {act.name: act for act in (*MACHINE_ACTIONS, *WORK_ACTIONS)}


class OrderLine(NamedTuple):
    """A worker or a piece of work, and the order that it can be given. `key` is that of its row. A match of an event
    that could not be played is given none: it is played again, or decided, on the page of the `event`.
    """

    state: str
    icon: str
    name: str
    address: str
    facts: str
    trouble: str
    key: int | str
    act: Action | None
    event: str = ""


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
    """The page, in a constant number of queries."""
    now, rules = timezone.now(), rules_version()
    waiting = Work.objects.filter(state__in=(Work.State.WAITING, Work.State.OUT)).order_by("made")
    wrong = Work.objects.filter(state__in=(Work.State.FAILED, Work.State.CANCELLED)).order_by("-id")
    found = state.workers_seen(rules)
    return {
        "now": now,
        "engine": settings.ARENA_ENGINE,
        "rules": rules,
        "program": paths.PROGRAM,
        "machine_list": list_of("machine"),
        "work_list": list_of("work"),
        "numbers": _numbers(found, now),
        "workers": [_worker(each) for each in found],
        "counts": state.counts(),
        "waiting": [_open(work, now) for work in waiting.defer("job", "spec")[:MOST_SHOWN]],
        "wrong": [_over(work) for work in wrong.defer("job")[:MOST_SHOWN]],
    }


def _numbers(found: list[state.WorkerSeen], now: datetime) -> list[Count]:
    """The five numbers at the top: one query for the matches, one for the totals."""
    here = [each.machine.slots for each in found if each.state in ("works", "idle")]
    running = sum(each.running for each in found)
    ended = Match.objects.filter(opened__gte=now - LONG, ended__gte=now - timedelta(seconds=MINUTE_S))
    played = ended.count() / MINUTE_S
    totals, machines, more = state.totals(), list_of("machine"), f"{settings.ARENA_WORK_SLOTS} for background work"
    return [
        Count("Workers", len(here), "present", f"{running} of {sum(here)} slots in use", "", machines),
        Count("This machine", settings.ARENA_PLAY_SLOTS, "for events", more, "", list_of("work")),
        Count("Matches", f"{played:.1f}", "a second", "ended in the last minute", "", list_of("match")),
        Count("Runs lost", totals.lost, "", "by workers, in a day", "", machines),
        Count("Late answers", totals.late, "", f"{totals.answered} in time", "", machines),
    ]


def _worker(seen: state.WorkerSeen) -> OrderLine:
    machine, act = seen.machine, "drain"
    if machine.distrusted or machine.draining:
        act = "trust" if machine.distrusted else "take"
    facts = [
        f"{seen.running} of {machine.slots} slots, class {machine.machine_class or 'unknown'}",
        f"{machine.speed} thousand moves a second, {seen.sandbox}",
        f"{' and '.join(machine.takes) or 'no kind of work'}; last seen {machine.seen:%H:%M:%S}",
        f"answered {machine.answered}, lost {machine.lost}, late {machine.late}",
    ]
    rules = f"; its rules are {machine.rules or 'unknown'}" if seen.state == "other rules" else ""
    address = page_of("machine", machine.pk)
    trouble = ". ".join(filter(None, (machine.distrusted, seen.gave_back)))
    icon = "w" if seen.lacks else ICONS[seen.state]
    row = (seen.state, icon, machine.name, address, ", ".join(facts) + rules, trouble)
    return OrderLine(*row, machine.pk, ACTS[act])


def _over(work: Work) -> OrderLine:
    """Work that has failed or was cancelled."""
    icon = "d" if work.state == Work.State.FAILED else ""
    line = _work(work, icon, work.why or "no reason given", ACTS["again"])
    if orders.may_wait_again(work):
        return line
    return line._replace(act=None, event=page_of("tournament", work.spec["event"]))


def _open(work: Work, now: datetime) -> OrderLine:
    """Work that waits or is out, since when, and how often."""
    facts = [timesince(work.made, now), *([work.worker] if work.state == Work.State.OUT else [])]
    often = [f"({work.faults} lost)"] * bool(work.faults) + [f"({work.voids} void)"] * bool(work.voids)
    return _work(work, "", " ".join([", ".join(facts), *often]), ACTS["cancel"])


def _work(work: Work, icon: str, facts: str, act: Action) -> OrderLine:
    return OrderLine(work.state, icon, work.key, page_of("work", work.pk), facts, "", work.pk, act)
