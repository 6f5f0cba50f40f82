"""Reported chat lines: staff remove a line from every page, or leave it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from arena.admin import known
from arena.admin.acting import Acting, Action, Unasked
from arena.admin.record import RawRecord, Record
from arena.admin.searching import OpenOrOver
from arena.models import ChatLine, ChatReport, Mute
from arena.web.match.staff import record

MOST_REPORTS = 50


def _decide(removed: bool, request: HttpRequest, report: ChatReport, said: dict[str, Any], stood: str) -> str:
    """A decision about a line settles all reports of it."""
    line = report.line
    line.removed = removed
    line.save(update_fields=["removed"])
    line.reports.filter(decided=None).update(decided=timezone.now())
    act = "chat line removed" if removed else "chat line left"
    record(request.user, act, line, reason=said["reason"], match=line.match_id, line=line.pk)
    return "No page shows the line any more." if removed else "The line stays."


def _is_left(user: Any, report: ChatReport) -> str:
    left = report.decided is not None and not report.line.removed
    return "It has already been left in place." if left else ""


def _told(line: ChatLine) -> Iterator[known.KnownLine]:
    said = f"{line.at:{known.WHEN}}"
    yield known.KnownLine(said, line.name, known.page_of("player", line.player_id), quote=line.text)
    heard = "read by the players only" if line.among_players else "read by those who watch"
    yield known.KnownLine("Match", line.match_id, known.page_of("match", line.match_id), facts=heard)
    yield known.KnownLine("State", "removed: no page shows it" if line.removed else "shown")


class DecidedFilter(OpenOrOver):
    over = "decided"


@admin.register(ChatReport)
class ChatReportAdmin(Acting, Record):
    """The text of a line is as private as its match: staff who decide read the reported line and no other."""

    list_display = ("line", "match", "by", "at", "is_removed", "decided")
    list_filter = (DecidedFilter,)
    list_select_related = ("line", "by")
    finds = ("line__match", "by__slug", "line__player__slug")
    parts = ("line__name",)
    ordering = ("-id",)
    told_in_words = True
    own_actions = (
        Action(
            *("remove", "Remove the line", "Remove", str, partial(_decide, True), Unasked),
            why_not=lambda user, report: "It is already removed." if report.line.removed else "",
        ),
        Action("leave", "Leave the line", "Leave", str, partial(_decide, False), Unasked, why_not=_is_left),
    )

    def subject_of(self, row: ChatReport) -> str:
        return ""

    def may_act(self, request: HttpRequest) -> bool:
        return request.user.has_perm("arena.change_chatreport")

    def shown_with(self, request: HttpRequest, obj: ChatReport) -> dict[str, Any]:
        """The line, all who reported it, and the same decisions as in the list."""
        return {
            **self.acts_on_page(request, obj),
            "left": known.KnownPanel("Line", list(_told(obj.line))),
            "panels": [known.reported(obj.line.reports.select_related("line", "by").order_by("-pk")[:MOST_REPORTS])],
        }

    @admin.display(description="match")
    def match(self, report: ChatReport) -> str:
        return report.line.match_id

    @admin.display(boolean=True, description="removed")
    def is_removed(self, report: ChatReport) -> bool:
        return report.line.removed


@admin.register(ChatLine)
class ChatLineAdmin(RawRecord):
    """Players talk in private: only superusers read lines that nobody has reported."""

    list_display = ("match", "name", "text", "at", "removed")
    list_select_related = ("match",)
    finds = ("match", "player__slug")
    ordering = ("-id",)


@admin.register(Mute)
class MuteAdmin(RawRecord):
    """Nobody learns who has muted them."""

    list_display = ("by", "whom")
    list_select_related = ("by", "whom")
    finds = ("by__slug", "whom__slug")
    ordering = ("-id",)
