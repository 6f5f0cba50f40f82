from __future__ import annotations

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest

from arena.admin.record import Record, RecordInline
from arena.models import Event, Match, Move, Ruling, Seat

_STATES = {
    "opened": Q(started=None, ended=None),
    "running": Q(started__isnull=False, ended=None),
    "ended": Q(ended__isnull=False),
}


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(state, state) for state in _STATES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        wanted = _STATES.get(self.value() or "")
        return queryset.filter(wanted) if wanted else queryset


class SeatInline(RecordInline):
    model = Seat
    ordering = ("seat",)
    fields = ("seat", "name", "kind", "protocol", "level", "verified")


class RulingInline(RecordInline):
    model = Ruling
    ordering = ("n",)


class EventInline(RecordInline):
    model = Event
    verbose_name_plural = "log"
    ordering = ("seq",)
    fields = ("seq", "at", "kind", "ply", "seat", "move", "elapsed_ms", "left0_ms", "left1_ms", "actor", "data")


@admin.register(Match)
class MatchAdmin(Record):
    list_display = ("id", "variant", "state", "first", "second", "last_ply", "result", "termination", "opened", "last")
    list_filter = (StateFilter, "variant", "rated", "termination", "opened")
    search_fields = ("=id", "=room__code", "seats__name")
    ordering = ("-opened",)
    inlines = (SeatInline, RulingInline, EventInline)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        log = Event.objects.filter(match=OuterRef("pk")).order_by("-seq")
        return (
            super()
            .get_queryset(request)
            .select_related("room")
            .prefetch_related("seats")
            .annotate(
                last_at=Subquery(log.values("at")[:1]),
                moves=Subquery(log.filter(kind=Event.Kind.MOVE).values("ply")[:1]),
            )
        )

    @admin.display
    def state(self, match: Match) -> str:
        if match.ended:
            return "ended"
        return "running" if match.started else "opened"

    @admin.display
    def first(self, match: Match) -> str:
        return self._name(match, 0)

    @admin.display
    def second(self, match: Match) -> str:
        return self._name(match, 1)

    @staticmethod
    def _name(match: Match, number: int) -> str:
        return next((seat.name for seat in match.seats.all() if seat.seat == number), "")

    # The row's own count of plies is a copy made at the end; the log knows it at any time.
    @admin.display(description="plies")
    def last_ply(self, match: Match) -> int:
        return match.moves or 0

    @admin.display(description="last event", ordering="last_at")
    def last(self, match: Match):
        return match.last_at


@admin.register(Seat)
class SeatAdmin(Record):
    list_display = ("name", "match", "seat", "kind", "protocol", "level", "player", "verified")
    list_filter = ("kind", "protocol", "verified")
    list_select_related = ("match", "player")
    search_fields = ("name", "=match__id")
    ordering = ("-id",)


@admin.register(Event)
class EventAdmin(Record):
    list_display = ("id", "match", "seq", "kind", "ply", "seat", "move", "actor", "at")
    list_filter = ("kind",)
    list_select_related = ("match",)
    search_fields = ("=match__id", "=actor")
    ordering = ("-id",)


@admin.register(Move)
class MoveAdmin(Record):
    list_display = ("id", "match", "ply", "seat", "move", "elapsed_ms", "left0_ms", "left1_ms", "at")
    list_filter = ("match__variant",)
    list_select_related = ("match",)
    search_fields = ("=match__id", "=move")
    ordering = ("-id",)


@admin.register(Ruling)
class RulingAdmin(Record):
    list_display = ("match", "n", "verdict", "winner", "reason", "actor", "at")
    list_filter = ("verdict",)
    list_select_related = ("match",)
    search_fields = ("=match__id", "actor", "reason")
    ordering = ("-id",)
