from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from arena.admin.acting import Acting
from arena.admin.record import RawRecord, Record
from arena.admin.work_actions import MACHINE_ACTIONS, WORK_ACTIONS
from arena.models import Analysis, LogSlice, Machine, Returned, Work


@admin.register(Work)
class WorkAdmin(RawRecord, Acting):
    """What is computed in the background: what waits, who has it, and what has failed."""

    list_display = ("key", "kind", "state", "priority", "worker", "until", "faults", "why", "made")
    finds = ("key",)
    search_help_text = "Key of a piece of work, such as analyse:7gk3mzrq2x"
    exclude = ("secret",)
    ordering = ("-id",)
    own_actions = WORK_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


@admin.register(Machine)
class MachineAdmin(RawRecord, Acting):
    """The workers, as they last said of themselves."""

    list_display = (
        "name",
        "machine_class",
        "slots",
        "sandbox",
        "seen",
        "draining",
        "distrusted",
        "answered",
        "lost",
        "late",
    )
    finds = ("name",)
    ordering = ("name",)
    own_actions = MACHINE_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


@admin.register(Returned)
class ReturnedAdmin(RawRecord):
    """What workers have answered and nobody has judged yet."""

    list_display = ("work", "token", "worker", "at")
    list_select_related = ("work",)
    finds = ("work__key",)
    ordering = ("-id",)


@admin.register(LogSlice)
class LogSliceAdmin(RawRecord):
    """What workers tell of matches that they play, and nobody has judged yet."""

    list_display = ("work", "token", "worker", "at")
    list_select_related = ("work",)
    finds = ("work__key",)
    ordering = ("-id",)


@admin.register(Analysis)
class AnalysisAdmin(Record):
    private = "match__room__private"
    list_display = ("match", "kernel", "made")
    list_select_related = ("match",)
    exclude = ("values",)
    finds = ("match",)
    search_help_text = "Number of a match"
    ordering = ("-pk",)
