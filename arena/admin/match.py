"""Matches in the admin: lists for organisers, the whole of one match, and the staff actions on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.html import format_html

from arena.admin import log, searching
from arena.admin.acting import Acting
from arena.admin.known import page_of
from arena.admin.match_actions import MATCH_ACTIONS, last_clocks
from arena.admin.record import Record, sees_private
from arena.match.clock import parse_clock
from arena.match.endings import TERMINATIONS, result, ruled_as
from arena.models import Audit, Event, Match, Move, PackedLog, Player, Ruling, Seat
from arena.protocols import protocols
from arena.web.joined import numbers_of
from arena.web.match.logs import log_json
from arena.web.match.staff import may_act

# A match without a clock may stand still for as long as people like; after this long somebody may want to look.
LONG_WITHOUT_A_CLOCK = timedelta(hours=1)
# No index helps with a part of a name: this many of the newest seats are read.
LOOKED_THROUGH = 1000
# Few matches run at once; no more than this are looked through.
MOST_RUNNING = 2000
PACKED_HELP = "Number of a match; an hour after it ended its events are packed, and only its page still shows them"

_STATES = {
    "opened": Q(started=None, ended=None),
    "running": Q(started__isnull=False, ended=None),
    "ended": Q(ended__isnull=False),
}


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(state, state) for state in _STATES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        wanted = _STATES.get(self.value() or "")
        return queryset.filter(wanted) if wanted else queryset


class TerminationFilter(admin.SimpleListFilter):
    """By all possible endings: finding out which of them occur would read the whole table."""

    title = "termination"
    parameter_name = "termination"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(ending, ending.replace("_", " ")) for ending in TERMINATIONS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(termination=self.value()) if self.value() else queryset


class ProtocolFilter(admin.SimpleListFilter):
    """By the protocol of a side: an index would cost every match two writes, so only the newest are read."""

    title = parameter_name = "protocol"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(slug, adapter.title) for slug, adapter in protocols().items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        if not self.value():
            return queryset
        newest = Seat.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        spoken = Seat.objects.filter(pk__gt=newest - 2 * searching.LOOKED_THROUGH, protocol=self.value())
        return queryset.filter(pk__in=spoken.values("match"))


class StuckFilter(admin.SimpleListFilter):
    """Running matches without a move for twice the clock."""

    title = "stuck"
    parameter_name = "stuck"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("yes", "no move for 2 × clock")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(pk__in=stuck(datetime.now(UTC))) if self.value() == "yes" else queryset


def stuck(now: datetime) -> list[str]:
    """The running matches in which nothing has happened for twice the clock, in one query."""
    last = Event.objects.filter(match=OuterRef("pk")).order_by("-seq").values("at")[:1]
    running = Match.objects.filter(ended=None).order_by("opened").annotate(last_at=Subquery(last))
    rows = running.values_list("pk", "clock", "last_at")[:MOST_RUNNING]
    return [match for match, clock, at in rows if at is not None and now - at > _patience(clock)]


def _patience(text: str) -> timedelta:
    try:
        clock = parse_clock(text)
    except ValueError:
        return LONG_WITHOUT_A_CLOCK
    return LONG_WITHOUT_A_CLOCK if clock.kind == "none" else timedelta(milliseconds=2 * clock.base_ms)


@admin.register(Match)
class MatchAdmin(Record, Acting):
    private = "room__private"
    told_in_words = True
    list_display = ("id", "variant", "state", "first", "second", "last_ply", "outcome", "ending", "opened", "last")
    list_filter = (StateFilter, StuckFilter, "variant", ProtocolFilter, "rated", TerminationFilter, "opened")
    finds = ("pk",)
    age = "opened"
    search_help_text = (
        "Number of a match, code of a room, short name of a tournament, name of a player; parts of names are "
        f"searched for in the newest {LOOKED_THROUGH // 2} matches"
    )
    ordering = ("-opened",)
    sortable_by = ("opened",)
    list_per_page = 50
    change_form_template = "admin/match.html"
    live_template = "admin/match_live.html"
    actions = ("export",)
    own_actions = MATCH_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return may_act(request.user)

    def subject_of(self, row: Match) -> str:
        return row.pk

    def acted_on(self, chosen: QuerySet[Match]) -> QuerySet[Match]:
        events = Event.objects.filter(match=OuterRef("pk"), match__ended=None)
        whole = chosen.select_related("room", "pairing__tournament", "pairing__a", "pairing__b")
        return whole.annotate(clocks=Coalesce(Subquery(last_clocks(events)[:1]), Value("")))

    @admin.action(description="Export the logs", permissions=["view"])
    def export(self, request: HttpRequest, chosen: QuerySet[Match]) -> HttpResponse:
        """Export at most one list of them; whole tournaments are exported on their page."""
        matches = chosen.select_related("room")[: self.list_per_page]
        found = [live for match in matches if (live := log.live_of(match)) is not None]
        response = JsonResponse({"matches": [log_json(live) for live in found]}, json_dumps_params={"indent": 1})
        response["Content-Disposition"] = 'attachment; filename="arena-matches.json"'
        return response

    def shown_with(self, request: HttpRequest, obj: Match) -> dict[str, Any]:
        """The board, the log, both wires and the staff actions, instead of a form."""
        shown = log.shown(obj, sees_private(request), request.GET.get("ply", ""), request.GET.get("wires", ""))
        return {
            **shown,
            "socket": f"/ws/control/?match={obj.pk}",
            "acts": self.offered(request, obj),
            "audit": Audit.objects.filter(subject=obj.pk).order_by("-at")[:50],
            "state": self.state(obj),
            "rows": obj.seats.order_by("seat").select_related("player"),
            "rulings": obj.ruled,  # type: ignore[attr-defined]
        }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        log = Event.objects.filter(match=OuterRef("pk")).order_by("-seq")
        found: QuerySet[Match] = (
            super()
            .get_queryset(request)
            .prefetch_related(
                Prefetch("seats", to_attr="seated"), Prefetch("rulings", Ruling.objects.order_by("n"), to_attr="ruled")
            )
            .annotate(
                last_at=Subquery(log.values("at")[:1]),
                moves=Subquery(log.filter(kind=Event.Kind.MOVE).values("ply")[:1]),
            )
        )
        return found

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Match], search_term: str
    ) -> tuple[QuerySet[Match], bool]:
        """One of the queries that an index answers, else the names in the newest matches: never the whole table."""
        term = search_term.strip()
        if not term:
            return super().get_search_results(request, queryset, term)
        who = Player.objects.filter(slug=Player.slug_of(term)).first()
        exactly = (
            Q(pk=term),
            Q(room__code=term),
            Q(pairing__tournament__slug=term),
            Q(seats__player__in=numbers_of(who.pk if who else None)),
        )
        for wanted in exactly:
            if Match.objects.filter(wanted).exists():
                return queryset.filter(wanted), wanted is exactly[-1]
        newest = Seat.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        named = Seat.objects.filter(pk__gt=newest - LOOKED_THROUGH, name__icontains=term)
        return queryset.filter(pk__in=set(named.values_list("match", flat=True))), False

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
        seated: list[Seat] = match.seated  # type: ignore[attr-defined]
        return next((seat.name for seat in seated if seat.seat == number), "")

    # The row's own count of plies is stored at the end; until then the log knows it.
    @admin.display(description="plies")
    def last_ply(self, match: Match) -> int:
        moves: int | None = match.moves  # type: ignore[attr-defined]
        return match.plies or moves or 0

    @admin.display(description="result")
    def outcome(self, match: Match) -> str:
        """What counts: the ending beside it says whether that was ruled."""
        if (ruling := self._ruling(match)) is None:
            return match.result
        return result(ruling.winner, ruled_as(ruling.verdict))

    @admin.display(description="termination")
    def ending(self, match: Match) -> str | None:
        if (ruling := self._ruling(match)) is None:
            return match.termination
        ruled = ruled_as(ruling.verdict)
        return match.termination if match.termination == ruled else f"{match.termination} → {ruled}"

    @staticmethod
    def _ruling(match: Match) -> Ruling | None:
        """The one that counts."""
        rulings: list[Ruling] = match.ruled  # type: ignore[attr-defined]
        return rulings[-1] if rulings else None

    @admin.display(description="last event")
    def last(self, match: Match) -> datetime | None:
        at: datetime | None = match.last_at  # type: ignore[attr-defined]
        return at


@admin.register(Seat)
class SeatAdmin(Record):
    private = "match__room__private"
    list_display = ("name", "match", "seat", "kind", "protocol", "level", "player", "verified")
    list_filter = ("kind", "protocol", "verified")
    list_select_related = ("match", "player")
    finds = ("match", "player__slug")
    parts = ("name",)
    ordering = ("-id",)


@admin.register(Event)
class EventAdmin(Record):
    private = "match__room__private"

    def get_exclude(self, request: HttpRequest, obj: Event | None = None) -> tuple[str, ...]:
        """Exclude the reason of a bot's failure, which quotes what it sent."""
        return () if sees_private(request) else ("data",)

    list_display = ("id", "match", "seq", "kind", "ply", "seat", "move", "actor", "at", "packed_before")
    list_select_related = ("match", "packed")
    finds = ("match",)
    search_help_text = PACKED_HELP
    ordering = ("-id",)

    @admin.display(description="packed")
    def packed_before(self, event: Event) -> str:
        """A link to the whole log, where the events before this one have no rows."""
        if not hasattr(event, "packed"):
            return ""
        page = page_of("match", event.match_id)
        return format_html('<a href="{}">events 1 to {}</a>', page, event.seq - 1)


