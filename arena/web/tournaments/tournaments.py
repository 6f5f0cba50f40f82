"""`/t/` and `/t/<slug>/`: the list of tournaments, the state of one, the matches between two entries, and its files."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from arena.host import Host
from arena.match.endings import UNCOUNTED
from arena.models import Entry, Pairing, Tournament
from arena.protocols import protocol
from arena.tournaments import export, giving, leaving, words
from arena.tournaments.sheet import PairingLine, Sheet, read
from arena.tournaments.spec import expected_matches
from arena.tournaments.tiebreaks import TIE_BREAKS
from arena.web.asked import one_of, page_number
from arena.web.bots.bots import how_it_talks
from arena.web.entries import scored
from arena.web.guests import visitor_of
from arena.web.present import HostNow, present
from arena.web.room import qr
from arena.web.tournaments import entrants, feed, sentences, shown
from arena.web.tournaments.rights import Rights, rights_of
from arena.web.views import page, view
from arena.web.words import capital, spoken, title, unbroken
from games import variant

State = Tournament.State
A_PAGE = 25
SHOWS = {"running": gettext_noop("Running"), "open": gettext_noop("Open"), "finished": gettext_noop("Finished")}
STATES = {
    "running": (State.RUNNING, State.PAUSED),
    "open": (State.WAITING,),
    "finished": (State.FINISHED,),
}
# Buttons of the organiser: the act, its words, the states in which it is there, whether it is the next thing to do.
BUTTONS = (
    ("start", gettext_noop("Start"), "draft waiting", True),
    ("gather", gettext_noop("Start when everyone is here"), "draft waiting", False),
    ("open", gettext_noop("Open for entries"), "draft", False),
    ("pause", gettext_noop("Pause"), "running", False),
    ("resume", gettext_noop("Resume"), "paused", True),
    ("call", gettext_noop("Call missing players"), "running", False),
)
NO_TOURNAMENT = gettext_noop("There is no tournament at this address.")

sheet_at = database_sync_to_async(read, thread_sensitive=False)


class Listed(NamedTuple):
    tag: str
    live: bool
    name: str
    address: str
    about: str
    says: str
    open: bool


class Coming(NamedTuple):
    """Bots of one protocol that connect: whether they stay between matches, and where they connect."""

    names: list[str]
    stays: bool
    talk: dict[str, Any]


@view("GET", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    """`?show=running|open|finished`, else some of all three; `?page=` from 1 with one of them."""
    asked, number = one_of(request, "show", SHOWS), page_number(request)
    context = await database_sync_to_async(_listed, thread_sensitive=False)(
        asked, number, (await visitor_of(request)).account
    )
    return await page(request, "arena/tournaments.html", context)


@view("GET", rows=True)
async def tournament(request: HttpRequest, host: Host | None, slug: str) -> HttpResponse:
    """`?tie-break=` is the tie-break that this viewer wants to see first."""
    sheet, rights = await found(request, slug)
    tie_break = one_of(request, "tie-break", TIE_BREAKS)
    state = sheet.tournament.state
    lacking = await feed.cannot_start(host, sheet) if rights.organises else []
    context = {**feed.context(await feed.now_at(host, sheet), sheet, tie_break), "rights": rights}
    context |= {"early": state in feed.EARLY, "cannot_start": lacking}
    given_up = filter(leaving.may_be_taken_back, sheet.entries.values())
    context["leaving"] = state != State.FINISHED or any(given_up)
    context["buttons"] = [(act, _(words), first) for act, words, when, first in BUTTONS if state in when.split()]
    account = (await visitor_of(request)).account
    context |= await sync_to_async(entrants.asked)(sheet, account, rights.organises)
    coming = _coming(request, await present(host), sheet, rights)
    context |= {"coming": coming, "heading": unbroken(sheet.tournament.name)}
    return await page(request, "arena/tournament.html", context)


@view("GET", rows=True)
async def projector(request: HttpRequest, host: Host | None, slug: str) -> HttpResponse:
    """Running matches, the table and who is next, without chrome, in large type. Gets the same updates as the page of
    the event.

    Raises Http404 if that page does.
    """
    sheet, _ = await found(request, slug)
    address = f"/t/{sheet.tournament.slug}/"
    link = request.build_absolute_uri(address)
    socket = f"/ws/lobby/?{urlencode({'tournament': sheet.tournament.slug})}"
    context = feed.context(await feed.now_at(host, sheet), sheet)
    return await page(
        request,
        "arena/projector.html",
        {**context, "address": address, "socket": socket, "link": link, "qr": qr.svg(link)},
    )


def _coming(request: HttpRequest, here: HostNow, sheet: Sheet, rights: Rights) -> list[Coming]:
    """This visitor's own bots, which connect by themselves, and how each can stay for the whole event."""
    if sheet.tournament.state == State.FINISHED:
        return []
    own = [sheet.entries[pk] for pk in sorted(rights.entries)]
    bots = [(entry.name, entry.player.bot) for entry in own if entry.kind == Entry.Kind.BOT and entry.player]
    coming: dict[str, Coming] = {}
    for name, bot in bots:
        if bot.command is None:
            if bot.protocol not in coming:
                coming[bot.protocol] = Coming([], protocol(bot.protocol).stays, how_it_talks(request, here, bot))
            coming[bot.protocol].names.append(name)
    return list(coming.values())


