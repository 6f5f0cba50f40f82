"""`/matches/`: every finished public match, newest first, a page at a time."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from django import forms
from django.db.models import Case, CharField, OuterRef, Prefetch, Q, QuerySet, Subquery, Value, When
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later

import games
from arena.match.endings import UNCOUNTED
from arena.match.ids import ALPHABET, id_at
from arena.models import Match, Player, Ruling, Seat, Tournament
from arena.models.match import public
from arena.web.joined import called, numbers_of
from arena.web.people.records import linked, reason_words, told_with
from arena.web.views import page, view
from arena.web.words import ago, colour, seat_name, title, title_of

A_PAGE = 30
# One page searches this many matches for the wanted result; the next one continues after them.
LOOKED_THROUGH = 5_000
RESULTS = {
    "first": later("Won by Orange"),
    "second": later("Won by Blue"),
    "drawn": later("Drawn"),
    "void": later("Not counted"),
}
A_DAY = timedelta(days=1)


class ArchiveFilter(forms.Form):
    """The filters. `since` and `until` are days in UTC, both included."""

    game = forms.ChoiceField(label=later("Game"), required=False)
    player = forms.CharField(label=later("Player"), required=False, max_length=64)
    result = forms.ChoiceField(
        label=later("Result"), required=False, choices=[("", later("All results")), *RESULTS.items()]
    )
    since = forms.DateField(label=later("From"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=later("To"), required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        choices = [("", _("All games")), *((each.slug, title(each)) for each in games.variants())]
        self.fields["game"].choices = choices  # type: ignore[attr-defined]

    def clean_player(self) -> Player | None:
        name = self.cleaned_data["player"]
        if not name:
            return None
        found = called(Player.slug_of(name))
        if found is None:
            said = _("There is no player called “{name}”. Expected a name as on a profile.")
            raise forms.ValidationError(said.format(name=name))
        return found


class Archived(NamedTuple):
    """A page of the archive. The next page begins after the id `older`, "" after the last match."""

    rows: list[dict[str, Any]]
    older: str
    looked_through: bool


@view("GET", hosted=False)
async def archive(request: HttpRequest) -> HttpResponse:
    """`?game=`, `?player=`, `?result=`, `?since=`, `?until=`; the page begins after the id `?before=`."""
    form = ArchiveFilter(request.GET)
    valid = await sync_to_async(form.is_valid)()
    wanted = {name: value for name, value in form.data.items() if name in form.fields and value}
    before = "".join(letter for letter in request.GET.get("before", "")[:10] if letter in ALPHABET)
    found = await sync_to_async(page_of)(form.cleaned_data, before) if valid else Archived([], "", False)
    context = {
        "form": form,
        "rows": found.rows,
        "looked_through": found.looked_through,
        "older": "?" + urlencode({**wanted, "before": found.older}) if found.older else "",
        "newest": "?" + urlencode(wanted) if before else "",
        "filtered": bool(wanted),
    }
    return await page(request, "arena/archive.html", context, status=200 if valid else 422)


def page_of(wish: dict[str, Any], before: str) -> Archived:
    """The page after the match `before`, "" for the first one. `wish` is the cleaned data of `ArchiveFilter`."""
    matches = _wanted(wish, before).order_by("-pk")
    if not wish["result"]:
        rows = list(_with_seats(_with_outcome(matches))[: A_PAGE + 1])
        return Archived([_row(row) for row in rows[:A_PAGE]], rows[A_PAGE - 1].pk if len(rows) > A_PAGE else "", False)
    looked_at = list(matches.values_list("pk", flat=True)[: LOOKED_THROUGH + 1])
    among = _with_outcome(Match.objects.filter(pk__in=matches.values("pk")[:LOOKED_THROUGH])).order_by("-pk")
    rows = list(_with_seats(among.filter(outcome=wish["result"]))[: A_PAGE + 1])  # type: ignore[misc]  # annotated
    if len(rows) > A_PAGE:
        return Archived([_row(row) for row in rows[:A_PAGE]], rows[A_PAGE - 1].pk, False)
    older = looked_at[LOOKED_THROUGH - 1] if len(looked_at) > LOOKED_THROUGH else ""
    return Archived([_row(row) for row in rows], older, bool(older))


def of_event(event: Tournament) -> list[dict[str, Any]]:
    """The newest page of the finished matches of one tournament."""
    matches = Match.objects.filter(public(), ended__isnull=False, pairing__tournament=event)
    return [_row(row) for row in _with_seats(_with_outcome(matches).order_by("-pk"))[:A_PAGE]]


def _wanted(wish: dict[str, Any], before: str) -> QuerySet[Match]:
    """Ids begin with the time, so days and pages are ranges of the primary key."""
    matches = Match.objects.filter(public(), ended__isnull=False, kind=None)
    if wish["game"]:
        matches = matches.filter(variant=wish["game"])
    if wish["player"]:
        played = Seat.objects.filter(player__in=numbers_of(wish["player"].pk))
        matches = matches.filter(pk__in=played.values("match"))
    if wish["since"]:
        matches = matches.filter(pk__gte=_first_id(wish["since"]))
    if wish["until"] and wish["until"] < date.max:
        matches = matches.filter(pk__lt=_first_id(wish["until"] + A_DAY))
    return matches.filter(pk__lt=before) if before else matches


def _first_id(day: date) -> str:
    return id_at(datetime.combine(day, time(), UTC).timestamp())


def _with_outcome(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Annotates `outcome`, a key of RESULTS; a ruling counts instead of the ending, with `ruled_at` and `why`."""
    last = Ruling.objects.filter(match=OuterRef("pk")).order_by("-n")
    said = {"verdict": "verdict", "ruled": "winner", "ruled_at": "at", "why": "reason"}
    ruled = matches.annotate(**{name: Subquery(last.values(column)[:1]) for name, column in said.items()})
    return ruled.annotate(
        outcome=Case(
            When(Q(verdict="void") | Q(verdict=None, termination__in=UNCOUNTED), then=Value("void")),
            When(Q(verdict="win", ruled=0) | Q(verdict=None, winner=0), then=Value("first")),
            When(Q(verdict="win", ruled=1) | Q(verdict=None, winner=1), then=Value("second")),
            default=Value("drawn"),
            output_field=CharField(),
        )
    )