@admin.register(PackedLog)
class PackedLogAdmin(Record):
    private = "ended__match__room__private"
    list_display = ("ended_id", "match", "bytes")
    list_select_related = ("ended__match",)
    finds = ("ended__match",)
    search_help_text = "Number of a match"
    ordering = ("-ended",)

    @admin.display
    def match(self, packed: PackedLog) -> str:
        page = page_of("match", packed.ended.match_id)
        return format_html('<a href="{}">{}</a>', page, packed.ended.match)

    @admin.display
    def bytes(self, packed: PackedLog) -> int:
        return len(packed.events)


@admin.register(Move)
class MoveAdmin(Record):
    private = "match__room__private"

    def is_part(self, request: HttpRequest) -> bool:
        """Always: it is a part of the log."""
        return True

    list_display = ("id", "match", "ply", "seat", "move", "elapsed_ms", "left0_ms", "left1_ms", "at")
    list_select_related = ("match",)
    finds = ("match",)
    search_help_text = PACKED_HELP
    ordering = ("-id",)


@admin.register(Ruling)
class RulingAdmin(Record):
    private = "match__room__private"
    list_display = ("match", "n", "verdict", "winner", "reason", "actor", "at")
    list_filter = ("verdict",)
    list_select_related = ("match",)
    finds = ("match",)
    parts = ("actor", "reason")
    ordering = ("-id",)