@view("GET", hosted=False)
async def encounter(request: HttpRequest, slug: str, a: int, b: int) -> HttpResponse:
    """The matches between these two seeds, including replaced ones, and rulings by staff."""
    sheet, rights = await found(request, slug)
    seeds = {entry.seed: entry.pk for entry in sheet.entries.values()}
    if a not in seeds or b not in seeds or a == b:
        said = _("There are no players {a} and {b} here: choose a cell of the table.")
        raise Http404(said.format(a=a, b=b))
    sheet, pair = sentences.spoken_sheet(sheet), {seeds[a], seeds[b]}
    lines = [line for line in [*sheet.lines, *sheet.replaced] if {line.a, line.b} == pair]
    lines.sort(key=lambda line: (line.round, line.leg, line.attempt))
    whys = await sync_to_async(giving.whys)(lines) if rights.staff else {}  # they name commands and folders
    context = {
        "tournament": sheet.tournament,
        "names": (sheet.names[seeds[a]], sheet.names[seeds[b]]),
        "lines": [_line(sheet, line) | {"why": whys.get(line.pk, "")} for line in lines],
        "rights": rights,
    }
    return await page(request, "arena/tournament_encounter.html", context)


@view("GET", hosted=False)
async def crosstable(request: HttpRequest, slug: str) -> HttpResponse:
    """The crosstable alone, of any size."""
    sheet = (await found(request, slug))[0]
    if sheet.tournament.format not in shown.ALL_PLAY_ALL:
        said = _("Not everyone meets everyone in {name}: its rounds are on its page.")
        raise Http404(said.format(name=sheet.tournament.name))
    sheet = sentences.spoken_sheet(sheet)
    context = {"tournament": sheet.tournament, "says": sentences.says(sheet), "rows": shown.rows(sheet)}
    return await page(request, "arena/tournament_crosstable.html", context)


@view("GET", hosted=False)
async def in_full(request: HttpRequest, slug: str) -> HttpResponse:
    """The table with all sums, and all rounds, of any size."""
    sheet = (await found(request, slug))[0]
    return await page(request, "arena/tournament_in_full.html", shown.shown(sheet, in_full=True))


@view("GET", hosted=False)
async def as_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything, with all matches."""
    sheet, _ = await found(request, slug)
    said = await database_sync_to_async(export.to_json, thread_sensitive=False)(sheet)
    response = JsonResponse(said, json_dumps_params={"ensure_ascii": False, "indent": 1})
    return _file(response, f"{slug}.json")


@view("GET", hosted=False)
async def table_csv(request: HttpRequest, slug: str) -> HttpResponse:
    sheet, _ = await found(request, slug)
    text = await database_sync_to_async(export.to_csv, thread_sensitive=False)(sheet)
    return _file(HttpResponse(text, content_type="text/csv; charset=utf-8"), f"{slug}-table.csv")


@view("GET", hosted=False)
async def pairings_csv(request: HttpRequest, slug: str) -> HttpResponse:
    sheet, _ = await found(request, slug)
    text = await database_sync_to_async(export.pairings_csv, thread_sensitive=False)(sheet)
    return _file(HttpResponse(text, content_type="text/csv; charset=utf-8"), f"{slug}-pairings.csv")


async def found(request: HttpRequest, slug: str) -> tuple[Sheet, Rights]:
    """The tournament at this address and the visitor's rights. Only its organisers can see a draft."""
    sheet = await sheet_at(slug)
    if sheet is None:
        raise Http404(_(NO_TOURNAMENT))
    rights = await rights_of(request, sheet)
    if sheet.tournament.state == State.DRAFT and not rights.organises:
        raise Http404(_(NO_TOURNAMENT))
    return sheet, rights


# -- the list ----------------------------------------------------------------------------------------------------------