def _with_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    return matches.prefetch_related(Prefetch("seats", Seat.objects.select_related("player").order_by("seat")))


def _row(match: Any) -> dict[str, Any]:
    """One match for the template; `match` has the annotated `outcome`."""
    seats = {seat.seat: seat for seat in match.seats.all()}
    first, second = (_side(seats.get(number), number) for number in (0, 1))
    names = [seat.name for seat in seats.values()]
    if match.outcome == "second":
        first, second = second, first  # the winner is named first
    joined = {"first": _("beat"), "second": _("beat"), "drawn": _("drew with")}.get(match.outcome, _("against"))
    return {
        "one": first,
        "other": second,
        "joined": joined,
        "counted": match.outcome != "void",
        "title": title_of(match.variant),
        "reason": match.why or reason_words(match.termination or "", told_with(*names, reason=match.reason)),
        "plies": match.plies,
        "rated": match.rated,
        "ended": match.ended,
        "changed": match.ruled_at or match.ended,
        "ago": ago(match.ended, timezone.now()),
        "address": f"/m/{match.pk}/",
    }


def _side(seat: Seat | None, number: int) -> dict[str, str]:
    """One row that lost its seat, for example in a manual repair, must not break the page for everybody."""
    if seat is None:
        return {"name": colour(number), "slug": "", "kind": ""}
    return {"name": seat_name(seat, number), "slug": linked(seat.player.slug if seat.player else ""), "kind": seat.kind}