def _listed(asked: str, number: int, account: int | None) -> dict[str, Any]:
    """The list, in a handful of queries however many there are."""
    numbers = dict(Tournament.objects.listed().values_list("state").annotate(n=Count("pk")))
    counts = {name: sum(numbers.get(state, 0) for state in states) for name, states in STATES.items()}
    wanted = [asked] if asked else list(SHOWS)
    groups, more = [], False
    for name in wanted:
        rows = _of(Tournament.objects.listed().filter(state__in=STATES[name]))
        first = (number - 1) * A_PAGE if asked else 0
        found = list(rows[first : first + A_PAGE + 1])
        more = more or len(found) > A_PAGE
        groups.append((name, _(SHOWS[name]), _lines(found[:A_PAGE]), len(found) > A_PAGE))
    mine = _of(Tournament.objects.filter(state=State.DRAFT, organiser=account))[:A_PAGE] if account else []
    return {
        "shows": [(name, _(said), counts[name], name == asked) for name, said in SHOWS.items()],
        "asked": asked,
        "groups": [group for group in groups if group[2]],
        "drafts": _lines(list(mine)),
        "before": number - 1 if asked and number > 1 else 0,
        "after": number + 1 if asked and more else 0,
    }


def _of(rows: QuerySet[Tournament]) -> QuerySet[Tournament]:
    there = Count("entries", filter=Q(entries__withdrawn=None))
    return rows.annotate(entered=Count("entries"), there=there).order_by("-created", "-pk")


def _lines(rows: list[Any]) -> list[Listed]:
    numbers = [row.pk for row in rows if row.state in STATES["running"]]
    pairings = Pairing.objects.filter(tournament__in=numbers).exclude(state__in=("replaced", "bye"))
    known = dict(pairings.values_list("tournament").annotate(n=Count("pk")))
    counted = Q(matches__ended__isnull=False) & ~Q(matches__termination__in=UNCOUNTED)
    decided = Q(state__in=("forfeited", "drawn", "dropped")) | Q(matches__rulings__isnull=False)
    over = pairings.filter(decided | counted)
    played = dict(over.values_list("tournament").annotate(n=Count("pk", distinct=True)))
    return [_listed_line(row, known.get(row.pk, 0), played.get(row.pk, 0)) for row in rows]


def _listed_line(row: Any, known: int, played: int) -> Listed:
    kind, legs = row.format, row.settings.get("legs", 1)
    rounds, third = row.settings.get("rounds", 0), row.settings.get("third_place", False)
    planned = expected_matches(kind, max(2, row.entered), legs, rounds, third_place=third)
    total = known if kind in ("round-robin", "gauntlet") else max(known, planned)
    begins = sentences.begins(row)
    so_far = _("{played} of {total}").format(played=played, total=total)
    says = {
        State.DRAFT: _("only you see it"),
        State.WAITING: f"{begins[:1].lower()}{begins[1:-1]}",
        State.RUNNING: so_far,
        State.PAUSED: so_far,
        State.FINISHED: sentences.at(row.finished) if row.finished else "",
    }[row.state]
    there = ngettext("{n} player", "{n} players", row.there).format(n=row.there)
    about = f"{title(variant(row.variant))}, {spoken(words.in_a_sentence(words.FORMATS[kind]))}, {there}"
    live, waits = row.state == State.RUNNING, row.state == State.WAITING
    return Listed(_(sentences.STATES[row.state]), live, row.name, f"/t/{row.slug}/", about, says, waits)


# -- one encounter -----------------------------------------------------------------------------------------------------


def _line(sheet: Sheet, line: PairingLine) -> dict[str, Any]:
    matches = [
        {
            "address": f"/m/{match.id}/",
            "ended": _as_sentence(sheet, shown.ended(sheet, line, match)) if match.ended_at else "",
            "counts": shown.counts(sheet, line, match) if match.verdict else "",
            "reason": match.ruled_reason,
            "actor": match.actor,
        }
        for match in line.matches
    ]
    result = line.result(sheet.legs)
    score = f"{scored(result.score_a)} – {scored(result.score_b)}" if result else ""
    return {
        "pk": line.pk,
        "title": _line_title(line),
        "first": sheet.names[line.a],
        "second": sheet.names[line.b] if line.b is not None else "",
        "status": line.status,
        "says": _(shown.STATUS.get(line.status, line.status)),
        "score": score,
        "reason": spoken(words.reason_said(sheet, line)),
        "matches": matches,
        "again": line.status in ("played", "void", "forfeited", "drawn", "handed", "dropped"),
        "undecided": line.status in ("handed", "waiting"),
    }


def _as_sentence(sheet: Sheet, said: str) -> str:
    """The text with a capital first letter, unless that is the first letter of a name."""
    return said if said.startswith(tuple(sheet.names.values())) else capital(said)


def _line_title(line: PairingLine) -> str:
    if line.attempt > 1:
        said = _("Round {round}, match {match}, attempt {attempt}")
    else:
        said = _("Round {round}, match {match}")
    return said.format(round=line.round, match=line.leg, attempt=line.attempt)


def _file(response: HttpResponse, name: str) -> HttpResponse:
    ascii_name = name.encode("ascii", "ignore").decode() or "tournament"
    response["Content-Disposition"] = f'attachment; filename="{ascii_name}"'
    return response
